"""So many cards, told: of a model that runs in each format, of a training by each method."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from assistant.writing.accounts.cards import Call
from assistant.writing.accounts.needs import methods_said
from assistant.writing.accounts.sentences import memory, sentence, sentences, whole
from assistant.writing.accounts.train import method_name, plain_of, speed_of
from assistant.writing.accounts.worked.arrivals import Arrivals
from assistant.writing.accounts.worked.fewest import Fewest, fewest_to_run, fewest_to_train
from assistant.writing.accounts.worked.reckoning import at_least
from assistant.writing.setups import Setup
from assistant.writing.training import best_way
from assistant.writing.ways import model_name, ways
from assistant.writing.words import Words
from tools.agent_tools.ledger import LookedUp

FOUR_BIT = ("awq", "gguf:Q4_K_M")
OTHERS = {"full": ("lora", "qlora"), "lora": ("qlora",), "qlora": ()}


SMALL_MAX = 8
"""Cards of a usual kind, beyond which another kind is told."""
SEVERAL, SERVER = ("users", "concurrent_sequences"), "vllm"
"""Several at once are served by an engine that takes requests as they come."""
LARGE = ("NVIDIA A100 SXM4 80GB",)


class Counted(NamedTuple):
    """A number of cards in words, what follows from it, and what it rests on."""

    said: str
    lines: tuple[str, ...]
    result: LookedUp


def run_counts(
    asked: Mapping[str, Any], card: str, load: Arrivals | None, call: Call, words: Words, *, brief: bool
) -> Iterator[Counted]:
    """The fewest as published or as asked, then in four bits; under a load that comes, at its peak."""
    say = sentences(words)
    said: dict[str, Any] = {**asked, **({"concurrent_sequences": load.asked} if load else {})}
    if load:
        said.pop("users", None)
    if any(name in said for name in SEVERAL):
        said.setdefault("engine", SERVER)
    forms = [""] if "weight_format" in asked else [_native(asked, call), *FOUR_BIT]
    seen: set[tuple[int, str]] = set()
    for form in forms:
        if len(seen) > 1 or (form == FOUR_BIT[-1] and any(held == FOUR_BIT[0] for _, held in seen)):
            break
        found = fewest_to_run({**said, **({"weight_format": form} if form else {})}, card, call)
        if found is None:
            continue
        best = ways(found.result, words)
        if not best or (found.number, best[0].form) in seen:
            continue
        seen.add((found.number, best[0].form))
        name = "count_run" if load is None else "count_load"
        speed = words.say("speed_many" if best[0].several else "speed", **best[0].fields)
        fields = {**best[0].fields, "count": found.number, "card": card, "speed": speed}
        yield Counted(say.say(name, **fields), tuple(_even(found, best[0].fields, say)) if not brief else (),
                      found.result)  # fmt: skip


def _native(asked: Mapping[str, Any], call: Call) -> str:
    """The format in which the model is published, which nothing is lost by."""
    one = call("find_ways_to_run", {"model": asked.get("model", "")})
    rows = [row.result for row in one.worked if row.tool == "estimate_memory" and "weight_format" in row.result]
    return str(rows[0]["weight_format"]) if rows and not one.failed else ""


def _even(found: Fewest, fields: Mapping[str, str], say: Words) -> Iterator[str]:
    """What such a number is for, and how far it goes."""
    if fields.get("max_context") and fields.get("max_sequences"):
        yield say.say("count_reach", **{name: fields[name] for name in ("max_context", "context", "max_sequences")})
    if found.number in (3, 5, 6):
        yield say.say("count_uneven", count=found.number)


def train_counts(
    asked: Mapping[str, Any], card: str, setup: Setup, call: Call, words: Words, *, brief: bool
) -> Iterator[Counted]:
    """The fewest for the method that is meant, as usually done and at the least; then by lesser methods."""
    task = next((name for name in ("qlora", "lora") if name in str(asked.get("method"))), "full")
    goal = [part for part in str(asked.get("method") or "full").split() if part not in ("full", "lora", "qlora")]
    for name in (task, *(() if _settled(setup, brief=brief) or "pretrain" in goal else OTHERS[task])):
        for one in _train_count(
            {**asked, "method": " ".join([*goal, *([] if goal == ["pretrain"] else [name])])},
            card,
            call,
            words,
            brief=brief,
        ):
            count = one.result.request["cards"].partition("x")[0]
            if not brief or int(count) <= SMALL_MAX or card in LARGE:
                yield one


def _settled(setup: Setup, *, brief: bool) -> bool:
    """Whether lesser methods are beside the point: the method was said, or something new is trained from text."""
    trained = {str(one.value) for one in setup.every("activity")}
    return (brief and methods_said(setup)) or (not methods_said(setup) and trained == {"training"})


def _train_count(asked: Mapping[str, Any], card: str, call: Call, words: Words, *, brief: bool) -> Iterator[Counted]:
    say = sentences(words)
    usual = fewest_to_train(asked, card, call, usual=True)
    least = fewest_to_train(asked, card, call, usual=False)
    first = usual or least
    if first is None:
        one = call("find_ways_to_train", {**asked, "cards": f"1x {card}"})
        if not one.failed and not brief:
            yield Counted(
                sentence(say.say("count_train_none", card=card, method=method_name(one, words), model=model_name(one))),
                (), one,
            )  # fmt: skip
        return
    plain, fields = plain_of(first.result) or {}, best_way(first.result, words) or {}
    base = {"card": card, "method": method_name(first.result, words), "model": model_name(first.result)}
    lines = [*_states(first.result, asked, card, call, say), *_pace(first.result, fields, say)]
    if usual is not None and least is not None and least.number < usual.number:
        how = (best_way(least.result, words) or {}).get("how", "")
        said = say.say("count_train_both", count=usual.number, least=least.number, how=how, **base, **plain)
    elif usual is not None:
        said = say.say("count_train", count=usual.number, **base, **plain)
    else:
        said = say.say("count_train_least", count=first.number, how=fields.get("how", ""),
                       needed=fields.get("needed", ""), **base, **plain)  # fmt: skip
    yield Counted(sentence(said), tuple(lines), first.result)


def _states(one: LookedUp, asked: Mapping[str, Any], card: str, call: Call, say: Words) -> Iterator[str]:
    """How many the states alone would fill: fewer can never be enough."""
    kept = {name: value for name, value in asked.items() if name in ("model", "method", "sequence_tokens")}
    alone = call("find_ways_to_train", kept)
    if alone.failed or "needed" not in alone.shown or not one.shown.get("ways"):
        return
    count = at_least(f"{alone.key}.needed", f"{one.key}.answer.usable_per_gpu", call)
    if count and count != "1":
        yield say.say("count_states", count=count, card=card, needed=alone.shown["needed"])


def _pace(one: LookedUp, fields: Mapping[str, str], say: Words) -> Iterator[str]:
    if fields.get("time"):
        yield say.say("count_time", time=fields["time"])
    elif speed_of(one):
        yield say.say("count_pace", rate=fields.get("rate", ""))
    size = next((row.get("checkpoint_bytes") for row in whole(one).get("ways", [])), 0)
    resume = next((row.get("resume_bytes") for row in whole(one).get("ways", [])), 0)
    if size and resume and fields.get("time"):
        yield say.say("count_checkpoint", resume=memory(resume))


def told_answer(one: LookedUp) -> str:
    """How long a whole answer takes, in seconds."""
    rows = whole(one).get("ways", [])
    found = (rows[0].get("speed") or {}).get("answer_s") if rows else None
    return (f"{found['value']:.0f} s" if found["value"] >= 10 else f"{found['value']:.2g} s") if found else ""

"""What a result of `find_ways_to_train` says: the usual way against the card, what fits instead, and other methods."""

from collections.abc import Iterator, Mapping
from typing import Any

from assistant.writing.accounts.cards import Call, told_mixture, told_stack
from assistant.writing.accounts.changes import first_change, told_changes
from assistant.writing.accounts.run import NAMELESS, Told, cards_asked
from assistant.writing.accounts.sentences import billions, cards_used, memory, rate, sentence, sentences, whole
from assistant.writing.training import best_way
from assistant.writing.ways import model_name, verdict
from assistant.writing.words import Words
from kb.models import models
from tools.agent_tools.ledger import LookedUp

STATES = {"full": 16, "lora": 2, "qlora": 0.5}
"""Bytes of a parameter that stay on the cards: weights, gradients, states of AdamW; a frozen base of 16 or 4 bits."""
LESSER = {"full": ("lora", "qlora"), "lora": ("qlora", "full"), "qlora": ("lora", "full")}
"""Methods told beside one."""
BILLION = 1e9
PICTURES = ("diffusion", "video")
SMALLER_PX = "512x512"


def told_train(one: LookedUp, call: Call, words: Words, *, brief: bool = False) -> Told:
    """The whole account of a training on cards."""
    lines = list(_following(one, call, words, brief=brief))
    return Told(lead(one, words), tuple(dict.fromkeys(lines)), verdict(one))


def lead(one: LookedUp, words: Words) -> str:
    """Whether it fits as it is usually done, and how else."""
    return sentence(_lead(one, words))


def _lead(one: LookedUp, words: Words) -> str:
    say, plain, fields = sentences(words), plain_of(one), best_way(one, words)
    method = method_name(one, words)
    base = {"model": model_name(one), "method": method, "cards": cards_asked(one, words)}
    usual = {"usual": say.say(f"usual_{_task(one)}"), **(plain or {})}
    if fields is None or verdict(one) == "does_not_fit" or not whole(one).get("ways"):
        return _no(one, say, base, usual, words)
    base["cards"] = fields["cards"] or base["cards"]
    if plain is None:
        return say.say("train_fits_bare", needed=fields["needed"], usable=fields["usable"], **base)
    if plain["fits"] != "no":
        return say.say("train_fits", **base, **usual)
    return say.say("train_changed", how=fields["how"], needed=fields["needed"], **base, **usual)


def _no(one: LookedUp, say: Words, base: dict[str, str], usual: dict[str, str], words: Words) -> str:
    """It does not fit as asked; the cheapest change after which it does is told with it."""
    if "plain" not in usual:
        return say.say("train_no", **base)
    host = next((row for row in whole(one).get("binds", []) if row.get("what") == "host_memory"), None)
    if host is not None:
        short = {"host": memory(host["needed"]), "has": memory(host["available"])}
        return say.say("train_no_host", **short, **base, **usual)
    if any(row.get("what") == "software" for row in whole(one).get("binds", [])):
        return say.say("train_barred", **base, **usual)
    nearest = (whole(one).get("nearest") or {}).get("memory") or {}
    change = next(iter(first_change(one, words)), None)
    if change is not None and nearest.get("needed_bytes_per_gpu"):
        return say.say("train_only_with", least=memory(nearest["needed_bytes_per_gpu"]), **change, **base, **usual)
    if not nearest.get("needed_bytes_per_gpu"):
        return say.say("train_no_usual", **base, **usual)
    return say.say("train_no_needs", least=memory(nearest["needed_bytes_per_gpu"]), **base, **usual)


def plain_of(one: LookedUp) -> dict[str, str] | None:
    """The usual way on these cards: plain usable fits."""
    found = whole(one).get("plain")
    if not found:
        return None
    held = found["memory"]
    return {
        "plain": memory(held["needed_bytes_per_gpu"]), "usable": memory(held["usable_bytes_per_gpu"]),
        "fits": held["surety"],
    }  # fmt: skip


def method_name(one: LookedUp, words: Words) -> str:
    """How people call the training, all of its parts."""
    parts = str(one.request.get("method") or "full").split()
    say = sentences(words)
    if "pretrain" in parts:
        parts = ["pretrain"]
    return " ".join(say.say(f"method_{part}") if say.knows(f"method_{part}") else part for part in parts)


def _task(one: LookedUp) -> str:
    return next((name for name in ("qlora", "lora") if name in str(one.request.get("method"))), "full")


def _following(one: LookedUp, call: Call, words: Words, *, brief: bool) -> Iterator[str]:
    fits = verdict(one) != "does_not_fit"
    yield from paced(one, words) if fits else ()
    yield from reckoned(one, words)
    if brief:
        return
    yield from _shared(one, call, words)
    if not fits or verdict(one) != "fits":
        yield from told_changes(one, words)
    yield from _without_offload(one, call, words)
    yield from others(one, call, words)
    yield from _smaller_pictures(one, call, words)
    yield from told_stack(one, call, words)
    yield from told_mixture(one, call, words)
    yield from _sixteen(one, words)


def paced(one: LookedUp, words: Words) -> list[str]:
    """What the figures hold for, how fast it is, and the longest sample that fits."""
    fields, say = best_way(one, words), sentences(words)
    if fields is None:
        return []
    row = whole(one)["ways"][0]
    plain = plain_of(one)
    usual = plain is None or plain["fits"] != "no"  # else the lead says how
    told = [say.say("train_how", how=fields["how"], needed=fields["needed"], usable=fields["usable"])] if usual else []
    told += say.maybe("train_speed", rate=fields["rate"])
    told += say.maybe("train_takes", time=fields["time"])
    longest = (row.get("limits") or {}).get("max_sequence_tokens")
    if longest:
        told += say.maybe("train_longest", tokens=f"{longest:,}")
    host = (row.get("memory") or {}).get("host_bytes")
    stated = (row.get("memory") or {}).get("host_usable_bytes")
    if host and stated is None:
        told += say.maybe("train_host", host=memory(host))
    return [" ".join(told)] if words.language == "en" else ["".join(told)]


def reckoned(one: LookedUp, words: Words) -> list[str]:
    """The rule of thumb with its numbers: bytes of a parameter times parameters."""
    params = _params(one)
    task = _task(one)
    if not params or not whole(one).get("plain") or draws(one):
        return []
    each = STATES[task]
    total = f"{each * params / BILLION:,.4g}" if each * params < 1e13 else f"{each * params / BILLION:,.0f}"
    return [sentences(words).say(f"rule_{task}", each=f"{each:g}", params=billions(params), total=f"{total} GB")]


def draws(one: LookedUp) -> bool:
    """Whether what is trained makes pictures or clips."""
    known = models().get(str(whole(one).get("answer", {}).get("model") or ""))
    return known is not None and known.kind in PICTURES


def _params(one: LookedUp) -> float | None:
    answer = whole(one).get("answer", {})
    known = models().get(str(answer.get("model") or ""))
    asked = one.worked[-1].request if one.worked else {}
    return (known.params if known else None) or asked.get("params")


def _shared(one: LookedUp, call: Call, words: Words) -> Iterator[str]:
    """What sharding does and does not: nothing on one card; without it each card holds all of the base."""
    say, count = sentences(words), _count(one)
    plain = plain_of(one)
    if count == 1 and _task(one) == "full" and plain and plain["fits"] == "no":
        yield say.say("one_card_shards_nothing")
    found = cards_used(one)
    if count < 2 or not found:
        return
    alone = call("find_ways_to_train", {**_kept(one), "cards": f"1x {found[0].name}"})
    lone = None if alone.failed else plain_of(alone)
    if lone is not None and lone["fits"] == "no":
        yield say.say("whole_copy", whole=lone["plain"], usable=lone["usable"], method=method_name(one, words))
        if _task(one) == "qlora":
            yield say.say("quantised_base")


def _kept(one: LookedUp) -> dict[str, Any]:
    """The request without what is of the machines."""
    return {name: value for name, value in one.request.items() if name not in ("cards", "nodes", "sharding", "link")}


def _count(one: LookedUp) -> int:
    rows = whole(one).get("ways") or [whole(one).get("nearest") or {}]
    return int((rows[0].get("cards") or {}).get("count") or 1) if rows else 1


def others(one: LookedUp, call: Call, words: Words) -> Iterator[str]:
    """What lesser methods take on the same cards."""
    say, told = sentences(words), []
    goal = [part for part in str(one.request.get("method") or "full").split() if part not in STATES]
    for name in LESSER[_task(one)]:
        asked = {**one.request, "method": " ".join([*goal, name])}
        asked.pop("optimizer", None)
        other = call("find_ways_to_train", asked)
        plain = None if other.failed else plain_of(other)
        if plain is None:
            continue
        told.append(
            say.say("other_fits" if plain["fits"] != "no" else "other_no", needed=plain["plain"],
                    method=say.say(f"method_{name}"))
        )  # fmt: skip
    if told:
        yield say.say("other_methods", rows=say.say("semicolon").join(told))


def _without_offload(one: LookedUp, call: Call, words: Words) -> Iterator[str]:
    """What fits on the cards alone, where what was to be offloaded finds no room."""
    if whole(one).get("ways") or "offload" not in str(one.request.get("sharding", "")):
        return
    other = call("find_ways_to_train", {name: value for name, value in one.request.items() if name != "sharding"})
    if not other.failed and rows_of(other):
        yield sentences(words).say("without_offload", said=lead(other, words))


def _smaller_pictures(one: LookedUp, call: Call, words: Words) -> Iterator[str]:
    """What smaller pictures and a base of four bits make of it, where it does not fit with ease."""
    if not draws(one) or "size" in one.request or verdict(one) == "fits":
        return
    other = call("find_ways_to_train", {**one.request, "method": "qlora", "size": SMALLER_PX})
    fields = None if other.failed else best_way(other, words)
    if fields is not None:
        say = sentences(words)
        yield say.say("smaller_pictures", size=SMALLER_PX, needed=fields["needed"], usable=fields["usable"])
    if str(one.request.get("cards", "")).endswith(NAMELESS):
        yield sentences(words).say("older_cards")


def _sixteen(one: LookedUp, words: Words) -> Iterator[str]:
    """Cards without BF16 train in FP16 with loss scaling."""
    for gpu in cards_used(one)[:1]:
        if gpu.half == "fp16":
            yield sentences(words).say("train_fp16", card=gpu.name)


def rows_of(one: LookedUp) -> list[Mapping[str, Any]]:
    """The ways of a training, as the solver gave them."""
    return [row for row in whole(one).get("ways", []) if isinstance(row, Mapping)]


def speed_of(one: LookedUp) -> str:
    """Tokens a second of the best way."""
    found = (rows_of(one)[0].get("speed") or {}).get("tokens_per_s") if rows_of(one) else None
    return rate(found["value"]) if found else ""

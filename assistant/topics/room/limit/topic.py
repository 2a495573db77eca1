"""How far a machine goes: the longest context or sample, the most at once, the largest model or picture."""

from collections.abc import Callable
from pathlib import Path

from assistant.answer import AnswerVerdict
from assistant.reading.annotation import Ask
from assistant.reading.situation import Situation, Thing
from assistant.topics.topic import Calls, SectionTold, Topic
from assistant.writing.accounts.classes import run_sizes, trained_sizes, with_work
from assistant.writing.accounts.needs import needed
from assistant.writing.accounts.run import lead, narrow_cache
from assistant.writing.accounts.sentences import memory, whole
from assistant.writing.accounts.train import lead as train_lead
from assistant.writing.accounts.train import method_name, rows_of
from assistant.writing.accounts.worked.reckoning import added
from assistant.writing.accounts.worked.waiting import within_wait
from assistant.writing.arguments import running, training
from assistant.writing.setups import Setup, setups
from assistant.writing.ways import WayTold, model_name, plain_way, told_speed, verdict, ways
from assistant.writing.words import Words
from tools.agent_tools.ledger import LookedUp

SIZES = ("512x512", "768x768", "1024x1024", "1536x1536", "2048x2048")
BATCHES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
ROUNDS, TELLING = 3, 1.05
MANY = frozenset({"users", "batch", "throughput", "cards", "all"})
SHARED = ("model", "format", "engine", "cards")
NEEDED = {"users": (*SHARED, "max_sequences", "context"), "context": (*SHARED, "max_context", "sequences")}
LONG = frozenset({"context", "length"})


def applies(ask: Ask, situation: Situation) -> bool:
    """Always: of what, where nothing else says so, is the context."""
    return True


def answer(ask: Ask, situation: Situation, calls: Calls, words: Words) -> SectionTold | None:
    """The most of each setup; without a model the largest one, without cards what the load needs."""
    found = setups(situation, ask)
    named = [one for one in found if one.work is not None]
    if ask.quantity == "model_size" or not named:
        return _largest(found, situation, calls, words)
    if not named[0].machines:
        told = needed(named[0], situation, calls.call, words)
        return None if told is None else SectionTold(told.lead, told.lines, "estimate")
    told_all = [one for setup in named if (one := _one(ask, setup, situation, calls, words)) is not None]
    if not told_all:
        return None
    first = told_all[0]
    rest = [line for one in told_all[1:] for line in (one.lead, *one.lines)]
    return SectionTold(first.lead, tuple(dict.fromkeys([*first.lines, *rest])), first.verdict)


def _one(ask: Ask, setup: Setup, situation: Situation, calls: Calls, words: Words) -> SectionTold | None:
    if setup.trains:
        return _trained(ask, setup, situation, calls, words)
    asked: dict[str, object] = {**running(setup, situation)}
    if ask.quantity in LONG or ask.quantity is None:
        asked |= {"objective": "longest_context"}
    one = calls.call("find_ways_to_run", asked)
    if one.failed:
        return None
    if plain_way(one, words) is not None or not ways(one, words):
        return _pictures(ask, one, calls, words)
    return _served(ask, one, calls, words)


def _served(ask: Ask, one: LookedUp, calls: Calls, words: Words) -> SectionTold:
    """The limits of the way that goes furthest."""
    many = ask.quantity in MANY
    one = _most(one, calls, words) if many else one
    best = ways(one, words)[0]
    name = "users" if many else "context"
    said = words.maybe(name, **{key: best.fields[key] for key in NEEDED[name]}) or [words.say("unbound", **best.fields)]
    lines = [words.say("room", **best.fields), *_cache(one, calls, words), *narrow_cache(one, words)]
    if many:
        lines += _at_most(one, best, calls, words)
        lines += within_wait(one, best, calls.call, words)
        lines += _shorter(one, best, calls, words)
    else:
        lines += told_speed(best, words)
        if whole(one)["ways"][0]["limits"].get("bound_by") == "model":
            lines += words.maybe("model_bound", most=best.fields["max_sequences"], context=best.fields["context"])
    lines += [words.say("changed_to_fit", said=lead(one, words))] if verdict(one) != "fits" else []
    return SectionTold(said[0], tuple(lines), _verdict(one))


def _most(one: LookedUp, calls: Calls, words: Words) -> LookedUp:
    """The way that is best for as many as the last one holds, until it holds no more: for one user alone others are."""
    for _ in range(ROUNDS):
        most = int(ways(one, words)[0].fields["max_sequences"].replace(",", "") or 0)
        if most < 2 or verdict(one) != "fits":
            break
        kept = {name: value for name, value in one.request.items() if name not in ("users", "concurrent_sequences")}
        more = calls.call("find_ways_to_run", {**kept, "concurrent_sequences": str(most)})
        found = ways(more, words) if not more.failed and verdict(more) == "fits" else []
        if not found or int(found[0].fields["max_sequences"].replace(",", "") or 0) <= most * TELLING:
            break
        one = more
    return one


def _cache(one: LookedUp, calls: Calls, words: Words) -> list[str]:
    """What the weights leave for the cache, and what an eight-bit one would make of it."""
    spare = added(one, ("ways[0].memory.spare_per_gpu", "ways[0].memory.cache_per_gpu"), calls.call)
    weights = memory(whole(one)["ways"][0]["memory"]["weights_bytes_per_gpu"])
    said = words.maybe("cache", weights=weights, spare=spare)
    for change in whole(one).get("changes", []):
        if change.get("field") == "kv_format" and change.get("max_context_tokens"):
            said.append(words.say("narrow_cache", tokens=f"{change['max_context_tokens']:,}"))
    return said


def _at_most(one: LookedUp, best: WayTold, calls: Calls, words: Words) -> list[str]:
    """How fast it is when the most are served."""
    full = _asked_again(one, best, calls, best.fields["max_sequences"].replace(",", ""))
    found = ways(full, words) if full is not None and not full.failed else []
    return [*told_speed(found[0], words), *words.maybe("first", first=found[0].fields["first"])] if found else []


def _asked_again(one: LookedUp, best: WayTold, calls: Calls, count: str, **more: object) -> LookedUp | None:
    if not count:
        return None
    kept = {name: value for name, value in one.request.items() if name not in ("users", "objective")}
    way = {"weight_format": best.form, "engine": best.engine}
    return calls.call("find_ways_to_run", {**kept, **way, "concurrent_sequences": count, **more})


def _shorter(one: LookedUp, best: WayTold, calls: Calls, words: Words) -> list[str]:
    """How many more a quarter of the context admits."""
    context = best.fields["context"].replace(",", "")
    short = int(context) // 4 if context else 0
    if short < 512:
        return []
    count = best.fields["max_sequences"].replace(",", "")
    less = _asked_again(one, best, calls, count, context_tokens=str(short), input_tokens=None, output_tokens=None)
    less = _most(less, calls, words) if less is not None and not less.failed and ways(less, words) else less
    found = ways(less, words) if less is not None and not less.failed else []
    most = found[0].fields["max_sequences"] if found else ""
    return words.maybe("shorter", context=f"{short:,}", most=most)


def _trained(ask: Ask, setup: Setup, situation: Situation, calls: Calls, words: Words) -> SectionTold | None:
    """The longest sample and the most samples at once."""
    asked: dict[str, object] = {**training(setup, situation), "micro_batch": "1", "gradient_checkpointing": "full"}
    one = calls.call("find_ways_to_train", asked)
    if one.failed:
        return None
    rows = [row for row in rows_of(one) if row.get("offload") in (None, "none")] or rows_of(one)
    limits = [row.get("limits") or {} for row in rows]
    longest = max((row.get("max_sequence_tokens") or 0 for row in limits), default=0)
    most = max((row.get("max_micro_batch_size") or 0 for row in limits), default=0)
    if not longest and not most:
        return SectionTold(train_lead(one, words), (), _verdict(one))
    fields = {"model": model_name(one), "method": method_name(one, words), "cards": str(one.shown["answer"]["cards"])}
    name = "batch_trained" if ask.quantity == "batch" or not longest else "sample"
    said = words.say(name, tokens=f"{longest:,}", batch=most, **fields)
    other = (words.say("sample_note"),) if longest else ()
    return SectionTold(said, (train_lead(one, words), *other), _verdict(one))


def _pictures(ask: Ask, one: LookedUp, calls: Calls, words: Words) -> SectionTold:
    """The largest picture or batch of a model that draws; else what was found."""
    if ask.quantity == "resolution":
        size = _last(SIZES, lambda size: calls.call("find_ways_to_run", {**one.request, "size": size}))
        if size:
            return SectionTold(words.say("resolution", size=size, model=model_name(one)), (lead(one, words),), "fits")
    if ask.quantity in MANY:
        batch = _last(
            tuple(map(str, BATCHES)),
            lambda count: calls.call("find_ways_to_run", {**one.request, "concurrent_sequences": count}),
        )
        if batch:
            return SectionTold(words.say("batch", batch=batch, model=model_name(one)), (lead(one, words),), "fits")
    return SectionTold(lead(one, words), (), _verdict(one))


def _last(options: tuple[str, ...], tried: Callable[[str], LookedUp]) -> str:
    """The last of these, in order, that fits as published."""
    kept = ""
    for option in options:
        found = tried(option)
        if found.failed or verdict(found) != "fits":
            break
        kept = option
    return kept


def _largest(found: list[Setup], situation: Situation, calls: Calls, words: Words) -> SectionTold | None:
    """The largest usual size on each machine, run and, where that is asked, trained."""
    told = []
    for setup in (with_work(one, situation) for one in found or [Setup(None, ())]):
        tell = trained_sizes if setup.trains else run_sizes
        one = tell(setup._replace(work=_bare(setup)), situation, calls.call, words)
        told += [one] if one is not None else []
    if not told:
        return None
    rest = [line for one in told[1:] for line in (one.lead, *one.lines)]
    return SectionTold(told[0].lead, tuple(dict.fromkeys([*told[0].lines, *rest])), "estimate")


def _bare(setup: Setup) -> Thing | None:
    """The work without its model, whose size is what is asked."""
    if setup.work is None:
        return None
    return setup.work.model_copy(update={"known": tuple(one for one in setup.work.known if one.slot != "model")})


def _verdict(one: LookedUp) -> AnswerVerdict:
    return "does_not_fit" if verdict(one) == "does_not_fit" else "estimate"


TOPIC = Topic("limit", Path(__file__).parent, ("limit",), applies, answer)

"""Memory that ran out, is short or is more than thought: what takes it, the likeliest cause, and what would fit."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from assistant.reading.annotation import Ask
from assistant.reading.situation import Known, Situation
from assistant.topics.topic import Calls, SectionTold, Topic
from assistant.writing.setups import Setup, setups
from assistant.writing.trouble.asked import explaining
from assistant.writing.trouble.causes import causes_of, in_words, result_of, told_causes
from assistant.writing.trouble.own import own_parts, own_pool, own_states
from assistant.writing.trouble.taken import Taken, taken, told_taken
from assistant.writing.trouble.would_fit import would_fit
from assistant.writing.words import Words
from tools.agent_tools.ledger import LookedUp

CAUSES_MAX = 2
ASKED = frozenset({"memory", "context", "batch", "resolution", "users", None})
OF_MEMORY = ("oom", "killed", "limit", "quota")
"""Kinds of errors that are of memory."""
FIGURES = ("memory_bytes", "kv_pool_tokens")
PLANNED = (
    "cache_format", "format", "sharding", "optimizer", "checkpointing", "offload", "method", "batch", "context",
    "parallel", "sequence",
)  # fmt: skip
"""Slots of a work that may be changed to need less."""


def applies(ask: Ask, situation: Situation) -> bool:
    """A work whose memory is asked about, or that an error stopped; or parts of it that the person read."""
    found = setups(situation, ask)
    if not found or ask.quantity not in ASKED:
        return False
    parts = any(one.part for thing in situation.things for one in thing.all("memory"))
    if found[0].work is None:
        return parts
    if ask.ask == "explain" and ask.quantity is None:
        return bool(found[0].every("memory", "seen"))
    return ask.quantity is not None or bool(found[0].every("error"))


def answer(ask: Ask, situation: Situation, calls: Calls, words: Words) -> SectionTold | None:
    """What it takes beside what there is; the cause that explains most; and what fits."""
    setup, plans = _without_plans(setups(situation, ask)[0], ask)
    asked = explaining(setup.failing, situation, ask)
    one = calls.call("explain", asked)
    read = result_of(one).get("error_read") or {}
    kind, on_host = read.get("kind"), (read.get("facts") or {}).get("where") == "host"
    if one.failed or (ask.quantity is None and ask.ask != "explain" and kind not in OF_MEMORY):
        return None
    of, causes = taken(one, words), causes_of(one, CAUSES_MAX) if _went_wrong(setup, asked) else []
    plain = ask.ask in ("improve", "needed") and not _went_wrong(setup, asked)
    leads = [*own_parts(situation, calls, words), *_judged(one, words), *_fits(of, words, plain=plain)][:1]
    named = [words.say("likely", name=in_words(causes[0]["name"], words))] if causes else _largest(of, words)
    leads = [*named, *leads] if on_host else [*leads, *named]
    if not leads:
        return None
    wanted = setup.work is not None and (_wanted(ask, of) or on_host)
    way = would_fit(setup.failing, situation, calls, words) if wanted else []
    changed = [said for plan in plans for said in _planned(setup, plan, situation, ask, of, calls, words)]
    first: list[str] = []
    if ask.ask in ("improve", "needed") and (changed or way):
        first, leads, way = [" ".join(leads)], changed or way[:1], way[0 if changed else 1 :]
    lines = [*first, *_reckoned(setup, situation, asked, of, calls, words), *told_causes(causes, words)]
    return SectionTold(" ".join(leads), (*lines, *_others(setup, situation, ask, calls, words), *way), "diagnosis")


def _reckoned(
    setup: Setup, situation: Situation, asked: Mapping[str, Any], of: Taken | None, calls: Calls, words: Words
) -> Iterator[str]:
    """The arithmetic: tokens of a pool, parts of a card, states of a training, and what was taken for granted."""
    yield from own_pool(situation, asked, of, calls, words)
    yield from told_taken(of, words) if of else ()
    yield from own_states(setup, asked, calls, words)
    yield from _taken_on(setup, asked, words)
    if of is not None and of.pool and (asked.get("seen") or {}).get("cache_tokens"):
        yield words.say("pool_more")


def _went_wrong(setup: Setup, asked: Mapping[str, Any]) -> bool:
    """Whether something was seen that has a cause."""
    return bool(asked.keys() & {"seen", "error_text"}) or any(setup.every(slot) for slot in ("error", "symptom"))


def _wanted(ask: Ask, of: Taken | None) -> bool:
    """Whether another way is to be told: where it does not fit as set, or where a change is asked for."""
    return of is None or of.fits is False or ask.ask in ("improve", "needed")


def _judged(one: LookedUp, words: Words) -> Iterator[str]:
    """A memory or a pool that was seen, beside what is to be expected."""
    for row in one.shown.get("figures", []):
        if isinstance(row, Mapping) and row.get("name") in FIGURES and row.get("expected") and row.get("verdict"):
            name = f"{row['verdict']}_{row['name']}"
            if words.knows(name):
                yield words.say(name, seen=row["seen"], expected=row["expected"])
            return


def _fits(of: Taken | None, words: Words, *, plain: bool = False) -> Iterator[str]:
    """Whether the card holds it as it was set."""
    if of is None:
        return
    if of.fits is None or not of.cards:
        yield words.say("needs", model=of.model, needed=of.needed)
    else:
        name = "short" if not of.fits else "holds" if plain else "should_fit" if of.surely else "tight"
        yield words.say(name, model=of.model, needed=of.needed, high=of.high, usable=of.usable, cards=of.cards)


def _largest(of: Taken | None, words: Words) -> list[str]:
    """What the largest part is and what makes it smaller, where nothing else explains it."""
    if of is None or of.fits is not False or not words.knows(f"less_{of.largest}"):
        return []
    return [words.say("largest", name=words.say(f"part_{of.largest}"), less=words.say(f"less_{of.largest}"))]


def _taken_on(setup: Setup, asked: Mapping[str, Any], words: Words) -> Iterator[str]:
    """What was taken for granted, or comes on top."""
    if asked.get("sharding") and not setup.every("sharding"):
        yield words.say("as_sharded")
    if str(asked.get("task", "")).startswith("grpo"):
        yield words.say("generates")


def _without_plans(setup: Setup, ask: Ask) -> tuple[Setup, list[Known]]:
    """The setup as it is, and each change of the work that is thought of; what is to be switched on is off as it is."""
    work = setup.work
    if ask.ask not in ("improve", "why") or work is None:
        return setup, []
    plans = [one for one in work.known if one.slot in PLANNED and one.stance in ("plan", "proposed")]
    off = [one.model_copy(update={"value": "none", "stance": "have"}) for one in plans if one.slot == "checkpointing"]
    kept = tuple(one for one in work.known if one not in plans)
    return setup._replace(work=work.model_copy(update={"known": (*kept, *off)})), plans


def _planned(
    setup: Setup, plan: Known, situation: Situation, ask: Ask, of: Taken | None, calls: Calls, words: Words
) -> Iterator[str]:
    """What a change that is thought of would come to, beside the same without it."""
    if setup.work is None or of is None:
        return
    known = tuple(one for one in setup.work.known if one.slot != plan.slot or one.slot in ("setting", "method"))
    changed = setup._replace(work=setup.work.model_copy(update={"known": (*known, plan)}))
    after = calls.call("explain", explaining(changed.failing, situation, ask))
    then = None if after.failed else taken(after, words)
    if then is None:
        return
    change = f"“{plan.quote}”"
    if then.tokens and of.tokens and then.tokens != of.tokens:
        yield words.say("planned_pool", change=change, before=of.tokens, after=then.tokens)
    elif then.needed != of.needed:
        yield words.say("planned", change=change, before=of.needed, after=then.needed, usable=then.usable or "–")
    else:
        yield words.say("planned_not", change=change, needed=of.needed)


def _others(setup: Setup, situation: Situation, ask: Ask, calls: Calls, words: Words) -> Iterator[str]:
    """Figures that were seen in another case, each judged by itself."""
    failing = {one.case for slot in ("error", "symptom") for one in setup.every(slot) if one.case}
    cases = {one.case for one in setup.every("memory", "seen") if one.case} - failing
    for case in sorted(one for one in cases if one):
        one = calls.call("explain", explaining(setup.of_case(case), situation))
        if not one.failed:
            yield from _judged(one, words)


TOPIC = Topic("memory_short", Path(__file__).parent, ("why", "normal", "improve", "needed", "explain"), applies, answer)

"""Memory that ran out, is short or is more than thought: what takes it, the likeliest cause, and what would fit."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from assistant.reading.annotation import Ask
from assistant.reading.situation import Situation
from assistant.topics.topic import Calls, SectionTold, Topic
from assistant.writing.setups import Setup, setups
from assistant.writing.trouble.asked import explaining
from assistant.writing.trouble.causes import causes_of, in_words, result_of, told_causes
from assistant.writing.trouble.own import own_parts, own_pool
from assistant.writing.trouble.taken import Taken, taken, told_taken
from assistant.writing.trouble.would_fit import would_fit
from assistant.writing.words import Words
from tools.agent_tools.ledger import LookedUp

CAUSES_MAX = 2
ASKED = frozenset({"memory", "context", "batch", "resolution", None})
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
    return ask.quantity is not None or bool(found[0].every("error"))


def answer(ask: Ask, situation: Situation, calls: Calls, words: Words) -> SectionTold | None:
    """What it takes beside what there is; the cause that explains most; and what fits."""
    setup = setups(situation, ask)[0]
    asked = explaining(setup.failing, situation, ask)
    one = calls.call("explain", asked)
    if one.failed or (ask.quantity is None and (result_of(one).get("error_read") or {}).get("kind") not in OF_MEMORY):
        return None
    of, causes = taken(one, words), causes_of(one, CAUSES_MAX)
    leads = [*own_parts(situation, calls, words), *_judged(one, words), *_fits(of, words)][:1]
    leads += [words.say("likely", name=in_words(causes[0]["name"], words))] if causes else _largest(of, words)
    if not leads:
        return None
    way = would_fit(setup.failing, situation, calls, words) if setup.work and _wanted(ask, of) else []
    changed = [*_planned(setup, situation, ask, of, calls, words)]
    first: list[str] = []
    if ask.ask in ("improve", "needed") and (changed or way):
        first, leads, way = [" ".join(leads)], changed or way[:1], way[0 if changed else 1 :]
    lines = [
        *first,
        *own_pool(situation, asked, of, calls, words),
        *(told_taken(of, words) if of else ()),
        *_taken_on(setup, asked, words),
    ]
    return SectionTold(
        " ".join(leads),
        (*lines, *told_causes(causes, words), *_others(setup, situation, ask, calls, words), *way),
        "diagnosis",
    )


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


def _fits(of: Taken | None, words: Words) -> Iterator[str]:
    """Whether the card holds it as it was set."""
    if of is None:
        return
    if of.fits is None or not of.cards:
        yield words.say("needs", model=of.model, needed=of.needed)
    else:
        name = "should_fit" if of.fits else "short"
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


def _planned(
    setup: Setup, situation: Situation, ask: Ask, of: Taken | None, calls: Calls, words: Words
) -> Iterator[str]:
    """What a change that the person thinks of would come to, beside the same without it."""
    work = setup.work
    if ask.ask not in ("improve", "why") or work is None or of is None:
        return
    plans = [one for one in work.known if one.slot in PLANNED and one.stance in ("plan", "proposed")]
    if not plans:
        return
    kept = tuple(one for one in work.known if one not in plans)
    before = calls.call(
        "explain", explaining(setup._replace(work=work.model_copy(update={"known": kept})), situation, ask)
    )
    then = None if before.failed else taken(before, words)
    if then is None:
        return
    change = words.listed(list(dict.fromkeys(f"“{one.quote}”" for one in plans)))
    if then.tokens and of.tokens and then.tokens != of.tokens:
        yield words.say("planned_pool", change=change, before=then.tokens, after=of.tokens)
    elif then.needed != of.needed:
        yield words.say("planned", change=change, before=then.needed, after=of.needed, usable=of.usable or "–")
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


TOPIC = Topic("memory_short", Path(__file__).parent, ("why", "normal", "improve", "needed"), applies, answer)

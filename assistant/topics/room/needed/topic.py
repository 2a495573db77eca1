"""Whether a part, a larger memory, a link or more of something is needed: by what goes without it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from assistant.answer import AnswerVerdict
from assistant.reading.annotation import Ask
from assistant.reading.situation import Known, Situation, Thing
from assistant.topics.topic import Calls, SectionTold, Topic
from assistant.writing.accounts.run import called, tightly
from assistant.writing.accounts.run import lead as run_lead
from assistant.writing.accounts.sentences import memory, whole
from assistant.writing.accounts.train import lead as train_lead
from assistant.writing.accounts.train import plain_of
from assistant.writing.arguments import cards_of, running, training
from assistant.writing.setups import Setup, setups
from assistant.writing.ways import told_speed, verdict, ways
from assistant.writing.words import Words
from tools.agent_tools.ledger import LookedUp

LINKS = frozenset({"link", "accessory", "slots"})
HOST = frozenset({"host_memory", "memory_channels"})
SLOW_LINK, FAST_LINK = "PCIe 4.0 x16", "nvlink"
TELLING = 1.2
"""Ratio of two speeds from which on a link is worth having."""
ROOMY = 1.2
ROOM = frozenset({"memory", "cards", "nodes", "context", "users", "batch", "model_size", "all", None})


def applies(ask: Ask, situation: Situation) -> bool:
    """A work on cards whose part, memory or link is in question."""
    found = [one for one in setups(situation, ask) if one.work is not None and one.machines]
    return bool(found) and (ask.quantity in ROOM or ask.quantity in ("links", "speed", "throughput", "duration"))


def answer(ask: Ask, situation: Situation, calls: Calls, words: Words) -> SectionTold | None:
    """Whether it goes without, what it brings, and what does instead."""
    matter = _matter(ask, situation)
    base, more = _sides(ask, situation)
    if base is None:
        return None
    if matter is not None and matter.slot in LINKS:
        return _link(base, situation, matter, calls, words)
    if matter is not None and matter.slot in HOST:
        return _host(base, situation, calls, words)
    return _memory(base, more, situation, calls, words)


def _matter(ask: Ask, situation: Situation) -> Known | None:
    """What stands in the asking clause, or is thought of besides."""
    every = [one for thing in situation.things for one in thing.known] + list(situation.known)
    now = [one for one in every if one.turn == situation.turn and one.slot in LINKS | HOST]
    end = ask.start + len(ask.quote)
    inside = [one for one in now if ask.start <= one.start < end]
    thought = [one for one in now if one.stance in ("plan", "proposed", "mentioned")]
    return next(iter(inside or (thought if ask.quantity in ("links", None) else [])), None)


def _sides(ask: Ask, situation: Situation) -> tuple[Setup | None, Setup | None]:
    """What is there, and what would come in its place."""
    found = [one for one in setups(situation, ask) if one.work is not None and one.machines]
    there = [one for one in found if any(_is_there(thing) for thing in one.machines)]
    other = [one for one in found if one not in there]
    if not there and other:
        owned = tuple(one for one in situation.hardware() if _is_there(one))
        if owned:
            return Setup(other[0].work, owned[-1:]), other[0]
    base = next(iter(there or found), None)
    return base, next((one for one in other if one is not base), None)


def _is_there(thing: Thing) -> bool:
    return any(one.stance == "have" for slot in ("cards", "card_memory") for one in thing.all(slot))


def _tried(setup: Setup, situation: Situation, calls: Calls, **more: Any) -> LookedUp:
    if setup.trains:
        return calls.call("find_ways_to_train", {**training(setup, situation), **more})
    return calls.call("find_ways_to_run", {**running(setup, situation), **more})


def _lead(one: LookedUp, setup: Setup, words: Words) -> str:
    return train_lead(one, words) if setup.trains else run_lead(one, words)


def _memory(base: Setup, more: Setup | None, situation: Situation, calls: Calls, words: Words) -> SectionTold | None:
    """Whether what is there holds it as asked; else whether the larger one does, and what does on the smaller."""
    one = _tried(base, situation, calls)
    if one.failed:
        return None
    enough = _as_asked(one, base)
    lines = [_lead(one, base, words)]
    name = "not_needed" if enough else "not_strictly" if verdict(one) != "does_not_fit" else "is_needed"
    if enough and not base.trains and list(tightly(one, words)):
        name = "not_needed_tight"
    if name == "not_strictly" and more is None:
        name = "not_strictly_alone"
    other_cards = called((cards_of(more) if more else None) or "", words) or words.say("larger")
    fields = {"cards": called(cards_of(base) or "", words), "other": other_cards}
    if more is not None:
        other = _tried(more, situation, calls)
        if not other.failed and name == "not_strictly" and _as_asked(other, more):
            name = "not_strictly_but"
        if not other.failed:
            lines.append(words.say("instead", said=_lead(other, more, words)))
    if not base.trains:
        lines += list(_close(one, words))
    kind: AnswerVerdict = (
        "fits" if enough else "fits_with_changes" if name.startswith("not_strictly") else "does_not_fit"
    )
    return SectionTold(words.say(name, **fields), tuple(lines), kind)


def _as_asked(one: LookedUp, setup: Setup) -> bool:
    """Whether it fits without a change: of a training as it is usually done."""
    plain = plain_of(one) if setup.trains else None
    return verdict(one) == "fits" if plain is None else plain["fits"] != "no"


def _close(one: LookedUp, words: Words) -> Iterator[str]:
    """How much room is left, where it is little."""
    best = ways(one, words)
    if best:
        yield " ".join(told_speed(best[0], words))
        held = whole(one)["ways"][0]["memory"]
        spare = held["usable_bytes_per_gpu"] - held["needed_bytes_per_gpu"]
        if held["surety"] == "tight" or spare < held["usable_bytes_per_gpu"] * 0.05:
            yield words.say("tight", needed=memory(held["needed_bytes_per_gpu"]),
                            usable=memory(held["usable_bytes_per_gpu"]),
                            most=best[0].fields["max_sequences"] or "1")  # fmt: skip


def _link(base: Setup, situation: Situation, matter: Known, calls: Calls, words: Words) -> SectionTold | None:
    """What a fast link brings over a slot, at that work."""
    slow = _tried(base, situation, calls, link=SLOW_LINK)
    fast = _tried(base, situation, calls, link=FAST_LINK)
    if slow.failed:
        return None
    before, then = _speed(slow), _speed(fast)
    lines = [_lead(slow, base, words)]
    if not before or not then or verdict(slow) == "does_not_fit":
        return SectionTold(words.say("link_room", what=matter.quote), tuple(lines), "fact")
    ratio = then["value"] / before["value"]
    name = "link_helps" if ratio >= TELLING else "link_hardly"
    lead = words.say(name, what=matter.quote, before=_told(before), then=_told(then))
    return SectionTold(lead, (words.say("link_note"), *lines), "fact")


def _speed(one: LookedUp) -> dict[str, float] | None:
    rows = whole(one).get("ways", [])
    speed = (rows[0].get("speed") or {}) if rows else {}
    found = speed.get("tokens_per_s_per_user") or speed.get("tokens_per_s") or speed.get("samples_per_s")
    return found if isinstance(found, dict) else None


def _told(found: dict[str, float]) -> str:
    return f"{found['value']:,.0f} tokens/s" if found["value"] >= 100 else f"{found['value']:.3g} tokens/s"


def _host(base: Setup, situation: Situation, calls: Calls, words: Words) -> SectionTold | None:
    """How much memory of the host the work takes: for what is offloaded, else for loading it."""
    one = _tried(base, situation, calls)
    host: dict[str, Any] = next((row for row in whole(one).get("binds", []) if row.get("what") == "host_memory"), {})
    if not one.failed and host.get("needed") and not whole(one).get("ways"):
        said = words.say("host_needed", host=memory(host["needed"]), usable=memory(host["available"]))
        return SectionTold(said, (_lead(one, base, words),), "does_not_fit")
    if one.failed or not whole(one).get("ways"):
        return None if one.failed else SectionTold(_lead(one, base, words), (), "does_not_fit")
    held = whole(one)["ways"][0]["memory"]
    away, weights = held.get("host_bytes") or 0, held.get("weights_bytes") or 0
    if away:
        lead = words.say("host_offloaded", host=memory(away))
    elif weights:
        lead = words.say("host_loading", weights=memory(weights))
    else:
        lead = words.say("host_plain")
    stated = held.get("host_usable_bytes")
    lines = []
    if stated:
        lines.append(words.say("host_has" if stated >= away * ROOMY else "host_short", usable=memory(stated)))
    return SectionTold(lead, (*lines, _lead(one, base, words)), "estimate")


TOPIC = Topic("needed", Path(__file__).parent, ("needed",), applies, answer)

"""Memory that ran out or is short: what it needs beside what there is, what takes it, and what would help."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from assistant.reading.annotation import Ask
from assistant.reading.situation import Situation
from assistant.topics.topic import Calls, SectionTold, Topic
from assistant.writing.arguments import explaining, running, training
from assistant.writing.setups import Setup, setups
from assistant.writing.training import best_way, conditions
from assistant.writing.ways import assumed_card, model_name, plain_way, verdict, ways
from assistant.writing.words import Words
from tools.agent_tools.ledger import LookedUp

CHANGES_MAX, CAUSES_MAX = 3, 2
ASKED = frozenset({"memory", "context", "batch", "resolution", None})


def applies(ask: Ask, situation: Situation) -> bool:
    """A work on cards; something seen of it is for who tells normal from not."""
    found = setups(situation, ask)
    if not found or found[0].work is None or not found[0].machines or ask.quantity not in ASKED:
        return False
    return ask.quantity is not None or bool(found[0].every("error"))


def answer(ask: Ask, situation: Situation, calls: Calls, words: Words) -> SectionTold | None:
    """Whether it can fit at all; then what is likely, and the changes that help, each with its figure."""
    setup = setups(situation, ask)[0]
    trains = setup.trains
    asked = training(setup, situation) if trains else running(setup, situation)
    one = calls.call("find_ways_to_train" if trains else "find_ways_to_run", dict(asked))
    if one.failed:
        return None
    lead = _trained(one, words) if trains else _run(one, words)
    if lead is None:
        return None
    causes = list(_causes(setup, situation, calls, words))
    taken = assumed_card(one, str(one.shown.get("answer", {}).get("cards", "")), words)
    return SectionTold(lead, (*taken, *_changes(one, words), *causes), "diagnosis")


def _run(one: LookedUp, words: Words) -> str | None:
    best, plain = ways(one, words), plain_way(one, words)
    if plain is not None:
        return words.say("plain", model=model_name(one), cards=one.request.get("cards", ""), **plain)
    least = _least(one)
    if not best and least is not None:
        return words.say("short", model=model_name(one), cards=one.request.get("cards", ""), **least)
    if best and verdict(one) == "fits":
        return words.say("fits", **best[0].fields)
    bind = _bind(one)
    if bind is None:
        return words.say("fits_changed", **best[0].fields) if best else None
    return words.say("short", model=model_name(one), cards=one.request.get("cards", ""), **bind)


def _least(one: LookedUp) -> dict[str, str] | None:
    """The way that needs least, of a work that generates no text and does not fit."""
    rows = [row for row in one.shown.get("ways", []) if isinstance(row, Mapping) and row.get("fit") == "no"]
    return {"needed": str(rows[-1]["needed"]), "available": str(rows[-1]["usable"])} if rows else None


def _trained(one: LookedUp, words: Words) -> str | None:
    fields, told = best_way(one, words), one.shown.get("answer", {})
    if fields is not None and told.get("verdict") in ("fits", "fits_with_changes"):
        unusual = words.listed(conditions(one, words))
        return words.say("trains_so" if unusual else "trains", unusual=unusual, **fields)
    needed, usable = told.get("needed_per_gpu"), told.get("usable_per_gpu")
    if not needed or not usable:
        return None
    return words.say(
        "short_card", model=model_name(one), cards=one.request.get("cards", ""), needed=needed, usable=usable
    )


def _bind(one: LookedUp) -> dict[str, str] | None:
    """What is needed and what is there, where memory binds."""
    for bind in one.worked[-1].result.get("binds", []) if one.worked else []:
        if bind.get("unit") == "bytes" and bind.get("needed") and bind.get("available"):
            return {name: f"{bind[name] / 2**30:,.1f} GiB" for name in ("needed", "available")}
    return None


def _changes(one: LookedUp, words: Words) -> Iterator[str]:
    """What would help; results say it in English."""
    rows = [row for row in one.shown.get("changes", []) if isinstance(row, Mapping)][:CHANGES_MAX]
    if rows and words.language == "en":
        yield "\n".join([words.say("helps"), *(f"- {row['change']}: {row['effect'].rstrip('.')}." for row in rows)])


def _causes(setup: Setup, situation: Situation, calls: Calls, words: Words) -> Iterator[str]:
    """What an error or symptom says of the cause."""
    asked: dict[str, Any] = explaining(setup, situation)
    if not asked.keys() & {"error_text", "seen"}:
        return
    one = calls.call("explain", asked)
    if one.failed or not one.worked:
        return
    for cause in one.worked[-1].result.get("causes", [])[:CAUSES_MAX]:
        if cause.get("id") != "oom_unknown":
            name, fix = (_in(cause[key], words) for key in ("name", "fix"))
            yield words.say("cause", name=name, fix=fix)


def _in(said: Any, words: Words) -> str:
    return str(said[words.language]) if isinstance(said, Mapping) else str(said)


TOPIC = Topic("memory_short", Path(__file__).parent, ("why", "improve", "needed"), applies, answer)

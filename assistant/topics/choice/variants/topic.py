"""One machine, one model, and two ways to go about it: methods, engines or formats held against each other."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from assistant.reading.annotation import Ask
from assistant.reading.situation import Situation
from assistant.topics.topic import Calls, SectionTold, Topic
from assistant.writing.arguments import OLLAMA, SERVES, running, training
from assistant.writing.setups import THOUGHT_OF, Setup, setups, works_of
from assistant.writing.training import best_way
from assistant.writing.ways import model_name, ways
from assistant.writing.words import Words

ASKS = ("compare", "worth", "improve")
SHAPES = (("method", "method"), ("engine", "engine"), ("format", "weight_format"))
"""Slot in which the variants differ → argument."""
VARIANTS_MAX = 3


class _Variant(NamedTuple):
    """One way to go about it."""

    name: str
    figures: str
    time: str
    """Where the time of it stands, as calculations refer to it; empty = none."""
    seconds: float = 0.0


def applies(ask: Ask, situation: Situation) -> bool:
    """One machine, and a slot in which the works that are asked about have two values."""
    found = [one for one in setups(situation, ask) if one.work is not None and one.machines]
    return bool(found) and _differing(found, situation, ask) is not None


def answer(ask: Ask, situation: Situation, calls: Calls, words: Words) -> SectionTold | None:
    """Each with its figures, in one sentence for the first two, and the ratio of their times."""
    found = [one for one in setups(situation, ask) if one.work is not None and one.machines]
    differing = _differing(found, situation, ask)
    if differing is None:
        return None
    _, name, values = differing
    told = [one for value in values if (one := _variant(found[0], situation, name, value, calls, words)) is not None]
    if len(told) < 2:
        return None
    lead = words.say("against", first=told[0].name, figures=told[0].figures, second=told[1].name,
                     others=told[1].figures, model=_model(found[0], situation, calls))  # fmt: skip
    lines = [words.say("also", name=one.name, figures=one.figures) for one in told[2:]]
    return SectionTold(lead, (*_ratio(told, calls, words), *lines), "comparison")


def _differing(found: Sequence[Setup], situation: Situation, ask: Ask) -> tuple[str, str, list[str]] | None:
    """(slot, argument, values) of the first slot in which two values stand."""
    machines = {tuple(thing.id for thing in one.machines) for one in found}
    if len(machines) > 1:
        return None
    for slot, name in SHAPES:
        known = [one for work in works_of(situation, ask) for one in work.all(slot) if one.stance in THOUGHT_OF]
        values = list(dict.fromkeys(str(one.value) for one in known if one.value))
        if slot == "engine":
            values = [OLLAMA.get(one, one) for one in values if one in SERVES]
        if len(values) > 1 and (slot != "method" or {"full", "lora", "qlora"} & set(values)):
            return slot, name, values[:VARIANTS_MAX]
    return None


def _variant(setup: Setup, situation: Situation, name: str, value: str, calls: Calls, words: Words) -> _Variant | None:
    """A variant worked out: memory, speed, and the time where data were told."""
    if setup.trains:
        one = calls.call("find_ways_to_train", {**training(setup, situation), name: value})
        told = best_way(one, words) if not one.failed else None
        if told is None:
            return None if one.failed else _Variant(value, words.say("variant_fails"), "")
        time = f"{one.key}.ways[0].speed.time" if told["time"] else ""
        taken = (one.worked[-1].result["ways"][0].get("speed") or {}).get("time_s") or {}
        kind = "variant_time" if told["time"] else "variant_rate"
        return _Variant(words.say(f"method_{value}") if words.knows(f"method_{value}") else value,
                        words.say(kind, **told), time, float(taken.get("value") or 0.0))  # fmt: skip
    asked = running(setup, situation)
    if name == "engine" and value == "llama.cpp":
        asked.pop("parallel", None)  # a layout in ranks is none of its own
    one = calls.call("find_ways_to_run", {**asked, name: value})
    best = ways(one, words)
    if one.failed or not best:
        return None if one.failed else _Variant(value, words.say("variant_fails"), "")
    return _Variant(value, words.say("variant_run", **best[0].fields), "")


def _ratio(told: Sequence[_Variant], calls: Calls, words: Words) -> list[str]:
    """How many times as long the longer takes."""
    first, second = sorted(told[:2], key=lambda one: -one.seconds)
    if not first.time or not second.time:
        return []
    values = {"first": first.time, "second": second.time}
    one = calls.call("work_out", {"expression": "first / second", "values": values, "unit": "ratio"})
    if one.failed:
        return []
    return [words.say("longer", first=first.name, second=second.name, ratio=str(one.shown["value"]).split(" (")[0])]


def _model(setup: Setup, situation: Situation, calls: Calls) -> str:
    tool = "find_ways_to_train" if setup.trains else "find_ways_to_run"
    return model_name(calls.call(tool, dict((training if setup.trains else running)(setup, situation))))


TOPIC = Topic("variants", Path(__file__).parent, ASKS, applies, answer)

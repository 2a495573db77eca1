"""Whether something is done by the time that was set for it."""

import re
from typing import Any

from assistant.compose import numbers
from assistant.compose.material import Material
from assistant.understand.until import find_until
from assistant.understand.usage import NIGHT_H
from assistant.understand.worded import NIGHTLY
from kb.units import HOUR_S

_UNITS = "个?小时|h(?:ou)?rs?\\b|hours?|天|日|days?|个?星期|周|weeks?|个?月|months?"
"""What a time is counted in, behind its figure."""


def by_then(material: Material, taken: dict[str, Any] | None) -> str:
    """Whether what takes so long, with its interval, is within the time that was set; empty where none was."""
    nightly = NIGHT_H * HOUR_S if NIGHTLY.search(material.text) else None
    within = material.need.deadline_s or nightly
    if not taken or not within:
        return ""
    doubtful = "hardly" if taken["low"] <= within else "late"
    key = "surely" if taken["high"] <= within else "likely" if taken["value"] <= within else doubtful
    gap = "" if material.say.language == "zh" else " "
    return material.say(f"run.{key}", allowed=as_set(material, within)) + gap


def stated(material: Material, seconds: float) -> str:
    """A time that was set, as it is said: "3 days"."""
    figure, unit = numbers.duration(seconds)
    return f"{figure.removesuffix('.0')} {material.say(f'unit.{unit}')}"


def as_set(material: Material, seconds: float) -> str:
    """The time that was set, in its figure where that was said: "two weeks" are no "14 days" of the asker's.

    Of words without one, "overnight", the hours that were taken for them are told.
    """
    told = stated(material, seconds)
    words, nightly = find_until(material.text), NIGHTLY.search(material.text)
    span = (words.start, words.end) if words and words.value == seconds else None
    if nightly and seconds == NIGHT_H * HOUR_S:
        span = nightly.span()
    if span is not None:
        said = material.understanding.text[slice(*span)]
        return material.say("run.time_taken", words=said.strip(), time=told)
    figure = re.search(rf"(?<![\d.]){re.escape(told.split()[0])}(?![\d.]*\d)\s?-?(?:{_UNITS})", material.text, re.I)
    return told if figure else material.say("run.time_set")

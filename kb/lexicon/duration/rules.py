"""Lengths of time as people write them: 2h30m · 6 weeks · 1:30:00 · 半年 · 两个半小时 · a day and a half."""

import re
from functools import lru_cache
from itertools import pairwise

from kb.base import BadInput
from kb.lexicon.count.rules import Number, numbers
from kb.lexicon.text import grammar, plain
from kb.lexicon.words import any_of, meaning, vocabulary

LONGEST_S = 3.2e9
"""A century: longer is no length of work."""
_CLOCK = grammar(r"(?<![\d:.])(\d{1,3}):([0-5]\d)(?::([0-5]\d))?(?![\d:])")
_HALF_HAN = grammar(r"(?<!个)半(?=个|小时|钟头|天|日|年|月|周|星期|分钟|秒|季)")
_BETWEEN = grammar(r"(?: |,|and|零|又|加|\+){0,5}")


def read_duration(text: str, field: str = "duration") -> float:
    """The length of time that `text` says, in seconds; of a range, its upper end.

    Raises:
        BadInput: it says none, or several that are no parts of one.
    """
    words = plain(text)
    if clock := _CLOCK.search(words):
        hours, minutes, seconds = clock[1], clock[2], clock[3]
        # 1:30:00 has hours; of two figures the first are minutes, as a progress bar writes them.
        return int(hours) * 3600 + int(minutes) * 60 + int(seconds) if seconds else int(hours) * 60 + int(minutes)
    if alone := _alone().search(words):
        return float(meaning("duration", "alone", alone[0]))
    parts = list(_parts(_HALF_HAN.sub("0.5", words)))
    total = _sum(parts, words) if parts else None
    if total is None:
        reason = "holds several lengths of time" if parts else "is no length of time"
        raise BadInput(
            field, f"“{text[:60]}” {reason}.", 'Give a number and a unit, e.g. "6 weeks", "2h30m", 「三天」.'
        )
    if not 0 < total <= LONGEST_S:
        raise BadInput(field, f"“{text[:60]}” is {total:g} s.", "Give more than 0 s and at most a century.")
    return total


@lru_cache(maxsize=1)
def _alone() -> re.Pattern[str]:
    return grammar(any_of(vocabulary("duration", "alone")))


def _sum(parts: list[tuple[float, float, bool]], words: str) -> float | None:
    """The sum of parts that follow one another, each of a smaller unit; None where they do not."""
    for (_, unit, _), (_, smaller, joined) in pairwise(parts):
        if not joined or smaller >= unit:
            return None
    return float(f"{sum(value * unit for value, unit, _ in parts):.12g}")


def _parts(words: str) -> list[tuple[float, float, bool]]:
    """(number, seconds of its unit, whether nothing but a joint parts it from the one before)."""
    found: list[tuple[float, float, bool]] = []
    end = -1
    for one in numbers(words, letters="", loose=True):
        unit = _unit().match(words, one.end)
        joined = end >= 0 and _BETWEEN.fullmatch(words, end, one.start) is not None
        if unit is None:
            if joined and found[-1][1] == 3600 and re.fullmatch(r"\d{1,2}", words[one.start :].strip()):
                found.append((one.value, 60, True))  # 2h30
            continue
        value, seconds = _with_half(one, unit), meaning("duration", "units", unit["unit"])
        found.append((value, seconds, joined))
        end = unit.end()
    return found


def _with_half(one: Number, unit: re.Match[str]) -> float:
    """「两个半小时」, 「一年半」, "a year and a half"."""
    return one.value + (0.5 if unit["half"] or unit["after"] else 0.0)


@lru_cache(maxsize=1)
def _unit() -> re.Pattern[str]:
    units = any_of(vocabulary("duration", "units"))
    return grammar(
        rf"[ -]?(?P<half>个?半)?(?:of )?(?:an? )?(?P<unit>{units})(?!/)"
        r"(?P<after>(?: and)? a half|半(?!个|小时|天|年|月))?"
    )

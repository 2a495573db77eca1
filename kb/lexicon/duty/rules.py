"""How much of the time something works: 24/7 · 55 % · 8h a day, 5 days a week · 每天8小时 · 24小时满载."""

import re
from functools import lru_cache

from kb.base import BadInput, Frozen
from kb.lexicon.count.rules import Number, numbers
from kb.lexicon.share.rules import read_share
from kb.lexicon.text import grammar, plain
from kb.lexicon.words import any_of, meaning, vocabulary

HOURS_PER_DAY = 24.0
WEEK_DAYS = 7.0


class Duty(Frozen):
    """A working time."""

    hours_per_day: float | None = None
    """Mean hours a day, over all days of a year; null where only a share is said."""
    share: float | None = None
    """Share of the time that it works; null where only hours are said."""
    full_load: bool = False
    """Whether it is said to be fully loaded meanwhile."""


def read_duty(text: str, field: str = "duty") -> Duty:
    """The working time that `text` says. Hours without a period are those of a day, where a day has so many.

    Raises:
        BadInput: there is none, or more than there is time for.
    """
    words = plain(text)
    loaded = _of("full").search(words) is not None
    if _of("always").search(words):
        return Duty(hours_per_day=HOURS_PER_DAY, share=_share(words), full_load=loaded)
    hours, days = _hours(words, text, field), _days(words)
    if hours is not None:
        daily = hours if days is None else hours * days / WEEK_DAYS
        if not 0 < daily <= HOURS_PER_DAY:
            raise BadInput(field, f"“{text[:60]}” is {daily:g} hours a day.", "Give more than 0 and at most 24.")
        return Duty(hours_per_day=daily, share=_share(words), full_load=loaded)
    if days is None and (share := _share(words)) is not None:
        return Duty(share=share, full_load=loaded)
    raise BadInput(field, f"“{text[:60]}” says no working time.", 'Give e.g. "8 h a day", "24/7", "55 %".')


def _share(words: str) -> float | None:
    try:
        share = read_share(words, signed=True)
    except BadInput:
        return None
    return share or None


def _hours(words: str, text: str, field: str) -> float | None:
    """Hours of a day that is worked, or of a mean one; null where no hours are said."""
    for one in numbers(words, letters="", articles=False, loose=True):
        unit = _of("hours").match(words, _skipped(words, one))
        if unit is None:
            continue
        after = _per().match(words, unit.end())
        before = _of("each").search(words[: one.start])
        said = (
            meaning("duty", "per", after["unit"]) if after else meaning("duty", "each", before[0]) if before else None
        )
        if said is None and one.value > HOURS_PER_DAY:
            raise BadInput(field, f"“{text[:60]}” does not say of what time.", 'Give e.g. "300 h a month".')
        return one.value / (said or 1.0)
    return None


def _days(words: str) -> float | None:
    """Days of a week that are worked."""
    for one in numbers(words, letters="", articles=False, loose=True):
        if _of("days").match(words, _skipped(words, one)) and 1 < one.value <= WEEK_DAYS:
            return one.value
    found = _of("weekdays").search(words)
    return meaning("duty", "weekdays", found[0]) if found else None


def _skipped(words: str, one: Number) -> int:
    return one.end + (words[one.end : one.end + 1] in {" ", "-"})


@lru_cache(maxsize=8)
def _of(kind: str) -> re.Pattern[str]:
    return grammar(any_of(vocabulary("duty", kind)))


@lru_cache(maxsize=1)
def _per() -> re.Pattern[str]:
    return grammar(rf"(?: |/|per|an?|each|every|of work|use|in)*(?P<unit>{any_of(vocabulary('duty', 'per'))})")

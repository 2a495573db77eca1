"""Amounts of a month, where they are said of another time: "2M/day", 「每天200万」."""

import re

from kb.units import HOURS_PER_MONTH
from tools.agent_tools import reading

SPANS = (
    (r"s|secs?|seconds?|秒", 1 / 3600), (r"min|mins?|minutes?|分钟?", 1 / 60), (r"h|hrs?|hours?|小?时", 1.0),
    (r"d|days?|天|日", 24.0), (r"w|wks?|weeks?|周|星期", 168.0), (r"y|yrs?|years?|年", 12 * HOURS_PER_MONTH),
    (r"mo|mths?|months?|月", HOURS_PER_MONTH),
)  # fmt: skip
"""Words for a time → its hours."""
ADVERBS = {
    "hourly": 1.0, "daily": 24.0, "日均": 24.0, "weekly": 168.0, "monthly": HOURS_PER_MONTH, "月均": HOURS_PER_MONTH,
}  # fmt: skip
"""Words that are said of a time by themselves → its hours."""
_EVERY = [
    (re.compile(rf"(?:/\s*|\b(?:per|an?|each|every)\s+|每个?\s*)(?:{words})(?![a-z])", re.I), hours)
    for words, hours in SPANS
]  # fmt: skip


def of_month(text: str | None, field: str, beside: str | None = None) -> float | None:
    """How many a month brings, by mean months of 730 hours; what is said of no time is said of a month.

        a month = amount · hours of a month / hours of the time

    A time that `beside` names, where the text has none, is meant for both: "3M in, 1M out per day".

    Raises:
        BadInput: no number, or several.
    """
    if text is None:
        return None
    amount, hours = _parted(text)
    hours = hours or _parted(beside or "")[1] or HOURS_PER_MONTH
    counted = reading.number(amount, field)
    return None if counted is None else counted * HOURS_PER_MONTH / hours


def _parted(text: str) -> tuple[str, float | None]:
    """The text without the time that it names, and the hours of that."""
    for pattern, hours in _EVERY:
        if found := pattern.search(text):
            return f"{text[: found.start()]} {text[found.end() :]}".strip(), hours
    for word, hours in ADVERBS.items():
        if word in text.lower():
            return re.sub(word, " ", text, flags=re.I).strip(), hours
    return text, None

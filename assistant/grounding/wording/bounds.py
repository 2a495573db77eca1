"""Round numbers that are told as bounds: "over 30,000", 「不到 9 万」."""

import re
from collections.abc import Sequence
from dataclasses import replace

from assistant.grounding.wording.quantities import PERCENT, PLAIN, Quantity

OVER = re.compile(r"(?:\b(?:over|above|more than|beyond|exceed(?:s|ing)?)\s|超过|超過|高于|多于|逾)\s?[~≈$¥]?\Z", re.I)
OVER_BEHIND = re.compile(r"\+|\s?(?:or more|and up|以上|多(?=[元块美，,。]))", re.I)
UNDER = re.compile(r"(?:\b(?:under|below|less than|within)\s|不到|不足|低于|少于)\s?[~≈$¥]?\Z", re.I)
UNDER_BEHIND = re.compile(r"\s?(?:or less|以内|以下)", re.I)
PLANNED = re.compile(
    r"(?:\b(?:plan|planning|budget|budgeting|allow|reserve|prepare|size|reckon|count)\s(?:it\s)?(?:on|for|with|around)?\s?"
    r"(?:about\s|the\s)?|\b(?:under|below|above|over|beyond)\s(?:about\s)?|超过|超過|高于|低于|不到)\s?[$¥~≈]?\Z",
    re.I,
)
PLANNED_BY, PLANNING = (
    re.compile(r"(?:按|以|照|拿)\s?[约$¥~≈]?\s?\Z"),
    re.compile(r"[^,，。;；\d]{0,6}(?:计划|計劃|规划|規劃|准备|準備|预算|預算|打算|安排|留|备|算)"),
)
"""Around an end of an interval that one is told to plan with, or that parts what may be from what may not."""
BOUND_RATIO = 0.05
"""Half of how far what is told as a bound may lie beyond it, where its number is a round one."""


def bounded(text: str, start: int, end: int, readings: Sequence[Quantity]) -> tuple[Quantity, ...]:
    """What a rounded number may mean that is told as a bound: "over 30,000" is 31,030, 「不到 9 万」 88,000."""
    above = OVER.search(text, max(0, start - 12), start) or OVER_BEHIND.match(text, end)
    below = UNDER.search(text, max(0, start - 12), start) or UNDER_BEHIND.match(text, end)
    if not (above or below):
        return tuple(readings)
    return tuple(
        replace(
            one,
            values=(one.values[0], one.values[0] * (1 + (BOUND_RATIO if above else -BOUND_RATIO)), one.values[-1]),
            tolerances=(one.tolerances[0], one.values[0] * BOUND_RATIO, one.tolerances[-1]),
        )
        if one.kind not in {PLAIN, PERCENT} and _rough(one)
        else one
        for one in readings
    )


def is_plan(text: str, start: int, end: int) -> bool:
    """Whether a figure is told as the end to plan with, or as a bound: 「按 50 分钟计划」, "above 612 hours"."""
    if PLANNED.search(text, max(0, start - 24), start):
        return True
    return PLANNED_BY.search(text, max(0, start - 4), start) is not None and PLANNING.match(text, end) is not None


def _rough(quantity: Quantity) -> bool:
    """Whether it is told in one digit, or in two of which the second is a five."""
    digits = f"{quantity.values[0]:.6g}".replace(".", "").split("e")[0].strip("0")
    return len(digits) == 1 or (len(digits) == 2 and digits[1] == "5")

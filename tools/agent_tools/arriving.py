"""Requests that come at a rate, where their number at once was not said: "5000/day"."""

import math
import re
from typing import Any

from kb.lexicon import read_rate
from kb.units import HOUR_S
from tools.agent_tools.desk import Desk

RATE = re.compile(
    r"(?:/|\b(?:per|an?|each|every)\b|每)\s*(?:s|sec|second|min|minute|h|hr|hour|day|秒|分|小?时|天|日)|\b[rq]ps\b",
    re.I,
)
"""What makes a number of requests one of so many in a time."""
BUSY_RATIO = 3.0
"""Requests of a busy hour over the mean of the day: an eighth of a day's come in it, as people work eight hours."""
RATE_TRIES = 4


def rate_said(*texts: str | None) -> str:
    """The first of these that says a rate; empty where none does."""
    return next((one for one in texts if one and RATE.search(one)), "")


def requests_per_s(text: str) -> float | None:
    """Requests a second at a busy moment; null where no rate was said.

    Raises:
        BadInput: the rate cannot be read.
    """
    if not text:
        return None
    return read_rate(text, "concurrent_sequences").per_s * (BUSY_RATIO if _daily(text) else 1.0)


def served(asked: dict[str, Any], rate: float, desk: Desk) -> tuple[dict[str, Any], int]:
    """The solver at as many requests under way as that rate brings: rate · time of a whole answer (Little's law)."""
    count, asked = 1, {**asked, "objective": asked.get("objective") or "most_users"}
    for _ in range(RATE_TRIES):
        result = desk.call("find_ways_to_run", {**asked, "concurrent_sequences": count})
        speed = (result.get("ways") or [{}])[0].get("speed") or {}
        needed = math.ceil(rate * ((speed.get("answer_s") or {}).get("value") or 0.0)) or 1
        if needed <= count or not speed or result["answer"]["verdict"] == "does_not_fit":
            break
        count = needed
    return result, count


def kept_up(result: dict[str, Any], rate: float, count: int, text: str) -> dict[str, Any]:
    """The rate that was asked against what the best way finishes."""
    way = (result.get("ways") or [{}])[0]
    most = ((way.get("speed") or {}).get("requests_per_hour") or {}).get("value")
    return {
        "asked": text,
        "busy_requests_per_hour": rate * HOUR_S,
        "under_way": count,
        "keeps_up": None if most is None else bool(most >= rate * HOUR_S * 0.99),
        "note": f"a busy hour is taken to bring {BUSY_RATIO:g} times the day's mean" if _daily(text) else None,
    }


def _daily(text: str) -> bool:
    return bool(re.search(r"day|天|日", text, re.I))

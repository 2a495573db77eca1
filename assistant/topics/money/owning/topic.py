"""Own or rent: what each costs a month and over the time, and where one overtakes the other."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from assistant.reading.annotation import Ask
from assistant.reading.situation import Situation
from assistant.topics.topic import Calls, SectionTold, Topic
from assistant.writing.arguments import cards_of
from assistant.writing.buying import owning
from assistant.writing.setups import Setup, setups
from assistant.writing.words import Words

CLOSE = 1.05
"""Two sums within this ratio come out even: no forecast of prices and use is finer."""
ASKS = ("buy_or_rent", "break_even", "cost")


def applies(ask: Ask, situation: Situation) -> bool:
    """Cards whose cost is asked; a training's cost is told with its time."""
    found = _machines(ask, situation)
    return bool(found) and (ask.ask != "cost" or not any(one.trains for one in found))


def answer(ask: Ask, situation: Situation, calls: Calls, words: Words) -> SectionTold | None:
    """Both sides in one sentence, then the parts and the break-even."""
    asked = owning(_machines(ask, situation), situation, words.language)
    one = calls.call("cost", {"what": "own_or_rent", **asked})
    own: dict[str, Any] = one.shown.get("own") or {}
    rent: dict[str, Any] = next(iter(one.shown.get("rent") or []), {})
    if one.failed or not one.worked or not own.get("monthly_cost"):
        return None
    result = one.worked[-1].result
    fields = {
        "cards": asked["cards"],
        "own": own["monthly_cost"],
        "total": own.get("total_cost", ""),
        "years": str(one.shown.get("years", "")),
        "rent": rent.get("monthly_cost", ""),
        "hourly": rent.get("gpu_hourly_cost", ""),
        "purchase": own.get("purchase_cost", ""),
    }
    lead = words.say(_cheaper(result) if fields["rent"] else "own_only", **fields)
    lines = [*_parts(own, words), *_break_even(one.shown.get("break_even") or {}, words)]
    return SectionTold(lead, tuple(lines), "estimate")


def _machines(ask: Ask, situation: Situation) -> list[Setup]:
    return [one for one in setups(situation, ask) if cards_of(one)]


def _cheaper(result: Mapping[str, Any]) -> str:
    """Which of the two costs less a month, told as such only where their ranges do not meet."""
    own = (result.get("own") or {}).get("monthly_cost") or {}
    rents = [row.get("monthly_cost") or {} for row in result.get("rent", [])][:1]
    if not rents or not own or not rents[0]:
        return "either"
    if own["high"] * CLOSE < rents[0]["low"]:
        return "buy"
    return "rent" if rents[0]["high"] * CLOSE < own["low"] else "either"


def _parts(own: Mapping[str, Any], words: Words) -> list[str]:
    rows = [
        words.say("part", name=words.say(f"part_{row['name']}"), cost=row["monthly_cost"])
        for row in own.get("parts", [])
        if isinstance(row, Mapping) and words.knows(f"part_{row['name']}") and _some(row.get("monthly_cost"))
    ]
    worth = own.get("resale_cost") if _some(own.get("resale_cost")) else None
    said = words.maybe("residual", residual=own.get("residual"), resale=worth)
    return [words.say("parts", parts=words.listed(rows)), *said] if rows else said


def _some(cost: Any) -> bool:
    """Whether a cost written out is more than nothing."""
    return any(letter in "123456789" for letter in str(cost or ""))


def _break_even(found: Mapping[str, Any], words: Words) -> list[str]:
    if found.get("hours_per_month") and found.get("busy"):
        return [words.say("busy", hours=found["hours_per_month"], busy=found["busy"])]
    return words.maybe("months", months=found.get("months_resold") or found.get("months"))


TOPIC = Topic("owning", Path(__file__).parent, ASKS, applies, answer)

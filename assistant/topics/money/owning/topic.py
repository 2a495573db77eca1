"""Own or rent: what each costs over the time, and where one overtakes the other."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from assistant.reading.annotation import Ask
from assistant.reading.situation import Situation, Thing
from assistant.topics.topic import Calls, SectionTold, Topic
from assistant.writing.arguments import cards_of
from assistant.writing.compared import bare_names
from assistant.writing.money.buying import owning
from assistant.writing.money.renting import energy_alone, rented
from assistant.writing.setups import Setup, setups
from assistant.writing.words import Words

CLOSE = 1.05
"""Two sums within this ratio come out even: no forecast of prices and use is finer."""
APART = 1.3
"""Ratio of the middles from which one is the cheaper although their ranges meet."""
ASKS = ("buy_or_rent", "break_even", "cost", "worth")


def applies(ask: Ask, situation: Situation) -> bool:
    """Cards whose cost is asked; whether something is worth it, where owning or renting is what is weighed."""
    if ask.ask == "worth" and ask.quantity != "price":
        return False
    found = _machines(ask, situation)
    if any(one.every("api_price") for one in found) or situation.one("api_price") is not None:
        return False
    ordered = any(one.ask in ("count", "which_hardware", "plan") for one in situation.asks)
    told = any(one.every("price") or one.every("rent") for one in found)
    if ask.ask == "cost" and ordered and not told:
        return False  # what to order is asked, and the order has its price
    if ask.ask == "cost" and (any(one.trains for one in found) or energy_alone(situation)):
        return False  # what a training costs is its hours
    return bool(found) and len(rented(ask, situation)) < 2


def answer(ask: Ask, situation: Situation, calls: Calls, words: Words) -> SectionTold | None:
    """Both sides in one sentence over the time, then the parts, the break-even, and what would turn it."""
    machines = _machines(ask, situation)
    bought, let = _apart(machines)
    asked = owning([bought] if let else machines, situation, words.language)
    one = calls.call("cost", {"what": "own_or_rent", **asked})
    own: dict[str, Any] = one.shown.get("own") or {}
    rents = one if let is None else calls.call("cost", {"what": "own_or_rent", **_let(asked, let, situation, words)})
    rent: dict[str, Any] = next(iter(rents.shown.get("rent") or []), {}) if not rents.failed else {}
    if one.failed or not one.worked or not own.get("monthly_cost"):
        return None
    result = one.worked[0].result
    fields = {
        "cards": asked["cards"],
        "own": own["monthly_cost"],
        "total": own.get("total_cost", ""),
        "years": asked.get("years") or str(one.shown.get("years", "")),
        "rent": rent.get("monthly_cost", ""),
        "rent_total": rent.get("total_cost", ""),
        "hourly": rent.get("gpu_hourly_cost", ""),
        "purchase": own.get("purchase_cost", ""),
    }
    alone = ask.ask == "cost" and "rent" not in asked and not _renting(situation)
    if let is not None and rents.worked:
        result = {**result, "rent": rents.worked[0].result.get("rent", [])}
        fields["rented"] = cards_of(let) or ""
    name = _cheaper(result) if fields["rent"] and not alone else "own_only"
    name = f"{name}_apart" if let is not None and name != "own_only" else name
    paid = not _some(fields["purchase"])
    lead = words.say(f"{name}_paid" if paid and words.knows(f"{name}_paid") else name, **fields)
    met = one.shown.get("break_even") or {}
    lines = [words.say("assumed_paid")] if paid and "purchase_price" in one.request and not _told(situation) else []
    lines += words.maybe("rent_beside", rent=fields["rent"], hourly=fields["hourly"]) if alone else []
    lines += words.maybe("apart", rented=fields.get("rented"), cards=asked["cards"])
    lines += [] if paid or let else _break_even(met, fields, words)
    lines += _parts(own, words)
    lines += _dearer_rents(one.shown.get("against") or [], words) if "rent" not in asked and not paid else []
    return SectionTold(lead, (*lines, words.say("not_counted")), "estimate")


def _renting(situation: Situation) -> bool:
    """Whether renting is thought of."""
    known = [*situation.known, *(one for thing in situation.things for one in thing.known)]
    return any(one.slot == "acquisition" and one.value == "rent" for one in known)


def _told(situation: Situation) -> bool:
    """Whether it was said that the machine is paid for."""
    known = [one for thing in situation.things for one in thing.known] + list(situation.known)
    return any(one.slot == "acquisition" and one.value == "owned" for one in known)


def _machines(ask: Ask, situation: Situation) -> list[Setup]:
    """The machines that are weighed, without those the work was seen to run out of memory on."""
    found = [one for one in setups(situation, ask) if cards_of(one)]
    held = [one for one in found if not any(_failed(thing) for thing in one.machines)]
    return held or found


def _apart(found: list[Setup]) -> tuple[Setup, Setup | None]:
    """(what is bought, what is rented) where these are different machines; else the first alone."""
    bought = next((one for one in found if one.every("price") and not one.every("rent")), None)
    let = next((one for one in found if one.every("rent") and not one.every("price")), None)
    if bought is None or let is None or bare_names(bought) == bare_names(let):
        return found[0], None
    return bought, let


def _let(asked: dict[str, str], let: Setup, situation: Situation, words: Words) -> dict[str, str]:
    """What the rented machine costs over the same time and use."""
    alike: dict[str, str] = {
        name: asked[name] for name in ("years", "hours_per_day", "utilisation", "country") if name in asked
    }
    held = owning([let], situation, words.language)
    return {"cards": held["cards"], "rent": held["rent"], **alike}


def _failed(thing: Thing) -> bool:
    return any(one.stance == "seen" for one in thing.all("error"))


def _cheaper(result: Mapping[str, Any]) -> str:
    """Which of the two costs less a month, told as such where ranges do not meet or middles lie apart."""
    own = (result.get("own") or {}).get("monthly_cost") or {}
    rents = [row.get("monthly_cost") or {} for row in result.get("rent", [])][:1]
    if not rents or not own or not rents[0]:
        return "either"
    rent = rents[0]
    if own["high"] * CLOSE < rent["low"] or own["value"] * APART < rent["value"]:
        return "buy"
    return "rent" if rent["high"] * CLOSE < own["low"] or rent["value"] * APART < own["value"] else "either"


def _parts(own: Mapping[str, Any], words: Words) -> list[str]:
    rows = [
        words.say("part", name=words.say(f"part_{row['name']}"), cost=row["monthly_cost"])
        for row in own.get("parts", [])
        if isinstance(row, Mapping) and words.knows(f"part_{row['name']}") and _some(row.get("monthly_cost"))
    ]
    worth = own.get("resale_cost") if _some(own.get("resale_cost")) else None
    said = words.maybe("residual", residual=own.get("residual"), resale=worth)
    lacking = words.say("incomplete") if own.get("incomplete") else ""
    return [words.say("parts", parts=words.listed(rows)) + lacking, *said] if rows else said


def _some(cost: Any) -> bool:
    """Whether a cost written out is more than nothing."""
    return any(letter in "123456789" for letter in str(cost or ""))


def _break_even(met: Mapping[str, Any], fields: Mapping[str, str], words: Words) -> list[str]:
    """By hours where use decides; by months and by what it can be sold for where the rent is a month's."""
    if met.get("hours_per_month") and met.get("busy"):
        return [words.say("busy", hours=met["hours_per_month"], busy=met["busy"], years=fields["years"])]
    said = words.maybe("months", months=met.get("months"), never=met.get("months_if_never_resold"))
    even = met.get("residual_even")
    return [*said, *words.maybe("residual_even", even=even, years=fields["years"])]


def _dearer_rents(rows: list[Any], words: Words) -> list[str]:
    """Owning against other rents than the middle of the offers: one offer alone would decide it."""
    told = [
        words.say("against", offer=row["offer"], monthly=row["monthly_cost"], even=row["even_at"])
        for row in rows
        if isinstance(row, Mapping) and row.get("offer") and row.get("monthly_cost") and row.get("even_at")
    ]
    return [words.say("againsts", rows=words.listed(told[:3]))] if told else []


TOPIC = Topic("owning", Path(__file__).parent, ASKS, applies, answer)

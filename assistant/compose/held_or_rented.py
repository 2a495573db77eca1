"""Whether another card is worth renting, or buying, beside those in hand: a verdict, and what each does of the work."""

from assistant.answer import AnswerVerdict, ToolCallRecord
from assistant.compose import amounts, cost, numbers
from assistant.compose.arithmetic import arithmetic, cite
from assistant.compose.assume import assumed
from assistant.compose.caveats import caveats
from assistant.compose.material import Material
from assistant.compose.orders import orders
from assistant.compose.own_machine import READING
from assistant.compose.pace import cite_pace
from assistant.compose.section import Section
from assistant.compose.sides import Side, line, pace, way_name
from assistant.plan import held_or_rented as planned
from assistant.plan.formats import bits
from assistant.plan.method import still_open

AS_FAST = 1.25
"""Times the pace from which one is said to be faster: an estimate is no surer than that."""


def held_or_rented(material: Material) -> Section | None:
    """The verdict with what each side does; a table of both; None where a side could not be worked out."""
    need = planned.need_of(material.understanding, material.need)
    mine, theirs = planned.own_way(need), planned.other_way(need)
    if mine is None or theirs is None:
        return None
    own, other = Side(material, mine), Side(material, theirs)
    if own.estimate is None or other.estimate is None:
        return None
    verdict, headline = _verdict(material, own, other)
    section = Section(verdict, headline, settled=True)
    section.body = [_lines(material, own, other), arithmetic(material, [own.estimate, other.estimate])]
    if not own.way.fits and not other.way.fits:
        section.configurations = material.configurations
        section.body.insert(1, orders(material, material.configurations))
    section.caveats = list(dict.fromkeys([*caveats(material, own.estimate), *caveats(material, other.estimate)]))
    priced = _priced(material)
    section.caveats += list(cost.warned(material, priced.result)) if priced is not None else []
    section.assumptions = assumed(material, own.estimate)
    return section


def _verdict(material: Material, own: Side, other: Side) -> tuple[AnswerVerdict, str]:
    """What to do, and why in one sentence."""
    say, rent = material.say, "rent" if planned.is_rent(material.understanding) else "buy"
    values = {
        "own": own.cards,
        "other": other.cards,
        "price": _price(material),
        "least": way_name(material, own.estimate),
    }
    if not own.way.fits and not other.way.fits:
        return "does_not_fit", say("held.neither", **values)
    if not own.way.fits:
        key = "fits_plain" if own.way.task == other.way.task != "inference" else "fits"
        return "recommendation", say(f"held.{rent}_{key}", **values)
    if not other.way.fits:
        return "recommendation", say("held.other_lacks", **values)
    if own.way.task != other.way.task and not still_open(material.understanding, material.need):
        return "recommendation", say(f"held.{rent}_thorough", **values, wanted=way_name(material, other.estimate))
    ratio = _ratio(own, other)
    mine, theirs = own.rate, other.rate
    slow = mine is not None and mine[0] == "tokens_per_s_per_user" and mine[1]["value"] < READING
    if ratio is None or theirs is None:
        key = "keep_unpaced"
    elif ratio < AS_FAST:
        key = "keep_faster" if ratio < 1 / AS_FAST else "keep_alike"
    elif slow and theirs[1]["value"] >= READING:
        key = f"{rent}_brisk"
    else:
        key = f"keep_unless_{rent}"
    told = say(f"held.{key}", **values, here=pace(material, own.record), there=pace(material, other.record))
    return "recommendation", told + _wider(material, own, other)


def _ratio(own: Side, other: Side) -> float | None:
    """The pace of the other over that of what is in hand."""
    first, second = own.per_second, other.per_second
    if not first or not second or own.rate is None or other.rate is None or own.rate[0] != other.rate[0]:
        return None
    return second / first


def _wider(material: Material, own: Side, other: Side) -> str:
    """Where the other holds the model in more bits, or trains it more thoroughly, than what is in hand."""
    mine, theirs = own.estimate, other.estimate
    wider = planned.wider_way(planned.need_of(material.understanding, material.need))
    if wider is not None:
        theirs = next((one for one in material.estimates if one.request == wider.call.request), None)
    if mine is None or theirs is None:
        return ""
    told = [way_name(material, own.estimate), way_name(material, theirs)]
    if mine.task != theirs.task:
        return material.say("held.apart", own=told[0], other=told[1])
    formats = [one.result.weight_format for one in (mine, theirs)]
    if mine.task != "inference" or bits(formats[0]) == bits(formats[1]):
        return ""
    key = "held.apart" if bits(formats[0]) < bits(formats[1]) else "held.apart_own"
    return material.say(key, own=told[0], other=told[1]) + cite(material, theirs)


def _lines(material: Material, own: Side, other: Side) -> str:
    """One line for each side: what it holds, how fast it is, what it costs."""
    lines = [line(material, own, material.say("held.yours")), line(material, other, _costs(material))]
    return "\n".join(f"- {each}" for each in lines if each)


def _priced(material: Material) -> ToolCallRecord | None:
    return next(material.records("estimate_cost"), None)


def _price(material: Material) -> str:
    """What the other costs, for the verdict: the least rent a month, or its price."""
    record = _priced(material)
    if record is None:
        return material.say("held.unpriced")
    result = record.result
    demand = next((one for one in result["rent"] if one["purchase"] == "on_demand"), None)
    if demand is not None:
        month, hour = demand["monthly_cost"]["low"], demand["hourly_cost"]["low"]
        values = {
            "month": numbers.money(amounts.rounded(month), result["currency"]),
            "hour": numbers.money(hour, result["currency"], hourly=True),
        }
        return material.say("held.rent", **values) + cite_pace(material, "estimate_cost", result)
    if result["own"] is not None:
        paid = amounts.amount(result["own"]["purchase_cost"], result["currency"])
        return material.say("held.paid", price=paid) + cite_pace(material, "estimate_cost", result)
    return material.say("held.unpriced")


def _costs(material: Material) -> str:
    """The rent of the other from the cheapest offer to the dearest, and of the run where its data are known."""
    record, say = _priced(material), material.say
    demand = next((one for one in record.result["rent"] if one["purchase"] == "on_demand"), None) if record else None
    if record is None or demand is None:
        return ""
    money = record.result["currency"]
    where = say("bill.where", where=demand["cheapest"], date=demand["as_of"] or say("cost.undated"))
    text = say(
        "held.month", month=amounts.amount(demand["monthly_cost"], money),
        hour=amounts.amount(demand["hourly_cost"], money, hourly=True), where=where if demand["cheapest"] else "",
    )  # fmt: skip
    if (run := record.result.get("run")) and run.get("rent_cost"):
        text += say("held.run_cost", cost=amounts.amount(run["rent_cost"], money))
    return text + cite_pace(material, "estimate_cost", record.result)

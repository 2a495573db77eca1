"""Whether another card is worth renting, or buying, beside those in hand: a verdict, and what each does of the work."""

from typing import Any

from assistant.answer import AnswerVerdict, ToolCallRecord
from assistant.compose import amounts, cost, names, numbers
from assistant.compose.arithmetic import arithmetic, cite, total, workload
from assistant.compose.assume import assumed
from assistant.compose.caveats import caveats
from assistant.compose.material import Estimate, Material
from assistant.compose.orders import orders
from assistant.compose.own_machine import READING
from assistant.compose.pace import cite_pace
from assistant.compose.section import Section
from assistant.plan import held_or_rented as planned
from assistant.plan import requests
from assistant.plan.formats import bits
from assistant.plan.method import still_open
from assistant.plan.widest import Way

AS_FAST = 1.25
"""Times the pace from which one is said to be faster: an estimate is no surer than that."""
_RATES = ("tokens_per_s_total", "samples_per_s_total", "tokens_per_s_per_user", "images_per_s", "audio_s_per_s",
          "documents_per_s")  # fmt: skip

Rate = tuple[str, dict[str, Any]]
"""What is counted, and how much of it a second."""


class _Side:
    """One of the two: its memory and its pace."""

    def __init__(self, material: Material, way: Way) -> None:
        self.way = way
        self.estimate = next((one for one in material.estimates if one.request == way.call.request), None)
        tool = "estimate_training_time" if requests.is_training(material.need) else "estimate_inference_speed"
        said = (way.card.gpu, way.card.count or 1)
        found = (one for one in material.records(tool)
                 if (one.request.get("gpu"), one.request.get("gpu_count") or 1) == said)  # fmt: skip
        self.record: ToolCallRecord | None = next(found, None) if way.fits else None

    @property
    def cards(self) -> str:
        return names.cards(self.way.card.gpu, self.way.card.count or 1)

    def rate(self, material: Material) -> Rate | None:
        """What is counted and how much of it a second: of one user where one is served, else of all."""
        if self.record is None:
            return None
        alone = (material.need.concurrent_sequences or material.need.users or 1) == 1
        order = ("tokens_per_s_per_user", *_RATES) if alone else _RATES
        key = next((key for key in order if self.record.result.get(key)), None)
        return (key, self.record.result[key]) if key else None


def held_or_rented(material: Material) -> Section | None:
    """The verdict with what each side does; a table of both; None where a side could not be worked out."""
    mine, theirs = planned.own_way(material.need), planned.other_way(material.need)
    if mine is None or theirs is None:
        return None
    own, other = _Side(material, mine), _Side(material, theirs)
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


def _verdict(material: Material, own: _Side, other: _Side) -> tuple[AnswerVerdict, str]:
    """What to do, and why in one sentence."""
    say, rent = material.say, "rent" if planned.is_rent(material.understanding) else "buy"
    values = {"own": own.cards, "other": other.cards, "price": _price(material), "least": _how(material, own)}
    if not own.way.fits and not other.way.fits:
        return "does_not_fit", say("held.neither", **values)
    if not own.way.fits:
        return "recommendation", say(f"held.{rent}_fits", **values)
    if not other.way.fits:
        return "recommendation", say("held.other_lacks", **values)
    if own.way.task != other.way.task and not still_open(material.understanding, material.need):
        return "recommendation", say(f"held.{rent}_thorough", **values, wanted=_how(material, other))
    ratio = _ratio(material, own, other)
    pace, shown = own.rate(material), other.rate(material)
    slow = pace is not None and pace[0] == "tokens_per_s_per_user" and pace[1]["value"] < READING
    if ratio is None or pace is None or shown is None:
        key = "keep_unpaced"
    elif ratio < AS_FAST:
        key = "keep_faster" if ratio < 1 / AS_FAST else "keep_alike"
    elif slow and shown[1]["value"] >= READING:
        key = f"{rent}_brisk"
    else:
        key = f"keep_unless_{rent}"
    told = say(f"held.{key}", **values, here=_pace(material, own), there=_pace(material, other))
    return "recommendation", told + _wider(material, own, other)


def _how(material: Material, side: _Side) -> str:
    """The format, or the way to train, in which the cards do it, or were tried last."""
    return _way(material, side.estimate) if side.estimate is not None else ""


def _way(material: Material, one: Estimate) -> str:
    if one.task != "inference":
        return names.task_name(one.task, material.say)
    return names.format_name(one.result.weight_format)


def _ratio(material: Material, own: _Side, other: _Side) -> float | None:
    """The pace of the other over that of what is in hand."""
    first, second = own.rate(material), other.rate(material)
    if first is None or second is None or first[0] != second[0] or not first[1]["value"]:
        return None
    return float(second[1]["value"] / first[1]["value"])


def _wider(material: Material, own: _Side, other: _Side) -> str:
    """Where the other holds the model in more bits, or trains it more thoroughly, than what is in hand."""
    mine, theirs = own.estimate, other.estimate
    wider = planned.wider_way(material.need)
    if wider is not None:
        theirs = next((one for one in material.estimates if one.request == wider.call.request), None)
    if mine is None or theirs is None:
        return ""
    told = [_how(material, own), _way(material, theirs)]
    if mine.task != theirs.task:
        return material.say("held.apart", own=told[0], other=told[1])
    formats = [one.result.weight_format for one in (mine, theirs)]
    if mine.task != "inference" or bits(formats[0]) == bits(formats[1]):
        return ""
    key = "held.apart" if bits(formats[0]) < bits(formats[1]) else "held.apart_own"
    return material.say(key, own=told[0], other=told[1]) + cite(material, theirs)


def _lines(material: Material, own: _Side, other: _Side) -> str:
    """One line for each side: what it holds, how fast it is, what it costs."""
    say = material.say
    lines = [_line(material, own, say("held.yours")), _line(material, other, _costs(material))]
    return "\n".join(f"- {line}" for line in lines if line)


def _line(material: Material, side: _Side, price: str) -> str:
    say, one = material.say, side.estimate
    if one is None:
        return ""
    usable, what = numbers.gib(one.placed.usable_bytes, digits=1), workload(material, one).strip()
    text = say(f"held.line_{side.way.verdict}", cards=side.cards, what=what, total=total(one), usable=usable)
    text += cite(material, one)
    if side.record is not None and (shown := _shown(side.record, side.rate(material))) is not None:
        text += say(f"held.pace_{shown[0]}", value=amounts.figure_range(shown[1]))
        text += cite_pace(material, side.record.tool, side.record.result) + _run(material, side.record)
    return text + (price if side.way.fits else "")


def _shown(record: ToolCallRecord, rate: Rate | None) -> Rate | None:
    """The rate as people speak of it: seconds for a picture rather than pictures a second."""
    each = record.result.get("time_per_image_s")
    return ("image", each) if each else rate


def _pace(material: Material, side: _Side) -> str:
    shown = _shown(side.record, side.rate(material)) if side.record is not None else None
    return material.say(f"held.unit_{shown[0]}", value=numbers.figure(shown[1]["value"])) if shown else ""


def _run(material: Material, record: ToolCallRecord) -> str:
    """How long the run takes, where its data are known."""
    found = record.result.get("time_s") if record.tool == "estimate_training_time" else None
    if not found:
        return ""
    value, unit = numbers.duration(found["value"])
    return material.say("held.run", value=value, unit=material.say(f"unit.{unit}"))


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

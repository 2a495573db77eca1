"""What named cards come to over a time: the rent, the purchase with its electricity, and which is less."""

import re
from typing import Any

from assistant.answer import ToolCallRecord
from assistant.compose import amounts, clarify, cost, names, numbers
from assistant.compose.material import Material
from assistant.compose.over_term import RESALE_KNOWN_FROM
from assistant.compose.pace import cite_pace
from assistant.compose.section import Section
from assistant.compose.span import span
from assistant.compose.table import table
from assistant.plan import bill as planned
from assistant.plan import requests
from assistant.plan.money import asks_spot

_DEMAND = re.compile(r"on[- ]?demand|hourly|by the hour|按需|按量|按(?:小)?时", re.I)
_A_YEAR = re.compile(r"包年|预留|reserv|commit", re.I)
_BOUND = re.compile(r"包[年月]|按[年月]|[年月]租|monthly|yearly|by the (?:month|year)|commit", re.I)
"""Words of renting for long, against the hour."""


def bill(material: Material) -> Section | None:
    """Rent first, in all and an hour; the purchase beside it unless only renting is asked about."""
    record = next(material.records("estimate_cost"), None)
    if not planned.asked(material.understanding):
        return None
    if record is None:
        doubts = clarify.ambiguous_names(material)
        return Section(
            "fact", material.say(_unknown(material), cards=_cards(material)), settled=True, assumptions=doubts
        )
    result = record.result
    if planned.purchase(material.understanding):
        return _purchase(material, record)
    told = (_unlet(material, result), _rented(material, record), _bought(material, result))
    sentences = [text for text in told if text]
    marker = cite_pace(material, "estimate_cost", result)
    section = Section("estimate", material.say("list.sentence").join(sentences) + marker, settled=True)
    section.body = [cost.ways(material, record), cost.owning_table(material, record)]
    section.caveats = list(cost.warned(material, result))
    section.assumptions = [*_assumed(material, record), *clarify.ambiguous_names(material)]
    return section


def _unlet(material: Material, result: dict[str, Any]) -> str:
    """That nobody lets the card asked about, and which one's rent is told in its place."""
    asked = requests.cards(material.need)[0].gpu
    if result["gpu"] == asked:
        return ""
    return material.say("bill.unlet", card=names.gpu_name(asked), near=names.gpu_name(result["gpu"]))


def _unknown(material: Material) -> str:
    """That no rent was read, where only renting was asked about; else that neither price was."""
    renting = material.need.acquisition == "rent" or material.need.provider is not None
    return "bill.unknown_rent" if renting else "bill.unknown"


def _cards(material: Material) -> str:
    return names.gpu_name(requests.cards(material.need)[0].gpu)


def _purchase(material: Material, record: ToolCallRecord) -> Section | None:
    """What the cards and the machines around them cost, line by line with the date of each price."""
    own, say, money = record.result["own"], material.say, record.result["currency"]
    if own is None:
        return None
    headline = say(
        "bill.price", cards=names.cards(record.result["gpu"], record.result["gpu_count"]),
        purchase=amounts.amount(own["purchase_cost"], money), lacking="" if own["complete"] else say("cost.incomplete"),
    )  # fmt: skip
    rows = [
        [f"{one['count']}×{one['what']}", amounts.amount(one["unit_cost"], money), one["as_of"] or say("cost.undated")]
        for one in own["prices"] if one["unit_cost"]
    ]  # fmt: skip
    section = Section("estimate", headline + cite_pace(material, "estimate_cost", record.result), settled=True)
    section.body = [table([say("bill.item"), say("bill.each"), say("clouds.read")], rows)]
    section.caveats = [line for line in cost.warned(material, record.result) if line != say("cost.warn_no_tariff")]
    if record.result["nodes"] > 1:
        section.caveats.append(say("bill.network"))
    section.assumptions = clarify.ambiguous_names(material)
    return section


def _rented(material: Material, record: ToolCallRecord) -> str:
    """The rent of the whole time: from the cheapest offer, with its date, to the dearest."""
    result = record.result
    say, money = material.say, result["currency"]
    way = "reserved" if _A_YEAR.search(material.text) else "spot" if asks_spot(material.text) else ""
    wanted = [one for one in result["rent"] if way and one["purchase"].startswith(way)]
    first = next((one for one in (*wanted, *result["rent"]) if one["term_cost"]), None)
    if first is None and record.request.get("acquisition") == "buy":
        return ""
    if first is None:
        return "" if result["own"] is None else say("cost.warn_no_offer")
    if _DEMAND.search(material.text) and (asks_spot(material.text) or _BOUND.search(material.text)):
        return _each_way(material, result)
    total, hourly = first["term_cost"], first["hourly_cost"]
    values = {
        "cards": names.cards(result["gpu"], result["gpu_count"]), "time": span(material, first),
        "hourly": amounts.amount(hourly, money, hourly=True), "total": amounts.amount(total, money),
    }  # fmt: skip
    if not first["cheapest"]:
        return say("cost.rent_term", **values)
    where = say("bill.where", where=first["cheapest"], date=first["as_of"] or say("cost.undated"))
    if total["low"] == total["high"]:
        return say("bill.rent", **values, where=where)
    ends = {name: numbers.money(amounts.rounded(total[name]), money) for name in ("low", "value", "high")}
    return say("bill.rent_spread", **values, where=where, **ends,
               least=numbers.money(hourly["low"], money, hourly=True), count=first["offers"])  # fmt: skip


def _each_way(material: Material, result: dict[str, Any]) -> str:
    """What the time comes to in each way to rent, at the cheapest offer of each."""
    say, money = material.say, result["currency"]
    known = {one["purchase"]: one for one in result["rent"] if one["term_cost"]}
    told = []
    for way, one in known.items():
        where = say("bill.where", where=one["cheapest"], date=one["as_of"] or say("cost.undated"))
        amount = numbers.money(amounts.rounded(one["term_cost"]["low" if one["cheapest"] else "value"]), money)
        basis = where if one["cheapest"] else say("bill.derived")
        told.append(say("bill.way", way=say(f"over.{way}"), total=amount, where=basis))
    lacking = [way for way in ("spot", "reserved") if way not in known]
    missing = say("bill.no_way", ways=say.listed([say(f"over.{way}") for way in lacking])) if lacking else ""
    cards = names.cards(result["gpu"], result["gpu_count"])
    return say("bill.each_way", cards=cards, time=span(material, result["rent"][0]), ways=say.listed(told)) + missing


def _bought(material: Material, result: dict[str, Any]) -> str:
    """Price and electricity of that time; with the resale taken off, which of the two is less."""
    own, say, money = result["own"], material.say, result["currency"]
    if own is None:
        return ""
    energy = next((part["total_cost"] for part in own["parts"] if part["name"] == "energy"), None)
    values = {
        "cards": names.cards(result["gpu"], result["gpu_count"]),
        "purchase": amounts.amount(own["purchase_cost"], money),
        "lacking": "" if own["complete"] else say("cost.incomplete"),
        "net": numbers.money(amounts.rounded(own["total_cost"]["value"]), money),
    }
    short = result["years"] < RESALE_KNOWN_FROM
    text = say(f"bill.buy{'' if energy else '_only'}{'_short' if short else ''}", **values,
               energy=amounts.amount(energy, money) if energy else "")  # fmt: skip
    rent = next((one["term_cost"] for one in result["rent"] if one["term_cost"]), None)
    if rent is None:
        return text + say("list.stop")
    if short:
        return text + say("bill.up_front" if rent["low"] < own["purchase_cost"]["value"] else "list.stop")
    net = own["total_cost"]["value"]
    key = "rent_less" if rent["value"] < net else "buy_less" if net < rent["low"] else "turns"
    return text + say(f"bill.{key}", **values)


def _assumed(material: Material, record: ToolCallRecord) -> list[str]:
    say, result = material.say, record.result
    found = []
    if material.need.hours_per_month is not None:
        found.append(say("cost.usage", hours=numbers.count(result["hours_per_month"])))
    else:
        found.append(say("cost.assume_always"))
    if result["own"]:
        share = amounts.percent(result["own"]["residual_ratio"]["value"])
        found += [say("cost.assume_residual", share=share), *cost.energy_lines(material, record)]
    return found

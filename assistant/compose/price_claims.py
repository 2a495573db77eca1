"""A price that was taken for granted, held against the prices read."""

from typing import Any

from assistant.compose import amounts, clarify, cost, facts, names, numbers, orders
from assistant.compose.aspects import BY_KEY, COMPARED
from assistant.compose.citations import joined
from assistant.compose.material import Material
from assistant.compose.pace import cite_pace
from assistant.compose.section import Section
from assistant.plan import preferred
from assistant.plan.market import PRICE_DAYS
from assistant.plan.price_claims import claimed, judges, machine, together
from assistant.understand.budget import Money
from tools.prices import age_days

FAR = 0.6
"""Share of the lowest price read below which something is wrong with an offer."""
NEAR = 0.1
"""Share of the lowest or highest price read by which a claim may lie outside."""

_ADVISED = {"low": "bargain", "high": "dear"}
"""Verdicts on a price that is to be judged, in the place of those on one that was believed."""


def price_claim(material: Material) -> Section | None:
    """Lower than anything read, higher, or within; None where no price is known."""
    record, told = next(material.records("estimate_cost"), None), claimed(material.understanding)
    if told is None:
        return None
    if record is None:
        return _of_bill(material, *told)
    said, words = told
    hourly, count = said.period == "hour", together(material.understanding) or 1
    whole = machine(material.understanding)
    read = _read(record.result, hourly=hourly, whole=whole, count=count)
    if read is None:
        return _unread(material, record.result["gpu"], words)
    (low, usual, high), where = read
    key = _judged(said.amount, low, high, hourly=hourly)
    if judges(material.text):
        key = _ADVISED.get(key, key)
        key = ("below" if said.amount <= usual else "above") if key == "fair" and hourly else key
    if key in ("bargain", "low") and not hourly and _of_another_market(where):
        key = "unknown_used"
    if whole and key in ("bargain", "low") and said.amount >= FAR * _of_cards(record.result):
        key = "under"  # it pays for the cards: only the machine around them is another than the one reckoned with
    money = record.result["currency"]
    values = {"card": names.cards(record.result["gpu"], count) if count > 1 else names.gpu_name(record.result["gpu"]),
              "said": words, "where": where, "usual": numbers.money(usual, money, hourly=hourly),
              "range": amounts.amount({"value": low, "low": low, "high": high}, money, hourly=hourly).split(" ")[0]
              if low == high else _ends(low, high, money, hourly=hourly)}  # fmt: skip
    if whole and not hourly and not record.result["own"]["complete"]:
        key = "cards_only" if said.amount >= low else key
    way = "rent" if hourly else "buy"
    headline = material.say(f"claim.{key}_{way}", **values) + cite_pace(material, "estimate_cost", record.result)
    section = Section("fact", headline, [cost.ways(material, record)], settled=True)
    old = next((one for one in (record.result["own"] or {"prices": ()})["prices"] if one["stale"]), None)
    section.caveats = list(cost.warned(material, record.result)) if hourly else []
    if old is not None:
        section.caveats.append(material.say("caveat.old_price", cards=values["card"]))
    section.assumptions = clarify.ambiguous_names(material)
    return section


def _unread(material: Material, card: str, words: str) -> Section | None:
    """That no price of the card was read to hold it against, and what the card is."""
    rows = [row for row in facts.cards(material) if row.id == card]
    if not rows or rows[0].price is not None:
        return None
    headline = material.say("claim.unread", card=names.gpu_name(card), said=words)
    table = facts.facts_table(material, rows, [BY_KEY[key] for key in COMPARED])
    return Section("fact", headline, [table], settled=True, assumptions=clarify.ambiguous_names(material))


def _of_bill(material: Material, said: Money, words: str) -> Section | None:
    """The same by the bill of the cards in a machine, where what owning them costs cannot be reckoned."""
    one = next((one for one in material.found if one.acquisition == "buy"), None)
    told = (one.price.asked_price or one.price) if one else None
    if one is None or told is None or told.amount is None:
        return None
    low, high = (float(end or told.amount) for end in (told.low, told.high))
    key = _judged(said.amount, low, high, hourly=False)
    if judges(material.text):
        key = _ADVISED.get(key, key)
    values = {
        "card": names.cards(one.gpu, one.gpu_count),
        "said": words,
        "where": preferred.main_date(one) or material.say("cost.undated"),
        "usual": numbers.money(float(told.amount), told.currency),
        "range": _ends(low, high, told.currency, hourly=False),
    }
    headline = material.say(f"claim.{key}_buy", **values) + joined([orders.cite_price(material, one)])
    section = Section("fact", headline, settled=True)
    section.caveats.append(material.say("caveat.old_price", cards=values["card"]))
    return section


def _of_cards(result: dict[str, Any]) -> float:
    """What the cards of a machine come to without it, at the least; more than any price said where none is known."""
    prices = result["own"]["prices"] if result["own"] else ()
    known = [one["unit_cost"]["low"] * one["count"] for one in prices if not one["what"].startswith("machine")]
    return float(sum(known)) if known else float("inf")


def _of_another_market(date: str) -> bool:
    """Whether the price was read too long ago to say what the card fetches today: it is what it cost new."""
    age = age_days(date) if date[:4].isdigit() else None
    return age is None or age > PRICE_DAYS


def _judged(said: float, low: float, high: float, *, hourly: bool) -> str:
    """Where the price said lies beside those read; an hour is either offered at it or not."""
    if said < low * (1 - NEAR):
        return "low" if hourly or said < low * FAR else "under"
    return "high" if said > high * (1 + NEAR) else "fair"


def _ends(low: float, high: float, money: str, *, hourly: bool) -> str:
    shown = (value if hourly else amounts.rounded(value) for value in (low, high))
    return "–".join(numbers.money(value, money, hourly=hourly) for value in shown)


def _read(
    result: dict[str, Any], *, hourly: bool, whole: bool, count: int
) -> tuple[tuple[float, float, float], str] | None:
    """Lowest, middle and highest price read, and where or when."""
    if hourly:
        first = next((one for one in result["rent"] if one["purchase"] == "on_demand"), None)
        if first is None:
            return None
        price = first["gpu_hourly_cost"]
        return _three(price), f"{first['cheapest']}, {first['as_of'] or '–'}"
    prices = result["own"]["prices"] if result["own"] else ()
    if whole and prices:
        bought = result["own"]["purchase_cost"]
        return _three(bought), str(min((one["as_of"] or "–" for one in prices), default="–"))
    card = next((one for one in prices if one["unit_cost"] and not one["what"].startswith("machine")), None)
    if card is None or card["count"] not in {1, count}:
        return None
    return _three(card["unit_cost"], count), str(card["as_of"] or "–")


def _three(price: dict[str, float], times: int = 1) -> tuple[float, float, float]:
    return price["low"] * times, price["value"] * times, price["high"] * times

"""What came closest where nothing is found, and why it fails."""

from collections.abc import Iterator
from typing import Any

from assistant.compose import names, numbers
from assistant.compose.citations import joined
from assistant.compose.material import Material
from assistant.compose.more_money import miss_price
from assistant.compose.orders import HOST_IS_OWN
from assistant.compose.reasons import sentences
from assistant.phrases import Phrases
from kb.units import HOURS_PER_MONTH
from tools.configuration import Reason

SHUT = {"not_sold_here", "case_by_case_here", "made_for_elsewhere"}
"""What keeps a near miss out that no money changes."""
LESS = "within_money"
"""What is within the money for less than was asked."""
_SLOW = {"too_slow", "too_late"}
WAIT = "s to the first token"
"""What a wait is measured in, as the configurator tells it."""
_HOURS: dict[str | None, float] = {"month": HOURS_PER_MONTH, "year": 12 * HOURS_PER_MONTH}
"""Hours of the time that a budget is for."""
LEAST_SHARE = 0.1
"""Share of the time below which renting for part of it is no answer."""
MISSES_MAX = 3
"""Near misses told of."""


def misses(material: Material) -> Iterator[str]:
    for result in material.results("configure"):
        for row in result.get("rejected") or ():
            cards = names.cards(row["gpu"], row["gpu_count"])
            needed, usable, usd = row.get("needed_bytes_per_gpu"), row.get("usable_bytes_per_gpu"), row.get("price_usd")
            if needed and usable and needed > usable:
                yield "- " + material.say(
                    "shop.miss_memory", cards=cards, needed=numbers.gib(needed), usable=numbers.gib(usable)
                )
            elif slow := _too_slow(material, row, cards):
                yield f"- {slow}"
            elif any(one["code"] == LESS for one in row["reasons"]):
                for line in _of_miss(row, "change", material.say):
                    yield f"- {cards}{material.say('list.colon')}{line}"
            elif usd and not any(one["code"] in SHUT for one in row["reasons"]):
                dear = (
                    too_dear(material, row, "shop.miss_beyond")
                    or _by_the_hour(material, row)
                    or material.say("shop.miss_price", cards=cards, price=miss_price(row))
                )
                yield "- " + material.say("list.semicolon").join([dear, *_of_miss(row, "trade_off", material.say)])
            else:
                for line in _of_miss(row, "reason", material.say):
                    yield f"- {cards}{material.say('list.colon')}{line}"


def _too_slow(material: Material, row: dict[str, Any], cards: str) -> str:
    """A near miss by its pace: what it reaches, not what it costs; empty where it is not by that."""
    told = next((one for one in row["reasons"] if one["code"] in _SLOW), None)
    if told is None:
        return ""
    if told["values"].get("measure") == WAIT:
        figure, unit = numbers.duration(float(told["values"]["reached"]))
        return material.say("shop.miss_first", cards=cards, reached=f"{figure} {material.say(f'unit.{unit}')}")
    return cards + material.say("list.colon") + sentences([Reason.model_validate(told)], "reason", material.say)[0]


def too_dear(material: Material, row: dict[str, Any], key: str) -> str:
    """A near miss by its price, and by how much that is beyond the budget; empty where it is not by that."""
    budget, beyond = material.need.budget, row.get("beyond")
    if not beyond or budget is None:
        return ""
    told = row.get("asked_price") or {"amount": row["price_usd"], "currency": "USD"}
    alone = any(one["code"] == HOST_IS_OWN for one in row["reasons"])
    price = numbers.money(told["amount"], told["currency"]) + (material.say("price.cards_only") if alone else "")
    return material.say(
        key, cards=names.cards(row["gpu"], row["gpu_count"]), price=price,
        over=numbers.money(beyond["amount"], beyond["currency"]), own=numbers.money(budget.amount, budget.currency),
    )  # fmt: skip


def _by_the_hour(material: Material, row: dict[str, Any]) -> str:
    """A near miss to rent: its price an hour, and the hours of it that the money of a month or a year pays for."""
    budget, told = material.need.budget, row.get("asked_price") or {"amount": row["price_usd"], "currency": "USD"}
    rented = budget is not None and budget.mode == "rent" and row.get("acquisition", "rent") == "rent"
    if not rented or budget is None or budget.period not in _HOURS or told["currency"] != budget.currency:
        return ""
    hours = budget.amount / float(told["amount"])
    own = numbers.money(budget.amount, budget.currency)
    values = {"cards": names.cards(row["gpu"], row["gpu_count"]), "price": miss_price(row), "own": own}
    every = _HOURS[budget.period]
    quote = f"{own} / {values['price']} = {hours:.0f} h; {hours:.0f} h / {every:.0f} h = {hours / every:.0%}"
    marker = joined([material.cites.cite("calculation", material.say("shop.hours"), "hours of rent", quote)])
    key = "shop.miss_hours" if budget.period == "month" else "shop.miss_hours_year"
    return material.say(key, hours=numbers.count(hours), **values) + marker


def part_of_the_time(material: Material) -> str:
    """That the money pays for what holds the work, but not around the clock; empty where it does not even do that."""
    budget = material.need.budget
    missed = [row for result in material.results("configure") for row in result.get("rejected") or ()]
    fitting = [row for row in missed if row.get("price_usd") and not _lacking(row) and _by_the_hour(material, row)]
    least = min(fitting, key=lambda row: float(row["price_usd"]), default=None)
    if least is None or budget is None:
        return ""
    told = least.get("asked_price") or {"amount": least["price_usd"], "currency": "USD"}
    share = budget.amount / float(told["amount"]) / _HOURS[budget.period or ""]
    return material.say("shop.part_of_the_time", share=f"{share:.0%}") if LEAST_SHARE <= share < 1 else ""


def _lacking(row: dict[str, Any]) -> bool:
    needed, usable = row.get("needed_bytes_per_gpu"), row.get("usable_bytes_per_gpu")
    return bool(needed and usable and needed > usable)


def nearest(material: Material) -> str:
    """The cheapest that only the budget keeps out, behind a verdict that nothing is found."""
    missed = [row for result in material.results("configure") for row in result.get("rejected") or ()]
    dear = [row for row in missed if row.get("beyond") and row.get("price_usd")]
    least = min(dear, key=lambda row: float(row["price_usd"]), default=None)
    return too_dear(material, least, "shop.nearest") if least else ""


def _of_miss(row: dict[str, Any], kind: str, say: Phrases) -> list[str]:
    return sentences((Reason.model_validate(one) for one in row["reasons"]), kind, say)

"""What ends a training within a week, and what that costs, beside the cheapest cards that take longer."""

from assistant.compose import names, numbers
from assistant.compose.by_then import stated
from assistant.compose.citations import joined
from assistant.compose.material import Material
from assistant.compose.orders import cite_price
from assistant.plan import sooner
from tools.configuration import Configuration


def within_a_week(material: Material) -> str:
    """The cards, of whom, how long and how much for the run; nothing where the cheapest end it as soon."""
    one = sooner.way(material.need, list(material.records("configure")))
    paid = next((price for price in one.rent_prices if price.kind == "on_demand"), None) if one else None
    if one is None or paid is None or paid.total_usd is None:
        return ""
    told = paid.asked_total
    figure, unit = numbers.duration(float((one.speed or {})["time_s"] or 0))
    return material.say(
        "cost.sooner", cards=names.cards(one.gpu, one.gpu_count), where=_where(one),
        within=stated(material, sooner.SOON_S), time=f"{figure} {material.say(f'unit.{unit}')}",
        hourly=material.say("price.hour", amount=numbers.money(one.price.amount or 0, one.price.currency, hourly=True)),
        cost=numbers.money(told.amount if told else paid.total_usd, told.currency if told else "USD"),
    ) + joined([cite_price(material, one)])  # fmt: skip


def _where(one: Configuration) -> str:
    return " ".join(part for part in (one.provider, one.instance, one.region) if part)

"""What cards that are ordered alone cost with a machine around them, beside the budget."""

from assistant.compose import numbers
from assistant.compose.material import Material
from assistant.plan.ways import of_machines
from tools.configuration import Configuration


def asked_whole(material: Material, best: Configuration) -> bool:
    """Whether a machine is asked for where only cards are within reach, at a price that is known."""
    return best.machine_price is not None and of_machines(material.text)


def machine(material: Material, best: Configuration) -> str:
    """The machine with the cards as a clause of the verdict: what it costs, and by how much that is too much."""
    return _told(material, best, "clause")


def machine_line(material: Material, best: Configuration) -> list[str]:
    """The same as a caveat, for who asked for cards alone; nothing where no machine is priced."""
    told = "" if asked_whole(material, best) else _told(material, best, "line")
    return [told] if told else []


def _told(material: Material, best: Configuration, form: str) -> str:
    price, budget = best.machine_price, material.need.budget
    if price is None or price.amount is None:
        return ""
    own = price.asked_price or price
    whole = numbers.money(own.amount or 0, own.currency)
    if price.beyond is None or budget is None:
        return material.say(f"around.{form}", whole=whole)
    over, told = (
        numbers.money(price.beyond.amount, price.beyond.currency),
        numbers.money(budget.amount, budget.currency),
    )
    return material.say(f"around.{form}_beyond", whole=whole, over=over, own=told)

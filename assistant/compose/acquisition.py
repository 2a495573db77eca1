"""Whether the asker means to rent, to buy, or wants the two compared."""

from assistant.compose.material import Material
from assistant.plan import ways


def only_rents(material: Material) -> bool:
    """Whether only renting is asked about."""
    return ways.only(material.text, material.need) == "rent"


def only_buys(material: Material) -> bool:
    """Whether only buying is asked about."""
    return ways.only(material.text, material.need) == "buy"


def rents(material: Material) -> bool:
    """Whether renting is spoken of."""
    return ways.rents(material.text)


def buys(material: Material) -> bool:
    """Whether buying is spoken of."""
    return ways.buys(material.text)


def priced(material: Material) -> bool:
    """Whether the price decides by itself: the cheapest is asked for, or what is rented and paid as it is used."""
    return rents(material) or ways.asks_for_cheapest(material.text)

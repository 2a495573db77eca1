"""Whether the asker means to rent, to buy, or wants the two compared."""

import re

from assistant.compose.material import Material

_RENTING = re.compile(r"租|云|\brent|\bcloud|instance|per hour|hourly|/h\b|pay-as-you-go|\bspot\b", re.I)
_BUYING = re.compile(r"买|购|自己?攒|自建|入手|\bbuy|\bbought|\bown\b|purchase|at home|for home", re.I)


def only_rents(material: Material) -> bool:
    """Whether only renting is asked about."""
    return material.need.acquisition == "rent" or (rents(material) and not buys(material))


def rents(material: Material) -> bool:
    """Whether renting is spoken of."""
    return bool(_RENTING.search(material.text))


def buys(material: Material) -> bool:
    """Whether buying is spoken of."""
    return bool(_BUYING.search(material.text))

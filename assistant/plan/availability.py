"""Whether a card may be sold into a country: the card itself, and what else may be sold there instead."""

from assistant.plan import requests
from assistant.plan.call import PlannedCall
from assistant.understand.asking import asks_sale
from assistant.understand.rivals import distance
from assistant.understand.text import Text
from assistant.understanding import Understanding
from kb.catalog import gpus
from kb.market.exports import restriction
from tools.need import Need

HOME = "CN"
"""The country meant where an export rule is spoken of and no country is named: the rules kept are about it."""
CARDS_MAX = 3
INSTEAD_MAX = 3
DOMESTIC_MAX = 1
_SOLD = {"available", "export_variant"}
PLACES = {
    "data_center": {"data_center", "workstation"}, "cloud_only": {"data_center", "workstation"},
    "workstation": {"workstation", "consumer"}, "consumer": {"consumer", "workstation"},
}  # fmt: skip
"""Market of a card → markets of what may stand in its place."""


def asked(understanding: Understanding) -> bool:
    """Whether it is asked if named cards may be bought or sold under export control, and no work is to be sized."""
    need = understanding.need
    if not requests.named_gpus(need) or requests.sized(need) or understanding.command or understanding.error_text:
        return False
    again = understanding.follow_up and need.matter == "sale"
    return again or asks_sale(Text.of(understanding.text).plain)


def country(need: Need) -> str:
    """The country asked about."""
    return need.country or HOME


def call(need: Need) -> PlannedCall | None:
    """The data sheet rows of the cards and of what may be sold there in their place."""
    named = requests.named_gpus(need)[:CARDS_MAX]
    closed = [key for key in named if restriction(key, country(need)) is not None]
    return requests.gpu_facts(need, names=(*named, *(instead(closed[0], country(need)) if closed else ())))


def instead(card: str, where: str) -> tuple[str, ...]:
    """Cards that no rule keeps from the country, nearest in memory, bandwidth and arithmetic.

    In the place of a server's card also one made in the country, which no rule of others can end.
    """
    wanted = gpus()[card]
    allowed = [
        one for one in gpus().values()
        if one.status in _SOLD and one.market in PLACES.get(wanted.market, {wanted.market})
        and restriction(one.id, where) is None
    ]  # fmt: skip
    near = sorted(allowed, key=lambda one: (distance(one, wanted), one.id))
    domestic = [one.id for one in near if "domestic" in (one.export_note or "")][:DOMESTIC_MAX]
    alike = [one.id for one in near if one.vendor == wanted.vendor]
    made_there = domestic if wanted.market in {"data_center", "cloud_only"} and where == HOME else []
    return (*alike[: INSTEAD_MAX - len(made_there)], *made_there)

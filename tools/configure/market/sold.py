"""What is on the market where: new, second-hand with a recent price, or shut by export control."""

from kb.market.exports import restriction
from kb.records.gpu import Gpu
from tools.configuration import Reason
from tools.configure.market.suitable import sold_in_systems
from tools.configure.tell.reasons import reason
from tools.prices import age_days, card_price

CHINA = {"CN", "HK", "MO"}
"""Where the makers' editions for China are sold."""
ORDERABLE = {"available", "export_variant"}
USED_PRICE_DAYS = 400
"""A second-hand price older than this tells nothing about today's market."""
FIRST_USED_YEAR = 2018


def buyable(gpu: Gpu, *, owned: bool, asked: bool, country: str | None) -> bool:
    """Whether the card is on the market: new, or second-hand with a recent price; and may be sold in the country.

    One that is asked for is looked for second-hand whatever is known of its price.
    """
    if owned:
        return True
    if gpu.market == "cloud_only" or gpu.status == "announced" or unsold(gpu, country) is not None:
        return False
    if gpu.status == "export_variant" and country not in CHINA and not asked:
        return False
    return asked or gpu.status in ORDERABLE or second_hand(gpu)


def unsold(gpu: Gpu, country: str | None) -> Reason | None:
    """Why a card is not sold in a country, whoever asks for it; null when it is, or the country is open."""
    rule = restriction(gpu.id, country)
    if rule is not None and rule.effect != "licence":
        code = "not_sold_here" if rule.effect == "barred" else "case_by_case_here"
        return reason("reason", code, country=country, since=rule.since)
    if gpu.status == "export_variant" and country is not None and country not in CHINA:
        return reason("reason", "made_for_elsewhere", country=country)
    return None


def aged_out(gpu: Gpu) -> bool:
    """Whether only the age of its price keeps a card no longer made from being proposed second-hand."""
    price = card_price(gpu)
    if gpu.status not in {"discontinued"} or (gpu.year or 0) < FIRST_USED_YEAR or sold_in_systems(gpu) or price is None:
        return False
    age = age_days(price.as_of)
    return price.kind == "street" and age is not None and age > USED_PRICE_DAYS


def second_hand(gpu: Gpu) -> bool:
    """Whether a card no longer made has a recent street price and goes into an ordinary machine."""
    price = card_price(gpu)
    if gpu.status not in {"discontinued"} or (gpu.year or 0) < FIRST_USED_YEAR or sold_in_systems(gpu) or price is None:
        return False
    age = age_days(price.as_of)
    return price.kind == "street" and age is not None and age <= USED_PRICE_DAYS

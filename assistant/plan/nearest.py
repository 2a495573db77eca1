"""The card that is let and nearest to one that nobody lets, and the terms on which such a card is weighed."""

from functools import lru_cache

from assistant.plan import boards
from assistant.plan.apart import cheapest_offer, rent_of
from assistant.understand.rivals import distance
from kb.catalog import gpus
from kb.market.offers import current_offers
from tools.need import GpuCount, Need

SERVERS = {"data_center", "cloud_only"}
"""Markets of cards that stand in for one another in a server."""


@lru_cache(maxsize=64)
def nearest_let(card: str) -> str | None:
    """The card with dated offers that is nearest in memory, bandwidth and arithmetic, of the same kind of machine."""
    wanted, let = gpus()[card], {one.gpu for one in current_offers() if one.as_of}
    near = [
        one for one in gpus().values()
        if one.id != card and one.id in let
        and (one.market == wanted.market or {one.market, wanted.market} <= SERVERS)
    ]  # fmt: skip
    ranked = sorted(near, key=lambda one: (distance(one, wanted), one.id))
    return next((one.id for one in ranked if cheapest_offer(one.id, None)), None)


def in_its_place(card: str, provider: str | None) -> str | None:
    """The card whose rent stands in for that of `card`; None where `card` is let itself."""
    return None if cheapest_offer(card, provider) else nearest_let(card)


def like_rent(card: GpuCount, need: Need, currency: str) -> dict[str, object]:
    """The rent of as many of the nearest card, where nobody lets this one."""
    like = in_its_place(card.gpu, need.provider)
    rent = rent_of(like, need.provider, currency) if like else None
    return {"rent_per_hour": round(rent * (card.count or 1), 4)} if rent is not None else {}


def unsold_terms(piece: GpuCount, need: Need, currency: str) -> dict[str, object]:
    """How fewer cards than a server holds are weighed: rented; where nobody lets them, at the rent of the nearest card
    against a whole server."""
    terms = like_rent(piece, need, currency)
    return terms | {"gpu_count": boards.whole(piece).count, "acquisition": None} if terms else {"acquisition": "rent"}

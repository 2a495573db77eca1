"""A card to rent that is known by its memory alone: "rent 80GB for 5 hours" means the cheapest of that size."""

from functools import lru_cache

from kb.catalog import gpus, offers

WHOLE_CARD = 1


@lru_cache(maxsize=64)
def rented_of(memory_bytes: int) -> tuple[str, ...]:
    """Cards of that memory that are on rent at a dated price, by the least asked for one; none where there is none."""
    least: dict[str, float] = {}
    for offer in offers():
        card, price = gpus().get(offer.gpu or ""), offer.on_demand_usd_per_hour
        if card is None or card.memory_bytes != memory_bytes or not price or not offer.as_of:
            continue
        if offer.gpu_count >= WHOLE_CARD:
            each = float(price / offer.gpu_count)
            least[card.id] = min(each, least.get(card.id, each))
    return tuple(sorted(least, key=lambda key: (least[key], key)))

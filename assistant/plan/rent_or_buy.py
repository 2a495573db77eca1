"""Renting against buying: hardware and offers."""

from assistant.plan import duration, requests
from assistant.plan.call import PlannedCall
from assistant.plan.ways import only
from assistant.understanding import Understanding
from tools.need import Need


def calls(need: Need, understanding: Understanding) -> list[PlannedCall | None]:
    """Hardware and offers; what owning costs follows in the second wave, by the bills found in this one."""
    card = next(iter(requests.cards(need)), None)
    elsewhere = "rent" if only(understanding.text, need) == "rent" else "buy"
    return [
        requests.configure(need),
        requests.configure(need, provider=None, acquisition=elsewhere) if need.provider and card is None else None,
        requests.memory(need, card),
        requests.offers(need, card.gpu if card else None, card.count if card else None),
        requests.offers(need.model_copy(update={"provider": None}), card.gpu if card else None),
        duration.of_a_run(understanding, need),
        requests.comparison(need) or requests.gpu_facts(need),
    ]

"""What a person's machine does run of a series whose large member was asked about."""

from assistant.plan import requests
from assistant.plan.call import PlannedCall, planned
from kb.catalog import gpu, models
from kb.naming.series import smaller_of_series
from kb.units import GIB
from tools.need import Need

LEAST_BITS = 4.5
"""Bits of a weight below which a smaller model of the series answers better than more quantisation."""
MACHINE_BYTES = 128 * GIB
"""Most memory for a model in a machine of one person; who has more decides about hardware, not about the model."""
OWN_CARDS = 2
TRIED = 12
"""Members tried, the largest first."""


def smaller(need: Need) -> PlannedCall | None:
    """What fits of the series, where even four bits of the model asked about are more than the machine's memory."""
    cards, model = requests.cards(need), models().get(need.model or "")
    if model is not None and model.kind not in ("llm", "vlm"):
        return None
    if len(cards) != 1 or model is None or requests.is_training(need) or need.host_memory_bytes:
        return None
    card, count = gpu(cards[0].gpu), cards[0].count or 1
    held = card.usable_bytes * count
    if count > OWN_CARDS or held > MACHINE_BYTES or model.params * LEAST_BITS / 8 <= held:
        return None
    members = smaller_of_series(model.id)[:TRIED]
    gpus = [{"gpu": card.id, "count": count}]
    return planned("what_fits", gpus=gpus, models=members, task="inference") if members else None

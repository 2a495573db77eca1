"""How many cards keep up with texts or speech that come at some rate: memory is the least of it."""

from assistant.plan import requests
from assistant.plan.amounts import TEXT_TOKENS, amounts, model_kind, rate
from assistant.plan.call import PlannedCall
from assistant.understanding import Understanding
from kb.catalog import gpu, model
from tools.configure.market.conditions import meets
from tools.need import GpuCount, Need

CARDS_MAX = 3
"""Kinds of card looked at one by one."""
SIXTEEN_BIT_BYTES = 2
FILLED = 0.85
"""Share of a card's memory that weights may take, so that the work beside them has room."""
BATCH = 32
"""Texts that an embedding server puts through at once."""
USUAL = ("rtx-4060-ti-16gb", "rtx-4090-24gb", "l4-24gb", "rx-7900-xtx-24gb")
"""Cards for speech and pictures where none is named: small, large, for a server, and without CUDA."""


def calls(need: Need, understanding: Understanding) -> list[PlannedCall | None] | None:
    """The pace of each kind of card, named or usual; None where nothing comes at a rate."""
    items = model_kind(need) in ("speech", "diffusion", "vision")
    if not rate(need, understanding.text):
        return None
    named = [card.gpu for card in requests.cards(need)] or [one for one in USUAL if meets(gpu(one), need.conditions)]
    cards = [GpuCount(gpu=one, count=1) for one in named[:CARDS_MAX]]
    wanted = amounts(need, understanding.text)
    alone = need.model_copy(update={"concurrent_sequences": None}) if items else need
    rates = {key: value for key, value in wanted.items() if key in ("audio_s_per_s", "images_per_s")}
    length = {"input_tokens": need.context_tokens or TEXT_TOKENS} if model_kind(need) == "embedding" else {}
    batch: dict[str, object] = rates if items else {"concurrent_sequences": BATCH, **length}
    forms = {card.gpu: need.weight_format or _held(need, card.gpu) for card in cards}
    paced = [requests.speed(alone, card, forms[card.gpu], text=understanding.text, **batch) for card in cards]
    return [*paced, *(requests.memory(alone, card, weight_format=forms[card.gpu]) for card in cards[:1])]


def _held(need: Need, card: str) -> str:
    """Sixteen bits, or eight where those leave no room on the card for the pictures."""
    known, found = model(need.model) if need.model else None, gpu(card)
    if known is None or known.params * SIXTEEN_BIT_BYTES <= FILLED * found.usable_bytes:
        return "fp16"
    return "fp8" if found.fp8_flops else "int8"

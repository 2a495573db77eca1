"""What just misses a card: files of fewer bits, told as what they are, and shorter samples."""

from assistant.answer import ToolCallRecord
from assistant.plan import requests
from assistant.plan.call import PlannedCall, planned
from assistant.plan.formats import HOST_LADDER_MXFP4, bits, smaller_formats
from assistant.plan.nameless import common
from assistant.plan.own_files import held
from assistant.understand.standing import other_than_language
from kb.catalog import gpu
from kb.constants.memory_constants import constants
from kb.units import GIB
from tools.need import GpuCount, Need

SHORTER_SAMPLES = (1024, 512)
"""Lengths to which an adapter's samples are cut where nothing was said of them and a card just misses."""
SMALL_CARD_BYTES = 32 * GIB
"""Largest card on which people turn to llama.cpp to make a model fit."""
GGUF_BITS = 4.85
"""Bits a weight of Q4_K_M, tables and norms included."""
FULL_CARD, JUST_MISSED = 0.8, 1.25
"""Shares of a card between which Q3_K_M is worth a look, where weights at those bits leave no room or just miss."""
GGUF_TIGHT = ("gguf:Q4_K_M", "gguf:IQ4_XS", "gguf:Q3_K_M", "gguf:Q2_K", "gguf:IQ2_M", "gguf:IQ2_XS")
"""Files of four bits and fewer, largest first: what is tried where the one that was asked for just misses."""
GGUF_MOST_BITS, TIGHTER_MAX = 4, 3
"""Bits from which down a file is looked at beside the next smaller ones, and how many of those."""


def tighter_files(weight_format: str | None) -> tuple[str, ...]:
    """The GGUF files next smaller than one of four bits or fewer; none for other formats."""
    name = weight_format or ""
    if name in GGUF_TIGHT:
        return GGUF_TIGHT[GGUF_TIGHT.index(name) + 1 :][:TIGHTER_MAX]
    if not name.startswith("gguf:") or bits(name) > GGUF_MOST_BITS:
        return ()
    return tuple(one for one in GGUF_TIGHT if bits(one) < bits(name))[:TIGHTER_MAX]


def for_small_cards(need: Need, record: ToolCallRecord, card: GpuCount | None) -> tuple[str, ...]:
    """llama.cpp's formats where four bits just miss a small card: it holds less beside the weights than vLLM."""
    name = card.gpu if card is not None else common(need.memory_bytes_per_gpu)
    if name is None or need.engine or gpu(name).memory_bytes > SMALL_CARD_BYTES:
        return ()
    used = record.result.get("weight_format") or ""
    if used.startswith("gguf:") or other_than_language(need):
        return ()
    if used == "mxfp4":
        return HOST_LADDER_MXFP4
    on_cards = card if card is not None else GpuCount(gpu=name, count=need.gpu_count)
    served = smaller_formats(used, None, name)
    if served and held(requests.memory(need, on_cards, weight_format=served[-1])):
        return ()
    parts = record.result.get("per_gpu", {}).get("parts", ())
    weights = sum(part["bytes"] for part in parts if part["name"] == "weights")
    four_bit, usable = weights * GGUF_BITS / bits(used), gpu(name).usable_bytes
    count = (card.count if card is not None else need.gpu_count) or 1
    uneven = JUST_MISSED if count > 1 else 1  # one stage of several holds the tables too
    names = ("gguf:Q4_K_M",) if four_bit <= uneven * usable else ()
    return (*names, *(("gguf:Q3_K_M",) if FULL_CARD * usable < four_bit <= JUST_MISSED * usable else ()))


def shorter_samples(record: ToolCallRecord) -> PlannedCall | None:
    """The same adapters on samples cut to the longest of the usual lengths with which the card holds them.

    What stands in memory for the tokens of a sample shrinks with their number (Korthikanti et al., 2022: linear with
    recomputation); None where even the shortest leaves too much.
    """
    per_gpu, usable = record.result.get("per_gpu", {}), (record.result.get("fit") or {}).get("usable_bytes") or 0
    of_tokens = sum(one["bytes"] for one in per_gpu.get("parts", ()) if one["name"] in {"activations", "logits"})
    fixed = per_gpu.get("total_bytes", 0) - of_tokens
    now = record.request.get("sequence_tokens") or constants().defaults.sequence_tokens
    held = (tokens for tokens in SHORTER_SAMPLES if tokens < now and fixed + of_tokens * tokens / now <= usable)
    longest = next(held, None)
    return planned("estimate_memory", **(record.request | {"sequence_tokens": longest})) if longest else None

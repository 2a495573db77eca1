"""A smaller format and a quantised KV cache together: what holds a model where neither does by itself."""

from assistant.answer import ToolCallRecord
from assistant.plan import requests
from assistant.plan.amounts import model_kind
from assistant.plan.call import PlannedCall
from assistant.plan.formats import bits, packed_format
from kb.catalog import gpu
from tools.need import GpuCount, Need

CACHE_SHARE = 0.04
"""Share of a card's usable memory from which on halving the KV cache is worth a look."""
_EIGHT_BIT = {True: "q8_0", False: "fp8"}
"""The eight-bit KV cache of llama.cpp, and of servers on cards that compute in FP8."""


def squeezed(need: Need, record: ToolCallRecord, card: GpuCount | None, tried: tuple[str, ...]) -> PlannedCall | None:
    """The smallest of the formats `tried` with its KV cache in eight bits, where that cache is what is too much.

    Cards that do not compute in FP8 take llama.cpp's cache; None where the cache matters little, or its format or the
    weights' was stated.
    """
    asked = need.kv_format is None and need.weight_format in {None, packed_format(need.model)}
    if card is None or not asked or model_kind(need) not in {"llm", "vlm", None}:
        return None
    parts = record.result.get("per_gpu", {}).get("parts", ())
    cache = sum(part["bytes"] for part in parts if part["name"] == "kv_cache")
    if cache < CACHE_SHARE * gpu(card.gpu).usable_bytes:
        return None
    smallest = min((*tried, *((need.weight_format,) if need.weight_format else ())), key=bits, default=None)
    files = any(name.startswith("gguf:") for name in tried)
    packed = need.engine == "llama.cpp" or gpu(card.gpu).fp8_flops is None or files
    if need.engine not in {None, "llama.cpp"}:
        packed = False
    form = packed_format(need.model) if packed else smallest
    return requests.memory(need, card, weight_format=form, kv_format=_EIGHT_BIT[packed])

"""A language model on one person's own machine, or for the least money: four bits a weight, whatever holds them."""

import re
from collections.abc import Sequence
from typing import Any

from assistant.answer import ToolCallRecord
from assistant.plan import requests
from assistant.plan.amounts import model_kind
from assistant.plan.call import PlannedCall
from assistant.plan.formats import packed_format
from assistant.plan.instead import desks
from assistant.plan.purse import organised
from assistant.plan.spill import HOST_BYTES, MARGIN, host_bandwidth_bytes_per_s
from assistant.plan.ways import asks_for_cheapest, only
from assistant.plan.whose import at_home
from assistant.understanding import Understanding
from kb.catalog import gpu
from kb.units import GIB
from tools.need import GpuCount, Need
from tools.prices import card_price

SHOPPING = ("which_to_buy", "budget", "cloud_or_buy")
"""Intents of who looks for a machine."""
SIZING = (*SHOPPING, "min_vram", "can_it_run")
"""The same of who asks for the cheapest that runs it."""
WONDERING = (*SIZING, "how_many_gpus", "spec", "guidance", "other")
"""The same of who wonders whether there is one at all for so large a model."""
HOME_BYTES = 96 * GIB
"""What the largest graphics of one desktop hold: two cards of 48 GB, or what a machine of 128 GB leaves to them."""
CARD, CARDS_MOST = "rtx-3090-24gb", 4
"""The second-hand card that people put together for large models, and how many of them go into one machine."""
SERVER_BYTES = tuple(size * GIB for size in (256, 384, 512, 768, 1024, 1536))
"""Memory as servers for one processor have it."""
SERVED = "awq"
"""Four bits as servers read them: what is rented by the hour for more than one desktop holds."""
NARROW = "gguf:Q2_K"
"""The file of a model that no machine of one memory holds in four bits."""
_PC = re.compile(
    r"\bhome (?:pc|computer|server|rig|lab|setup)|\b(?:consumer|gaming) (?:pc|hardware|gpus?|cards?)"
    r"|家用|消费级|个人电脑|普通电脑",
    re.I,
)
"""Words of a machine that one person has at home."""
_COMPARED = re.compile(
    r"租.{0,6}还是.{0,4}买|买.{0,6}还是.{0,4}租"
    r"|\brent(?:ing)? (?:or|vs\.?|versus) (?:to )?buy|\bbuy(?:ing)? (?:or|vs\.?|versus) (?:to )?rent",
    re.I,
)
"""Words that hold renting against buying: what it comes to over the years decides that."""


def asked(understanding: Understanding) -> bool:
    """Whether one person's own machine, or the cheapest, is looked for to run a language model of known size."""
    need, text = understanding.need, understanding.text
    if understanding.error_text or understanding.command or need.budget or need.provider or need.conditions:
        return False
    described = requests.named_gpus(need) or need.gpus_proposed or need.memory_bytes_per_gpu or need.host_memory_bytes
    if described or not requests.sized(need) or requests.is_training(need) or need.target_tokens_per_s:
        return False
    if model_kind(need) not in {"llm", "vlm", None} or need.engine not in (None, "llama.cpp"):
        return False
    alone = (need.concurrent_sequences or 1) == 1 and (need.users or 1) == 1 and not organised(understanding)
    stated = need.weight_format is not None and not need.weight_format.startswith("gguf:")
    if not alone or stated or only(text, need) == "rent" or _COMPARED.search(text):
        return False
    cheapest = asks_for_cheapest(text)
    if cheapest and need.intent in SIZING:
        return True
    large = beyond_home(need) or (stored_bytes(need) > gpu(CARD).usable_bytes and need.intent in SHOPPING)
    return homely(need, text) and large and need.intent in WONDERING


def homely(need: Need, text: str) -> bool:
    """Whether it is to stand at somebody's home."""
    return at_home(text, need) or _PC.search(text) is not None


def form_of(need: Need) -> str:
    """The file that is run: as named, else the one most people download."""
    return need.weight_format or packed_format(need.model)


def stored_bytes(need: Need) -> float:
    """Weights of the model in four bits and a half, which is what such files come to."""
    return (need.params or 0) * 4.5 / 8


def beyond_home(need: Need) -> bool:
    """Whether it is more than the largest desktop holds."""
    return stored_bytes(need) > HOME_BYTES


def calls(need: Need, understanding: Understanding) -> list[PlannedCall | None]:
    """What it takes, what is bought and rented for it, machines of one memory, and second-hand cards that just do."""
    form = form_of(need)
    priced = tuple(name for name in desks() if card_price(gpu(name)) is not None)
    others = tuple(name for name in desks() if name not in priced)
    packed: dict[str, Any] = {"weight_format": form, "tensor_parallel": None}
    large = beyond_home(need)
    pairs = -(-int(stored_bytes(need) * 1.1) // gpu(CARD).usable_bytes)
    return [
        requests.memory(need, weight_format=form, engine="llama.cpp"),
        requests.configure(need, **packed) if not (large and homely(need, understanding.text)) else None,
        requests.configure(need, weight_format=SERVED, acquisition="rent") if large else None,
        requests.configure(need, gpus_asked=priced, acquisition="buy", **packed),
        requests.configure(need, gpus_asked=others, acquisition="buy", **packed) if large else None,
        requests.configure(
            need, gpus_asked=(CARD,), gpus_proposed=(GpuCount(gpu=CARD, count=pairs),), acquisition="buy", **packed
        )
        if 1 < pairs <= CARDS_MOST
        else None,
    ]


def more(need: Need, understanding: Understanding, results: Sequence[ToolCallRecord]) -> list[PlannedCall | None]:
    """What no desktop holds, on a processor's memory with one card beside it."""
    found = next((one for one in results if one.tool == "estimate_memory" and "error" not in one.result), None)
    if found is None or not beyond_home(need):
        return []
    rows = (row for one in results if one.tool == "configure" for row in one.result.get("configurations", ()))
    held = any(row["gpu"] in desks() for row in rows)
    narrow = None if held else requests.configure(need, gpus_asked=desks(), acquisition="buy", weight_format=NARROW)
    parts = found.result["per_gpu"]["parts"]
    weights = sum(part["bytes"] for part in parts if part["name"] == "weights")
    left = MARGIN * weights - gpu(CARD).usable_bytes
    host = next((size for size in (*HOST_BYTES, *SERVER_BYTES) if size >= left + 8 * GIB), None)
    if host is None:
        return [narrow]
    form, card = form_of(need), GpuCount(gpu=CARD, count=1)
    split = need.model_copy(update={"engine": "llama.cpp", "tensor_parallel": None, "host_memory_bytes": host})
    served = host_bandwidth_bytes_per_s(understanding.text, host)
    return [
        narrow,
        requests.memory(
            split, card, weight_format=form, host_memory_bytes=host, tensor_parallel=None, pipeline_parallel=1
        ),
        requests.speed(split, card, form, host_bandwidth_bytes_per_s=served),
    ]

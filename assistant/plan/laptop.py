"""A laptop to be bought for a language model: which size of graphics memory, and which chips have it."""

import re
from collections.abc import Sequence

from assistant.answer import ToolCallRecord
from assistant.plan import requests
from assistant.plan.amounts import model_kind
from assistant.plan.call import PlannedCall, planned
from assistant.plan.formats import packed_format
from assistant.understanding import Understanding
from kb.catalog import gpus
from kb.records.gpu import Gpu
from tools.need import GpuCount, Need

_LAPTOP = re.compile(r"笔记本|\blaptops?\b|\b(?<!jupyter )notebooks?\b(?! (?:server|users?))", re.I)
_WANTED = ("which_to_buy", "min_vram", "can_it_run", "budget", "spec", "how_many_gpus")
"""Intents of who looks for one; without a card there is nothing yet for it to run on."""
_SOLD_YEARS = 2
"""Years that a chip may be older than the newest and laptops with it are still sold."""


def asked(understanding: Understanding) -> bool:
    """Whether a laptop is what is to run a language model of known size, and none is described."""
    need = understanding.need
    if not _LAPTOP.search(understanding.text) or understanding.error_text or understanding.command or need.budget:
        return False
    described = requests.named_gpus(need) or need.memory_bytes_per_gpu or need.host_memory_bytes or need.gpus_owned
    if described or not requests.sized(need) or requests.is_training(need):
        return False
    return need.intent in _WANTED and model_kind(need) in {"llm", "vlm", None}


def calls(need: Need) -> list[PlannedCall | None]:
    """What it takes as people run it at home, and the data sheets of the chips."""
    return [
        requests.memory(need, weight_format=_form(need), engine="llama.cpp"),
        planned("find_gpus", market="laptop", vendor="NVIDIA", where=(f"year >= {_sold_since()}",), sort="memory"),
    ]


def more(need: Need, results: Sequence[ToolCallRecord]) -> list[PlannedCall | None]:
    """How fast the smallest and fastest chip that holds it answers."""
    found = next((one for one in results if one.tool == "estimate_memory" and "error" not in one.result), None)
    chips = holding(found.result["per_gpu"]["high_bytes"]) if found else []
    if not chips:
        return []
    return [requests.speed(need, GpuCount(gpu=chips[0].id, count=1), _form(need), engine="llama.cpp")]


def holding(needed_bytes: int) -> list[Gpu]:
    """Laptop chips of the smallest memory that surely holds so much, the fastest first; none where no laptop does."""
    since = _sold_since()
    enough = [one for one in _chips() if (one.year or 0) >= since and one.usable_bytes >= needed_bytes]
    least = min((one.memory_bytes for one in enough), default=0)
    alike = [one for one in enough if one.memory_bytes == least]
    return sorted(alike, key=lambda one: (-(one.bandwidth_bytes_per_s or 0), one.id))


def _chips() -> list[Gpu]:
    return [one for one in gpus().values() if one.market == "laptop" and one.vendor == "NVIDIA"]


def _sold_since() -> int:
    return max(one.year or 0 for one in _chips()) - _SOLD_YEARS


def _form(need: Need) -> str:
    return need.weight_format or packed_format(need.model)

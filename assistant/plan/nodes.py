"""A language model served over several machines that a network joins: what the network costs, and what avoids it."""

import re
from collections.abc import Sequence

from assistant.answer import ToolCallRecord
from assistant.plan import network, requests
from assistant.plan.amounts import model_kind
from assistant.plan.call import PlannedCall
from assistant.plan.formats import bits, native_format, smaller_formats
from assistant.understand.reading import TRAINING
from assistant.understanding import Understanding
from kb.catalog import gpu
from tools.need import GpuCount, Need

BOARD = 8
"""Cards of a machine of a card that comes on boards."""
FABRIC = re.compile(r"\broce\b|infiniband|\bib\b|\brdma\b|以太网?|ethernet|组网|万兆|千兆|互[联连]", re.I)
"""Words for what joins machines."""
_OTHER = ("oom", "compare", "launch_files", "power", "spec", "training_time", "cloud_or_buy", "which_to_buy", "budget")
SLOW_BYTES_PER_S = 50 * network.GIGABIT_BYTES_PER_S
"""A network below this is no place for the exchange of every layer."""


def spread(understanding: Understanding) -> tuple[GpuCount, int] | None:
    """All the cards and how many of them a machine has; None where they stand in one, or each in its own."""
    need, text = understanding.need, understanding.text
    cards = requests.cards(need)
    count = cards[0].count if len(cards) == 1 else None
    if not count:
        return None
    card, told = cards[0], network.machines(text)
    on_board = gpu(card.gpu).form_factor.upper().startswith(("SXM", "OAM"))
    machines = told or (count // BOARD if on_board and count % BOARD == 0 else 1)
    if machines < 2 or count % machines or count // machines < 2:
        return None
    return card, count // machines


def asked(understanding: Understanding) -> bool:
    """Whether a network between machines is spoken of, with no training on it."""
    need, text = understanding.need, understanding.text
    if need.intent in _OTHER or need.task in TRAINING or understanding.error_text or need.budget:
        return False
    if model_kind(need) not in ("llm", "vlm", None) or need.task not in (None, "inference", "general", "rag"):
        return False
    joined = FABRIC.search(text) is not None or network.bandwidth(text) is not None
    return joined and spread(understanding) is not None


def calls(need: Need, understanding: Understanding) -> list[PlannedCall | None]:
    """The memory over all machines and on one, in each format; without a model what all of them hold."""
    found = spread(understanding)
    if found is None:
        return []
    card, each = found
    if not requests.sized(need):
        return [requests.what_fits(need, understanding.text), requests.gpu_facts(need)]
    one = card.model_copy(update={"count": each})
    full, stages = need.model_copy(update={"tensor_parallel": None}), (card.count or 1) // each
    return [
        *(
            requests.memory(full, card, weight_format=name, tensor_parallel=each, pipeline_parallel=stages)
            for name in formats(need, card)
        ),
        *(requests.memory(full, one, weight_format=name) for name in formats(need, card)),
        requests.gpu_facts(need),
    ]


def formats(need: Need, card: GpuCount) -> list[str | None]:
    """As said, else as published and the smaller ones."""
    if need.weight_format:
        return [need.weight_format]
    published = native_format(need.model)
    if published == "fp8" and not gpu(card.gpu).fp8_flops:
        published = "bf16"  # what such a card widens it to
    return [None, *(name for name in smaller_formats(published, need.engine, card.gpu) if bits(name) < bits(published))]


def more(need: Need, understanding: Understanding, results: Sequence[ToolCallRecord]) -> list[PlannedCall | None]:
    """How fast the first format that all of them hold is so, and the first that one machine holds on it alone."""
    found = spread(understanding)
    if found is None or not requests.sized(need):
        return []
    card, each = found
    machines = (card.count or 1) // each
    wide, alone = held(results, card.count or 1), held(results, each)
    one = card.model_copy(update={"count": each})
    return [
        requests.speed(need, card, wide.result["weight_format"], tensor_parallel=each, pipeline_parallel=machines)
        if wide else None,
        requests.speed(need, one, alone.result["weight_format"], tensor_parallel=each) if alone else None,
    ]  # fmt: skip


def held(results: Sequence[ToolCallRecord], count: int) -> ToolCallRecord | None:
    """The first estimate on so many cards that fits them."""
    return next(
        (one for one in results if one.tool == "estimate_memory" and (fit := one.result.get("fit"))
         and one.result["gpus"] == count and fit["verdict"] != "no"), None,
    )  # fmt: skip

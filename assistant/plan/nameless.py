"""Cards known only by their memory, where an answer takes a card: reckoned as a common one of that size."""

from functools import lru_cache

from assistant.understanding import Understanding
from kb.catalog import gpu, gpus, model
from tools.memory.fit import COMMON_GPUS
from tools.need import GpuCount, Need

_PACED = ("speed", "training_time", "context_length", "concurrency")
"""What is worked out only of a card with a name: its pace, and what it has room for."""
_TENSOR_CORES_OF_TODAY = 8.0
"""Compute capability of the oldest cards that stand for a size."""


def counted_as(understanding: Understanding) -> str | None:
    """The common card that cards of such memory are taken as; None where nothing turns on it, or none has that size."""
    need = understanding.need
    stated = need.memory_bytes_per_gpu
    if stated is None or need.gpus_owned or need.gpus_asked or not (need.model or need.params):
        return None
    asked = {need.intent, *understanding.asks}
    turns = asked & set(_PACED) or need.host_memory_bytes or understanding.beside or _mixture(need)
    if not (need.intent == "how_many_gpus" or turns):
        return None
    return common(stated)


@lru_cache(maxsize=64)
def common(memory_bytes: int | None) -> str | None:
    """A common card with so much memory, else the slowest desktop card that has it; None where there is none."""
    if memory_bytes is None:
        return None
    found = next((name for name in COMMON_GPUS if gpu(name).memory_bytes == memory_bytes), None)
    desktop = [
        one
        for one in gpus().values()
        if one.vendor == "NVIDIA"
        and one.memory_bytes == memory_bytes
        and one.market == "consumer"
        and one.status not in {"announced", "modified"}
        and float(one.compute_capability or 0) >= _TENSOR_CORES_OF_TODAY
        and one.bandwidth_bytes_per_s
    ]
    slowest = min(desktop, key=lambda one: (one.bandwidth_bytes_per_s or 0, one.id), default=None)
    return found or (slowest.id if slowest else None)


def _mixture(need: Need) -> bool:
    """Whether it is a mixture of experts, which a card and the host's memory run together, as fast as the card is."""
    return need.model is not None and model(need.model).experts is not None and need.task in (None, "inference")


def counted(understanding: Understanding, need: Need) -> Need:
    """The need with that card: asked about where its number is the question, else in hand."""
    card = counted_as(understanding)
    if card is None:
        return need
    named: dict[str, object] = {"memory_bytes_per_gpu": None, "gpu_count": None}
    if need.intent == "how_many_gpus":
        return need.model_copy(update=named | {"gpus_asked": (card,)})
    return need.model_copy(update=named | {"gpus_owned": (GpuCount(gpu=card, count=need.gpu_count or 1),)})

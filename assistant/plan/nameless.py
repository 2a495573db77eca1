"""Cards known only by their memory, where an answer takes a card: reckoned as a common one of that size."""

from assistant.understanding import Understanding
from kb.catalog import gpu, model
from tools.memory.fit import COMMON_GPUS
from tools.need import GpuCount, Need

_PACED = ("speed", "training_time")
"""What only a card with a name has."""


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


def common(memory_bytes: int | None) -> str | None:
    """A common card with so much memory; None where there is none, or no size is stated."""
    return next((name for name in COMMON_GPUS if gpu(name).memory_bytes == memory_bytes), None)


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

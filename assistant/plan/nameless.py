"""Cards known only by their memory, where it is their number that is asked: reckoned as a common card of that size."""

from kb.catalog import gpu
from tools.memory.fit import COMMON_GPUS
from tools.need import Need


def counted_as(need: Need) -> str | None:
    """The common card that cards of such memory are counted as; None where they have a name or none has that size."""
    stated = need.memory_bytes_per_gpu
    if need.intent != "how_many_gpus" or stated is None or need.gpus_owned or need.gpus_asked:
        return None
    return next((name for name in COMMON_GPUS if gpu(name).memory_bytes == stated), None)


def counted(need: Need) -> Need:
    """The need with that card asked about, in as many as it takes."""
    card = counted_as(need)
    if card is None:
        return need
    return need.model_copy(update={"gpus_asked": (card,), "memory_bytes_per_gpu": None, "gpu_count": None})

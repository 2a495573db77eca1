"""What stays in the host's memory when the cards are full."""

from kb.base import BadInput
from kb.constants.memory_constants import constants
from kb.records.gpu import Gpu
from tools.memory.interval import interval
from tools.memory.result import HostShare
from tools.memory.term import Phase
from tools.memory.workload import Workload

ENGINE = "llama.cpp"
"""The engine that splits a model between cards and host by layers and by experts."""


def host_share(work: Workload, phase: Phase, gpu: Gpu, host_memory_bytes: int | None) -> HostShare | None:
    """The part of the weights left to the host once every card is full; None when the cards suffice.

        left over = gpus · (peak of a GPU − usable memory of a GPU)

    Only weights may leave the cards: a cache or buffer larger than them makes the verdict no.

    Raises:
        BadInput: another engine than llama.cpp, or training.
    """
    if host_memory_bytes is None:
        return None
    if work.engine != ENGINE or work.family != "serving":
        raise BadInput(
            "host_memory_bytes", f"is for serving with {ENGINE} alone.", f"Set engine to {ENGINE} and a GGUF format."
        )
    left, most = (int(work.gpus * (size - gpu.usable_bytes)) for size in (phase.bytes, interval(work, phase)[1]))
    if left <= 0:
        return None
    usable = int(host_memory_bytes * (1 - constants().llama_cpp.host_reserve_ratio))
    weights = work.gpus * sum(term.bytes for term in phase.terms if term.part == "weights")
    if left > min(usable, weights):
        return HostShare(bytes=left, usable_bytes=usable, verdict="no")
    return HostShare(bytes=left, usable_bytes=usable, verdict="yes" if most <= usable else "tight")

"""How far pre-training recomputes its activations: no further than the cards' memory needs."""

from functools import lru_cache
from typing import Literal

from kb.base import AdvisorError
from tools.memory.estimate import memory_per_gpu
from tools.memory.request import MemoryRequest
from tools.model_fields import ModelFields
from tools.named import read_card
from tools.training_time.request import TrainingTimeRequest

Recomputing = Literal["none", "selective", "full"]
WAYS: tuple[Recomputing, ...] = ("none", "selective", "full")
LAYOUT = ("data_parallel", "tensor_parallel", "pipeline_parallel", "context_parallel", "expert_parallel")
ALIKE = (*ModelFields.model_fields, "optimizer", "precision", "micro_batch_size")
"""What a request for memory asks as one for time does."""


def recomputing(request: TrainingTimeRequest, cards: int, sequence: int) -> Recomputing:
    """The least recomputing with which a training from scratch fits its cards; full, where none does.

    Samples of `sequence` tokens, one a card unless a micro-batch is stated; states shared over the cards as asked, or
    over all of them.
    """
    asked = {name: value for name in ALIKE if (value := getattr(request, name)) is not None}
    layout = {name: value for name in LAYOUT if (value := getattr(request, name)) is not None}
    if cards > 1:
        usual = "zero1" if request.engine == "megatron" else "fsdp"
        layout |= {"sharding": request.sharding or usual} | ({} if layout else {"data_parallel": cards})
    values = asked | layout | {"task": "pretrain", "sequence_tokens": sequence}
    return _least(MemoryRequest.model_validate(values), read_card(request.card)[0].usable_bytes)


@lru_cache(maxsize=4096)
def _least(asked: MemoryRequest, usable_bytes: int) -> Recomputing:
    try:
        for way in WAYS[:-1]:
            if memory_per_gpu(asked.model_copy(update={"gradient_checkpointing": way}))[0].total_bytes <= usable_bytes:
                return way
    except AdvisorError:
        return "none"
    return "full"

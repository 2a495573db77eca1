"""Which layout an engine would be given when the request leaves it open."""

from collections.abc import Iterable

from kb.speed_constants import constants
from tools.speed.allreduce import SWITCHED_BYTES_PER_S
from tools.speed.pace import Pace, pace
from tools.speed.request import InferenceSpeedRequest
from tools.speed.work import Layout, Work


def best_pace(work: Work, request: InferenceSpeedRequest) -> Pace:
    """The pace on the layout asked for, or on the fastest of the usual ones when it was left open.

    Usual: tensor parallel over all cards; attention copies with shared experts (mixtures of experts over a switched
    link under much load, which TensorRT-LLM takes for tensor parallelism too); a pipeline, where cards have no fast
    link.
    """
    candidates = [pace(work.on(layout, request.concurrent_sequences)) for layout in _usual(work, request)]
    return min(candidates, key=lambda found: (found.room is None, -found.total))


def _usual(work: Work, request: InferenceSpeedRequest) -> Iterable[Layout]:
    yield work.layout
    cards = work.layout.tensor
    free = request.tensor_parallel is None and request.pipeline_parallel is None
    if cards == 1 or work.engine == "llama.cpp" or not (free or work.engine == "tensorrt-llm"):
        return
    switched = (work.gpu.nvlink_bytes_per_s or 0) >= SWITCHED_BYTES_PER_S
    many = work.sequences >= constants().decode.attention_copies_from * cards
    if work.arch.moe and switched and many:
        yield work.layout._replace(attention_copies=True)
    if free and not switched and work.sequences > 1:
        yield Layout(1, cards, 1)

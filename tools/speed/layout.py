"""Which layout an engine would be given when the request leaves it open."""

from collections.abc import Iterable

from kb.constants.speed_constants import constants
from tools.speed.allreduce import node_cards, switched
from tools.speed.capacity import weight_bytes_per_card
from tools.speed.pace import Pace, pace
from tools.speed.request import InferenceSpeedRequest
from tools.speed.work import Layout, Work

BALANCING_STEPS = 30
MOST_SEQUENCES = 1e6


def best_pace(work: Work, request: InferenceSpeedRequest) -> Pace:
    """The pace on the layout asked for, or on the fastest of the usual ones when it was left open.

    Usual: tensor parallel over all cards; attention copies with shared experts (mixtures of experts over a switched
    link under much load, which TensorRT-LLM takes for tensor parallelism too); a pipeline, where cards have no fast
    link, and one of bridged groups; beyond one node a copy on each, or a pipeline over nodes, which
    one stream is only given where its heads do not divide over all cards: it was measured without.
    """
    if request.requests_per_s is None or request.concurrent_sequences > 1:
        return _fastest(work, request, request.concurrent_sequences)
    return _in_balance(work, request, request.requests_per_s)


def _fastest(work: Work, request: InferenceSpeedRequest, sequences: float) -> Pace:
    loaded = work.on(work.layout, sequences)
    candidates = [pace(loaded.on(layout, sequences)) for layout in _usual(loaded, request)]
    return min(candidates, key=_rank)


def _rank(found: Pace) -> tuple[bool, float, float]:
    """Layouts that hold the weights by their rate; where none does, those first that share them most widely."""
    full = found.room is None
    return full, weight_bytes_per_card(found.work) if full else 0.0, -found.total


def _in_balance(work: Work, request: InferenceSpeedRequest, requests_per_s: float) -> Pace:
    """The load at which as many sequences are under way as arrive while one is answered (Little's law).

        sequences = requests_per_s · (time to first token + output_tokens · time per output token)

    An arrival rate beyond what the cards can serve ends at the most they hold.
    """
    sequences, found = 1.0, _fastest(work, request, 1.0)
    for _ in range(BALANCING_STEPS):
        under_way = requests_per_s * (found.first_token_s + work.output_tokens * found.output_token_s)
        sequences = min(max((sequences + under_way) / 2, 1.0), MOST_SEQUENCES)
        found = _fastest(work, request, sequences)
        if found.at_capacity or abs(under_way / sequences - 1) < 0.01:
            break
    return found


def _usual(work: Work, request: InferenceSpeedRequest) -> Iterable[Layout]:
    yield work.layout
    cards = work.layout.tensor
    free = request.tensor_parallel is None and request.pipeline_parallel is None
    whole = request.expert_parallel == 1 and not free
    if cards == 1 or whole or work.engine == "llama.cpp" or not (free or work.engine == "tensorrt-llm"):
        return
    node = node_cards(work.gpu)
    if free and cards > node and cards % node == 0:
        if work.sequences > 1 or work.arch.heads % cards:
            yield Layout(node, cards // node, 1)
        yield Layout(node, 1, cards // node)
    fast, reach = switched(work.gpu, min(cards, node)), work.gpu.link_cards
    many = work.sequences >= constants().decode.attention_copies_from * cards
    if work.arch.moe and many and (fast or work.engine == "tensorrt-llm"):
        yield work.layout._replace(attention_copies=True)
    if free and not fast and work.sequences > 1:
        yield Layout(1, cards, 1)
        if reach and switched(work.gpu, reach) and cards > reach and cards % reach == 0:
            yield Layout(reach, cards // reach, 1)

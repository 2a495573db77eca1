"""What the cards do not hold kept in the host's memory: llama.cpp serves it so, a mixture's experts above all."""

import re

from assistant.answer import ToolCallRecord
from assistant.plan import own_files, requests
from assistant.plan.amounts import model_kind
from assistant.plan.call import PlannedCall
from assistant.plan.formats import HOST_LADDER, HOST_LADDER_MXFP4, bits
from assistant.understand.host_memory import bandwidth_bytes_per_s
from assistant.understanding import Understanding
from kb.catalog import gpu, model
from kb.constants.speed_constants import constants as speed_constants
from kb.records.gpu import Gpu
from kb.units import GIB
from tools.memory.formats import weight_format
from tools.need import GpuCount, Need

SERVER = re.compile(r"epyc|xeon|threadripper|霄龙|至强|线程撕裂者|(?:八|12|十二) ?通道|(?:8|12)[- ]?channel", re.I)
"""Words that put the host's memory on a server's many channels."""
DESKTOP_MOST_BYTES = 256 * GIB
"""Memory that a desktop takes at the most: four modules of 64 GB on two channels."""
UNIFIED = ("apu", "module")
"""Kinds of chip whose graphics use the host's memory: there is none beside it."""
DESKTOP = ("consumer", "workstation", "laptop")
"""Markets of cards that stand in one person's computer."""
HOST_BYTES = tuple(size * GIB for size in (32, 64, 96, 128, 192))
"""Memory as desktop computers have it."""
DENSE_SHARE = 0.25
"""Most of a dense model's weights that are proposed to lie in the host's memory: a quarter already takes as long there
as a card of 700 GB/s takes for all of them."""
MARGIN = 1.35
"""Times the weights that memory must have room for: the cache, the engine and the system beside them."""


def with_host(
    understanding: Understanding, need: Need, first: ToolCallRecord | None, card: GpuCount | None
) -> list[PlannedCall | None]:
    """The model split between the cards and the host's memory, where its size was told or a mixture is asked about.

    `first`: the first estimate on a card, that did not fit on `card`. A server's memory is several times as fast as
    the desktop's that is assumed otherwise: what the words say of it counts, else a size that no desktop takes.
    """
    if first is None or card is None or requests.is_training(need) or gpu(card.gpu).market in UNIFIED:
        return []
    if own_files.best_of(need, first, card) is not None:
        return []  # the cards hold a file of four bits and more by themselves
    host = need.host_memory_bytes or taken(need, card)
    if host is None:
        return []
    split = need.model_copy(update={"engine": "llama.cpp", "tensor_parallel": None, "host_memory_bytes": host})
    ladder = HOST_LADDER_MXFP4 if first.result.get("weight_format") == "mxfp4" else HOST_LADDER
    stated = need.weight_format if (need.weight_format or "").startswith("gguf:") else None
    names = (stated,) if stated else ladder if need.host_memory_bytes else ladder[:1]
    served = host_bandwidth_bytes_per_s(understanding.text, host)
    stages = card.count or 1
    return [
        *(
            requests.memory(
                split, card, weight_format=name, host_memory_bytes=host, tensor_parallel=None, pipeline_parallel=stages
            )
            for name in names
        ),
        *(requests.speed(split, card, name, host_bandwidth_bytes_per_s=served) for name in names),
    ]


def host_bandwidth_bytes_per_s(text: str, host_memory_bytes: int) -> float:
    """What the host's memory moves: as said, else a server's where one is meant, else a desktop's."""
    usual = speed_constants().host
    server = SERVER.search(text) is not None or host_memory_bytes > DESKTOP_MOST_BYTES
    if server:
        return bandwidth_bytes_per_s(text, usual_channels=None) or usual.server_bandwidth_bytes_per_s
    return bandwidth_bytes_per_s(text) or usual.bandwidth_bytes_per_s


def taken(need: Need, card: GpuCount) -> int | None:
    """The least memory a desktop has that holds the rest of the model, where none was told; null where none does.

    Only for one person on a card of their own: of a dense model every weight is read for every token, so where more
    than a small part of it would lie in a desktop's memory that is too slow to be proposed unasked.
    """
    one = model(need.model) if need.model else None
    alone = (need.concurrent_sequences or 1) == 1 and (need.users or 1) == 1 and need.engine in (None, "llama.cpp")
    files = need.weight_format is None or need.weight_format.startswith("gguf:")
    if one is None or not (alone and files) or model_kind(need) not in ("llm", "vlm"):
        return None
    owner: Gpu = gpu(card.gpu)
    if owner.market not in DESKTOP or len(requests.cards(need)) > 1:
        return None
    form = need.weight_format or (HOST_LADDER_MXFP4 if one.native_format == "mxfp4" else HOST_LADDER)[0]
    weights = one.params * bits(form) / 8
    stored = one.params * weight_format(form).body_bits / 8
    if one.experts is None and not 0 < own_files.left_over(need, card, form) <= DENSE_SHARE * stored:
        return None  # too much of it, or nothing
    left = MARGIN * weights - owner.usable_bytes * (card.count or 1)
    return next((size for size in HOST_BYTES if size >= left + 8 * GIB), None)

"""Lanes of a card that unpack quantised weights, where they are slower than its memory brings them."""

import math

from kb.constants.speed_constants import constants
from tools.speed.work import WIDE_BITS, Work, by_card

LOOKED_UP = ("gguf:IQ1", "gguf:IQ2", "gguf:IQ3")
"""File types whose weights are looked up eight or four at a time in tables; IQ4's table has sixteen entries."""


def with_unpacking(work: Work, seconds: float, batch: float, *, resident: float) -> float:
    """Reading and multiplying where the lanes that unpack quantised weights may be slower than the memory.

        (t^p + (ops · P_active · b / lanes)^p)^(1/p), lanes = FP32 rate / 2

    llama.cpp's vector products alone, which unpack every weight again for each sequence; cards with a wide memory for
    their few lanes.
    """
    decode = constants().decode
    ops = unpack_ops(work) if work.engine == "llama.cpp" else 0.0
    lanes = (work.gpu.fp32_flops or 0) / 2
    if not ops or not lanes or work.format.body_bits >= WIDE_BITS or batch > decode.vector_columns:
        return seconds
    power, columns = decode.unpack_overlap_power, math.ceil(batch)
    unpacking = ops * work.arch.active_params * resident * columns / (lanes * work.layout.tensor)
    return float((seconds**power + unpacking**power) ** (1 / power))


def unpack_ops(work: Work) -> float:
    """Operations of a lane that one quantised weight takes; those in tables more on every card."""
    decode = constants().decode
    looked_up = decode.table_ops.get(work.gpu.vendor, 0.0) if work.format.name.startswith(LOOKED_UP) else 0.0
    return max(by_card(work, decode.unpack_ops, 0.0), looked_up)

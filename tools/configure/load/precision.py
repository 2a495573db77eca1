"""How much precision a weight format gives up against what a model was published in."""

from tools.memory.formats import weight_format as bits_of

LOSSES = (0, 1, 2, 3, 4, 5, 6)
"""How much precision is lost, coarsely: none, and down to 8, 6, 5, 4, 3 and fewer bits."""
LEAST_BITS = (16, 8, 6, 5, 4, 3)
"""Fewest bits a weight of each but the last."""
EIGHT_BIT = {"fp8", "int8", "mxfp8"}
WIDE = {"bf16", "fp16", "fp32"}


def precision_lost(weight_format: str, native: str | None) -> int:
    """0 for the published format (or 16 bit and wider), 1 for 8 bit, 2 for 6, 3 for 5, 4 for 4, and more for less."""
    if weight_format == native or weight_format in WIDE:
        return 0
    if weight_format.startswith("gguf:"):
        bits = bits_of(weight_format).expert_bits
        return sum(bits < least for least in LEAST_BITS)
    return 1 if weight_format in EIGHT_BIT else 4

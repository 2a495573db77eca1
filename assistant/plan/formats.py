"""Weight formats in order of size, and what to try next when one does not fit."""

import re
from collections.abc import Sequence

from kb.base import AdvisorError
from kb.catalog import gpu, models
from tools.configure.market.suitable import served_in
from tools.need import GpuCount

SERVING_LADDER = ("bf16", "int8", "int4")
"""Formats worth trying for serving, largest first."""
FP8_LADDER = ("bf16", "fp8", "int4")
"""The same on cards that compute in FP8."""
GGUF_LADDER = ("gguf:Q8_0", "gguf:Q4_K_M")
"""The same for llama.cpp, which serves only GGUF."""
GGUF_SMALLEST = ("gguf:Q3_K_M", "gguf:Q2_K")
"""What people take besides on machines whose memory is not to be enlarged, for a model of twice its size."""
HOST_LADDER = ("gguf:Q4_K_M", "gguf:Q2_K")
"""The same where host memory takes what the cards do not hold."""
HOST_LADDER_MXFP4 = ("gguf:MXFP4",)
"""The same for a model published in MXFP4."""
TRAINING_LADDER = ("full_finetune", "lora", "qlora")
"""Ways to fine-tune, hungriest first."""

WHICH_FORMAT = re.compile(
    r"(?:什么|哪种|哪个|哪些|啥)(?:样的)?(?:量化)?(?:格式|精度|引擎|框架)|怎么量化|(?:用|选|下)(?:什么|哪种|啥)量化"
    r"|\b(?:which|what) (?:weight |quant\w* |model |file )?(?:formats?|quant\w*|engines?|backends?|precision)\b",
    re.I,
)
"""Words that ask for the format or the engine to use on a card."""
EVERY_FORMAT = "AWQ, GPTQ, GGUF, FP8, vLLM, llama.cpp, W8A8"
"""What is checked then besides what was named."""
WIDE = 16
"""Bits a weight of formats that are not quantised."""
AS_PUBLISHED = re.compile(r"满血|(?:非|不|未)量化|原版|原精度|unquanti|full precision|without quanti|no quanti", re.I)
"""Words that rule a smaller format out."""
_BITS = {"fp32": 32, "tf32": 32, "fp8": 8, "int8": 8, "mxfp8": 8}
_FOUR_BIT = ("int4", "nf4", "fp4", "mxfp4", "nvfp4", "awq", "gptq", "w4")


def bits(weight_format: str | None) -> int:
    """Bits a weight, coarsely: enough to order formats; an unknown name counts as 16."""
    name = (weight_format or "bf16").lower()
    if name in _BITS:
        return _BITS[name]
    if name.startswith(_FOUR_BIT):
        return 4
    if name.startswith("gguf:"):
        digits = [c for c in name.removeprefix("gguf:") if c.isdigit()]
        return int(digits[0]) if digits else 16
    return 8 if "8" in name else 16


def same_format(one: str | None, other: str | None) -> bool:
    """Whether two cards hold weights alike: in one format, or each in the 16 bits it computes in."""
    return one == other or bits(one) == bits(other) == WIDE


def native_format(model_id: str | None) -> str | None:
    """The format a catalog model is published in."""
    record = models().get(model_id or "")
    return record.native_format if record else None


def packed_format(model_id: str | None) -> str:
    """The GGUF file most people download of a model: four bits a weight, as published where that is MXFP4."""
    return HOST_LADDER_MXFP4[0] if native_format(model_id) == "mxfp4" else HOST_LADDER[0]


def unified(card: str | None) -> bool:
    """Whether a card is a Mac or an AMD processor whose graphics share its memory: llama.cpp is what serves there."""
    return card is not None and gpu(card).market == "apu" and gpu(card).vendor in {"Apple", "AMD"}


_OF_VLLM = ("awq", "gptq", "fp8", "nvfp4")
"""Checkpoints that llama.cpp does not read, which vLLM serves on a DGX Spark, too."""


def engine_on(weight_format: object, card: GpuCount | None) -> str | None:
    """The engine that a format or a card leaves no choice of; None = the calculators' own."""
    read = str(weight_format or "").startswith("gguf:")
    if read or card is None:
        return "llama.cpp" if read else None
    try:
        found = gpu(card.gpu)
    except AdvisorError:
        return None
    if found.market == "apu" and not unified(found.id):
        return "vllm" if weight_format in _OF_VLLM else "llama.cpp"
    return "llama.cpp" if unified(found.id) else "transformers" if served_in(found) == "files" else None


def smaller_formats(weight_format: str | None, engine: str | None, card: str | None = None) -> tuple[str, ...]:
    """Formats to try when `weight_format` does not fit, largest first; FP8 where `card` computes in it."""
    read = served_in(gpu(card)) if card else "usual"
    gguf = engine == "llama.cpp" or (weight_format or "").startswith("gguf:") or (read == "files" and engine is None)
    if unified(card) and engine in {None, "llama.cpp"}:
        return tuple(name for name in (*GGUF_LADDER, *GGUF_SMALLEST) if bits(name) < bits(weight_format))
    ladder = GGUF_LADDER if gguf else FP8_LADDER if card and gpu(card).fp8_flops else SERVING_LADDER
    if read == "ascend_eight" and not gguf:
        ladder = SERVING_LADDER[:-1]
    return tuple(name for name in ladder if bits(name) < bits(weight_format))


def alike_formats(used: str | None, engine: str | None, cards: Sequence[str]) -> list[dict[str, str]]:
    """Smaller formats of as many bits for every card, the smallest first: that is what all of them may hold."""
    ladders = {card: {bits(name): name for name in smaller_formats(used, engine, card)} for card in cards}
    shared = sorted(set.intersection(*(set(ladder) for ladder in ladders.values())))
    return [{card: ladder[size] for card, ladder in ladders.items()} for size in shared]

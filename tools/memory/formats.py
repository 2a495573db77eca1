"""Weight formats: bits a weight, what stays at 16 bits, and how a GGUF file mixes its block formats."""

import re
from functools import lru_cache
from typing import NamedTuple

from kb.base import BadInput
from kb.constants.memory_constants import GgufMix, constants
from kb.records.gpu import Gpu

_SEPARATORS = re.compile(r"[\s-]+")


class WeightFormat(NamedTuple):
    """Bits a weight of each kind of matrix."""

    name: str
    body_bits: float
    """Attention and feed-forward matrices."""
    expert_bits: float
    """Routed experts."""
    embed_bits: float
    head_bits: float
    plain_bits: float
    """Norms, routers, vision towers."""

    @property
    def quantised(self) -> bool:
        """Whether the matrices take fewer bits than the norms."""
        return self.expert_bits < 16


@lru_cache(maxsize=512)
def canonical(text: str) -> str:
    """The format's own name for a way of writing it: `GGUF:q4_k_m` → `gguf:Q4_K_M`.

    Raises:
        BadInput: no such format.
    """
    formats = constants().formats
    word = _SEPARATORS.sub("_", text.strip())
    lower = word.lower()
    stem = lower.removeprefix("gguf").strip(":_ ").upper().removeprefix("UD_")
    stem = {"Q4_K": "Q4_K_M", "Q5_K": "Q5_K_M", "Q3_K": "Q3_K_M", "Q8": "Q8_0", "FP16": "F16"}.get(stem, stem)
    if lower.startswith("gguf"):
        if stem in formats.gguf_mixes:
            return f"gguf:{stem}"
        if not stem:
            return "gguf:Q4_K_M"
    elif lower in formats.bits:
        return lower
    elif text.strip().lower() in formats.aliases or lower in formats.aliases:
        return formats.aliases.get(text.strip().lower()) or formats.aliases[lower]
    elif stem in formats.gguf_mixes:
        return f"gguf:{stem}"
    known = ", ".join([*formats.bits, "gguf:Q4_K_M …"])
    raise BadInput("weight_format", f"“{text[:40]}” is no weight format.", f"Known: {known}.")


def held_in(name: str, card: Gpu | None) -> str:
    """The format in which `card` holds weights of format `name`: FP16 for BF16 where it has no BF16 units.

    Engines convert while loading (`--dtype float16`); the two take the same memory.
    """
    return card.half if name == "bf16" and card is not None else name


@lru_cache(maxsize=512)
def weight_format(name: str, *, tied: bool = False, experts_only: bool = False) -> WeightFormat:
    """The bits of format `name` (canonical).

    Four- and eight-bit stacks leave embeddings, output head, norms, routers and vision towers at 16 bits. A GGUF
    file quantises the tables too; a tied table serves as the head and takes the head's format. Mixtures published in
    four bits (gpt-oss, Kimi-K2-Thinking, DeepSeek-V4) quantise the experts only (`experts_only`).
    """
    formats = constants().formats
    if name.startswith("gguf:"):
        mix = formats.gguf_mixes[name[5:]]
        body = _promoted(mix, formats.gguf_bits)
        head = formats.gguf_bits[mix.head]
        plain = min(max(body, 16.0), 32.0)
        experts = formats.gguf_bits[mix.experts] if mix.experts else body
        return WeightFormat(name, body, experts, head if tied else formats.gguf_bits[mix.embed], head, plain)
    bits = formats.bits[name]
    wide = max(bits, 16.0)
    if experts_only and name in formats.expert_only:
        own = formats.expert_only[name]
        return WeightFormat(name, own.body_bits, own.expert_bits, wide, wide, wide)
    return WeightFormat(name, bits, bits, wide, wide, wide)


def as_filed(form: WeightFormat, native: str | None) -> WeightFormat:
    """A format as GGUF files of a mixture hold it, whose experts alone were published in four bits.

    `native`: canonical format that a mixture of experts is published in; null = a dense model, which is unchanged.
    Makers of files narrow the experts further and leave attention and shared experts at eight bits.
    """
    formats = constants().formats
    if native not in formats.expert_only or not form.name.startswith("gguf:"):
        return form
    least = formats.gguf_narrow_mixture_bits
    return form._replace(body_bits=max(form.body_bits, least)) if form.expert_bits < least else form


def _promoted(mix: GgufMix, bits: dict[str, float]) -> float:
    if mix.promoted is None:
        return bits[mix.bulk]
    return bits[mix.bulk] + mix.promoted_ratio * (bits[mix.promoted] - bits[mix.bulk])

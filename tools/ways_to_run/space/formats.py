"""Which weight and cache formats a model comes in, and which engines read them on which cards."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from kb.catalog import models
from kb.programs.launch import launch_facts
from kb.programs.software import Rule, compute_capability, features
from kb.records.gpu import Gpu
from tools.memory.formats import as_filed, held_in, weight_format
from tools.shards import checkpoint_id
from tools.ways_to_run.space.load import Load

SERVERS = ("vllm", "sglang", "tensorrt-llm")
"""Engines that split layers over equal cards and page their cache."""
FILES = "llama.cpp"
"""The engine that deals layers out to unlike cards and to the host's memory."""
LADDER = ("BF16", "Q8_0", "Q6_K", "Q5_K_M", "Q4_K_M", "IQ4_XS", "Q3_K_M", "IQ3_XXS", "Q2_K", "IQ2_XXS")
"""GGUF types that are published of nearly every model, widest first."""
CANN_LADDER = ("BF16", "Q8_0", "Q4_0")
"""Those that llama.cpp's CANN backend computes on Ascend chips."""
SERVED = ("bf16", "fp8", "int8", "awq", "gptq", "nvfp4")
"""Formats that a model published in 16 bits is served in, widest first."""
NATIVE_LADDERS: dict[str, tuple[str, ...]] = {
    "fp8": ("fp8", "int8", "awq", "nvfp4"), "mxfp8": ("mxfp8", "awq"), "mxfp4": ("mxfp4",), "int4": ("int4",),
    "fp4": ("fp4",), "nvfp4": ("nvfp4",), "int8": ("int8", "awq"),
}  # fmt: skip
"""The same for models published in fewer bits: nobody widens them."""
WIDE = ("bf16", "fp16", "fp32")
"""Formats of sixteen bits and more."""
WIDENED = ("bf16", "int8")
"""What weights published in fewer bits are widened to where the card's stack reads none of the formats they come in."""
NATIVE_FILES: dict[str, tuple[str, ...]] = {"mxfp4": ("MXFP4",)}
FEATURES = {
    "fp8": "fp8", "mxfp8": "fp8", "int8": "int8", "awq": "awq", "gptq": "gptq", "int4": "gptq", "nvfp4": "fp4",
    "mxfp4": "fp4", "fp4": "fp4",
}  # fmt: skip
"""Format → the feature of a card that serving engines need for it."""
NEEDS_UNITS = ("nvfp4",)
"""Formats that nobody takes without the units for them unless they are asked for: others of four bits are as small."""
PLAIN_HALF = {"gguf:BF16": "gguf:F16"}
"""A file of 16 bits as cards without BF16 take it: their kernels compute F16 or widen it, and of BF16 fall back."""
ALIKE = {
    "int4": ("int4", "awq", "gptq", "gguf:Q4_K_M", "gguf:IQ4_XS", "gguf:Q4_0"),
    "int8": ("int8", "gguf:Q8_0"), "bf16": ("bf16", "fp16", "gguf:BF16"), "fp16": ("bf16", "fp16", "gguf:BF16"),
    "gguf:F16": ("gguf:BF16",), "gguf:BF16": ("gguf:BF16",),
    "mxfp4": ("mxfp4", "gguf:MXFP4"), "int3": ("gguf:Q3_K_M", "gguf:IQ3_XXS"), "int2": ("gguf:Q2_K", "gguf:IQ2_XXS"),
}  # fmt: skip
"""A format as people say it → those that are meant by it."""
KV_SERVED, KV_FILES = ("bf16", "fp8"), ("fp16", "q8_0", "q4_0")
KV_ALIKE = {"bf16": ("bf16", "fp16"), "fp16": ("bf16", "fp16"), "int8": ("int8", "q8_0")}
MADE_FOR = {"Apple": (FILES,), "Huawei": ("vllm", "sglang")}
"""Makers on whose chips these engines are the usual ones, where they run."""
FP8_SINCE = (8, 9)
"""CUDA compute capability from which FP8 is converted in hardware."""
MARKETS: dict[str, tuple[str, ...]] = {"tensorrt-llm": ("data_center", "cloud_only", "workstation")}
"""Cards that an engine is proposed for unasked: TensorRT-LLM's support matrix has none for games."""


OVERFLOWS = Rule(
    verdict="does_not", reason="the model's activations overflow in FP16, and this card has no BF16",
    instead="Use a GGUF format in llama.cpp",
)  # fmt: skip


class Readable(NamedTuple):
    """One format on one kind of card in one engine."""

    engine: str
    name: str
    """Format as the card holds it: fp16 for bf16 where it has no BF16."""
    condition: Rule | None
    """What must be heeded; null = nothing."""


class Unreadable(NamedTuple):
    """A format or an engine that does not go with a card."""

    engine: str
    name: str | None
    """null = no format: the engine does not run there."""
    rule: Rule


def engine_rule(engine: str, gpu: Gpu) -> Rule | None:
    """What is known of an engine on a card; null = nothing."""
    return features()[engine].rule(gpu, engine)


def runs(engine: str, gpu: Gpu, asked: str | None = None) -> bool:
    """Whether an engine is one to propose on a card, or runs there where it was asked for.

    Makers without any rule have vLLM in a form of their own; nobody vouches for other engines there.
    """
    if asked is None and gpu.market not in MARKETS.get(engine, (gpu.market,)):
        return False
    usual = MADE_FOR.get(gpu.vendor, ())
    if asked is None and engine not in usual and any(_works(one, gpu) for one in usual):
        return False
    return _works(engine, gpu)


def _works(engine: str, gpu: Gpu) -> bool:
    rule = engine_rule(engine, gpu)
    return rule.verdict != "does_not" if rule else engine == "vllm" and gpu.vendor not in MADE_FOR


def kernels_rule(load: Load, engine: str, gpu: Gpu) -> Rule | None:
    """What an engine's kernels for the model's own kind of attention need of a card; null where it needs none."""
    known = models().get(load.shape.id) if load.shape.id else None
    kind = known.sparse_attention if known else None
    return features()[kind].rule(gpu, engine) if kind else None


def attends(load: Load, engine: str, gpu: Gpu) -> bool:
    """Whether nothing is known to stop an engine from computing the model's attention on a card."""
    rule = kernels_rule(load, engine, gpu)
    return rule is None or rule.verdict != "does_not"


def unloaded(load: Load, engine: str) -> str | None:
    """Why an engine cannot load the model whatever the card; null where nothing is known to stop it."""
    rows = launch_facts().unloaded if load.shape.id else ()
    known = (one for one in rows if one.engine == engine and re.fullmatch(one.model, load.shape.id or ""))
    return next((one.reason for one in known), None)


def engines(gpu: Gpu, asked: str | None) -> tuple[str, ...]:
    """Engines that run on a card, as far as one was not asked for."""
    return tuple(one for one in (*SERVERS, FILES) if asked in (None, one) and runs(one, gpu, asked))


def formats(load: Load, engine: str) -> tuple[str, ...]:
    """Formats the model can be had in for an engine, widest first, as far as one was not asked for."""
    if engine == FILES:
        ladder = tuple(f"gguf:{name}" for name in NATIVE_FILES.get(load.native, LADDER if _wide(load) else LADDER[1:]))
    else:
        ladder = SERVED if _wide(load) else NATIVE_LADDERS.get(load.native, (load.native,))
    asked = load.weight_format
    if asked is None:
        return ladder
    meant = ALIKE.get(asked, (asked,))
    found = tuple(name for name in ladder if name in meant)
    if not found and engine != FILES and any(name in (*WIDE, *WIDENED) for name in (asked, *meant)):
        return WIDENED[:1] if asked in WIDE else tuple(name for name in WIDENED if name in meant)  # someone makes it
    exact = asked.startswith("gguf:") == (engine == FILES)
    return found or ((asked,) if exact and asked not in ALIKE else ())


def _wide(load: Load) -> bool:
    return load.native in WIDE


def readable(load: Load, engine: str, gpu: Gpu) -> Iterator[Readable | Unreadable]:
    """Every format of the model that the engine reads on the card, and those it does not."""
    ladder = formats(load, engine)
    if engine == FILES and gpu.vendor == "Huawei":
        ladder = tuple(f"gguf:{name}" for name in CANN_LADDER if load.weight_format in (None, f"gguf:{name}"))
    found = [one for name in ladder if (one := _read(load, engine, gpu, name)) is not None]
    if found and not any(isinstance(one, Readable) for one in found) and load.weight_format in (None, load.native):
        found += [one for name in WIDENED if isinstance(one := _read(load, engine, gpu, name), Readable)]
    yield from found


def _read(load: Load, engine: str, gpu: Gpu, name: str) -> Readable | Unreadable | None:
    """Whether the engine reads the format there; null for one that nobody takes without the units for it."""
    if name in NEEDS_UNITS and not gpu.fp4_flops and name not in (load.native, load.weight_format):
        return None
    if engine in SERVERS and gpu.half == "fp16" and re.fullmatch(launch_facts().overflows.model, load.shape.id or ""):
        return Unreadable(engine, name, OVERFLOWS)
    feature = None if engine == FILES else FEATURES.get(name)
    rule = features()[feature].rule(gpu, engine) if feature else None
    if rule is not None and rule.verdict == "does_not":
        return Unreadable(engine, name, rule)
    held = PLAIN_HALF.get(name, name) if gpu.half == "fp16" else name
    return Readable(engine, held_in(held, gpu), rule if rule and rule.verdict == "works_with" else None)


def stored_only(gpu: Gpu) -> bool:
    """Whether an FP8 cache is only stored as such on the card, and computed in 16 bits.

    No backend of a server reads one of latent attention so (https://github.com/vllm-project/vllm/issues/52202).
    """
    compute = compute_capability(gpu)
    return compute is not None and compute < FP8_SINCE


def cache_formats(load: Load, engine: str, gpu: Gpu) -> tuple[str, ...]:
    """Formats the engine keeps its cache in on the card, widest first, as far as one was not asked for."""
    if engine == FILES:
        found: tuple[str, ...] = KV_FILES
    else:
        rule = features()["fp8_kv_cache"].rule(gpu, engine)
        narrow = rule is not None and rule.verdict != "does_not" and not (stored_only(gpu) and load.shape.latent)
        found = tuple(gpu.half if name == "bf16" else name for name in KV_SERVED if name != "fp8" or narrow)
    if load.kv_format is None:
        return found
    meant = KV_ALIKE.get(load.kv_format, (load.kv_format,))
    return tuple(name for name in found if name in meant)


def bits_per_weight(load: Load, name: str) -> float:
    """Bits of an average weight, tables and norms included."""
    shape = load.shape
    native = load.native if shape.experts is not None else None
    form = as_filed(weight_format(name, tied=shape.tied, experts_only=native == name), native)
    total = (
        shape.embed_params * form.embed_bits + shape.head_params * form.head_bits
        + shape.expert_params * form.expert_bits + shape.body_params * form.body_bits
        + shape.plain_params * form.plain_bits
    )  # fmt: skip
    return total / max(shape.params, 1)


def published(load: Load, name: str) -> str | None:
    """Hugging Face id of the checkpoint by the model's makers in that format, as far as it is known."""
    return _published(checkpoint_id(load.shape.id), load.native, name) if load.shape.id else None


@lru_cache(maxsize=1024)
def _published(model: str, native: str, name: str) -> str | None:
    if name == native or (name in ("bf16", "fp16") and native in WIDE):
        return model
    found = launch_facts().published(model, name)
    return found[0] if found else None


def made_on_load(load: Load, engine: str, name: str) -> str | None:
    """How a server is told to make the format itself from the published weights; null where it cannot or need not."""
    if name == load.native or published(load, name) or not _wide(load):
        return None
    return launch_facts().made_on_load.get(engine, {}).get(name)


def made_by_others(load: Load, engine: str, name: str) -> bool:
    """Whether the format is to be had only from others than the model's makers, as far as is known."""
    return published(load, name) is None and made_on_load(load, engine, name) is None

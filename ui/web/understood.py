"""What was understood, as chips: selecting one opens a small editor that corrects exactly that."""

import json
from functools import lru_cache
from html import escape
from typing import Any, get_args

from assistant.compose import names
from assistant.understanding import Asked
from kb.catalog import gpus, models
from kb.purposes import PurposeName
from tools.need import Condition, Need, Task
from ui.words.labels import both, label
from ui.words.slots import slot, slot_html, slot_name

HIDDEN = {"intent", "model_text", "matter"} | (set(Asked.model_fields) - set(Need.model_fields) - {"amount"})
KINDS: dict[str, tuple[str, ...]] = {
    "model": ("model",),
    "cards": ("gpus_owned", "gpus_proposed", "gpus_asked"),
    "budget": ("budget",),
    "gib": ("memory_bytes_per_gpu", "host_memory_bytes", "card_memory_least_bytes", "card_memory_most_bytes"),
    "billion": ("params",),
    "hours": ("deadline_s", "term_s"),
    "choice": (
        "weight_format", "task", "engine", "kv_format", "optimizer", "sharding", "gradient_checkpointing",
        "acquisition", "purpose", "method", "offload",
    ),
    "number": (
        "context_tokens", "users", "concurrent_sequences", "copies", "adapters", "batch_size", "sequence_tokens",
        "dataset_tokens", "epochs",
        "lora_rank", "tensor_parallel", "gpu_count", "max_gpus", "target_tokens_per_s", "target_latency_s",
        "hours_per_month", "generations", "frozen_params", "width_px", "height_px", "frames", "video_s",
        "frames_per_s", "images_per_sample", "tokens_per_month", "api_million_price",
    ),
    "choices": ("conditions",),
    "text": ("provider", "country", "currency", "amount"),
}  # fmt: skip
"""Which editor corrects which field."""
OFFERED = (
    "model",
    "context_tokens",
    "weight_format",
    "users",
    "gpus_owned",
    "budget",
    "concurrent_sequences",
    "engine",
)
"""Fields one may add though nothing was said of them."""
FORMATS = ("bf16", "fp16", "fp8", "int8", "int4", "awq", "gptq", "nf4", "mxfp4", "nvfp4", "gguf:Q4_K_M", "gguf:Q8_0")
CACHES = ("bf16", "fp8", "int8", "q8_0", "q4_0")


def understood(need: Need, language: str) -> str:
    """One chip a stated field, and one to add what was not said."""
    values = need.model_dump(mode="json", exclude_none=True, exclude_defaults=True)
    if "model" not in values and need.model_text:
        values = {"model": need.model_text, **values}
    if "model" in values:
        values.pop("params", None)
    if "gpus_proposed" in values:
        numbered = {row["gpu"] for row in values["gpus_proposed"]}
        values["gpus_asked"] = [name for name in values.get("gpus_asked", []) if name not in numbered]
    chips = [_chip(name, value) for name, value in values.items() if name not in HIDDEN and value]
    more = [name for name in OFFERED if name not in values]
    if not chips:
        return ""
    add = (
        f'<button type="button" class="chip need add" data-edit="{escape(" ".join(more))}">{label("add_fact")}</button>'
    )
    return (
        f'<div class="understood" data-asker="{"zh" if language == "zh" else "en"}">'
        f'<span class="quiet">{label("understood_as")}</span> {"".join(chips)}{add}</div>'
    )


def _chip(name: str, value: Any) -> str:
    return (
        f'<button type="button" class="chip need" data-edit="{name}" '
        f'data-value="{escape(json.dumps(value, ensure_ascii=False))}">'
        f'<span class="quiet">{both(slot_name(name, "en"), slot_name(name, "zh"))}</span> '
        f"{slot_html(name, value)}</button>"
    )


@lru_cache(maxsize=1)
def editors() -> str:
    """What the page's script needs to draw the editors, as JSON: kinds, names, choices."""
    kinds = {name: kind for kind, fields in KINDS.items() for name in fields}
    fields = {
        name: {"kind": kind, "en": slot_name(name, "en"), "zh": slot_name(name, "zh"), "choices": _choices(name)}
        for name, kind in kinds.items()
    }
    return json.dumps(fields, ensure_ascii=False)


def suggestions() -> dict[str, list[str]]:
    """Names to choose from while typing: models and cards, as people write them."""
    return {
        "models": sorted({one.name for one in models().values()}, key=str.lower),
        "cards": sorted({names.gpu_name(key) for key in gpus()}, key=str.lower),
    }


def _choices(name: str) -> list[list[str]]:
    """Value, English, Chinese of each choice of a field; empty for a field that is typed."""
    given: dict[str, tuple[str, ...]] = {
        "weight_format": FORMATS,
        "kv_format": CACHES,
        "task": get_args(Task),
        "sharding": ("none", "ddp", "zero1", "zero2", "zero3", "fsdp"),
        "gradient_checkpointing": ("none", "selective", "full"),
        "acquisition": ("buy", "rent"),
        "purpose": get_args(PurposeName),
        "conditions": get_args(Condition),
        "engine": ("vllm", "sglang", "llama.cpp", "transformers", "tensorrt-llm", "ollama", "deepspeed", "unsloth"),
        "optimizer": ("adamw", "adamw_8bit", "paged_adamw_8bit", "adafactor", "sgd", "lion", "muon"),
    }
    return [[value, slot(name, value, "en"), slot(name, value, "zh")] for value in given.get(name, ())]

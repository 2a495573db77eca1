"""Random valid requests for the memory calculator: how many are answered, and how long an answer takes."""

import random
import statistics
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from kb.base import AdvisorError
from kb.catalog import gpus, models
from tools.memory import estimate_memory
from tools.memory.request import MemoryRequest

SEED = 20261121


class Outcome(NamedTuple):
    """What became of the requests."""

    answered: int
    refused: int
    """Refused with the field named."""
    broken: list[str]
    """Anything else: an unforeseen error, a refusal without a field, parts that do not sum up."""
    median_s: float


def choose(*values: Any) -> Callable[[random.Random], Any]:
    return lambda draw: draw.choice(values)


def between(low: float, high: float) -> Callable[[random.Random], int]:
    """Whole numbers from 10**low to 10**high, spread over the magnitudes."""
    return lambda draw: int(10 ** draw.uniform(low, high))


FIELDS: dict[str, Callable[[random.Random], Any]] = {
    "task": choose("inference", "full_finetune", "pretrain", "lora", "qlora"),
    "weight_format": choose("fp32", "bf16", "fp8", "int8", "int4", "nf4", "awq", "mxfp4", "nvfp4", "gguf:Q4_K_M"),
    "kv_format": choose("auto", "bf16", "fp8", "int8", "q8_0", "q4_0"),
    "engine": choose(
        "vllm", "sglang", "llama.cpp", "transformers", "tensorrt-llm", "diffusers", "torchtune", "litgpt", "peft",
        "deepspeed", "fsdp", "megatron", "unsloth", "axolotl", "llama-factory",
    ),
    "engine_version": choose("0.6", "0.11", "0.19.1", "latest"),
    "context_tokens": between(0, 6),
    "concurrent_sequences": between(0, 3.5),
    "max_num_sequences": between(0, 3.5),
    "micro_batch_size": between(0, 2),
    "sequence_tokens": between(1, 5.5),
    "optimizer": choose("adamw", "adamw_8bit", "paged_adamw_8bit", "adafactor", "sgd", "lion", "muon"),
    "precision": choose("bf16", "fp16", "fp32", "bf16_pure", "fp8"),
    "gradient_checkpointing": choose("none", "selective", "full", True, False),
    "fused_loss": choose(True, False),
    "optimizer_in_backward": choose(True, False),
    "activation_offload": choose(True, False),
    "attention": choose("flash", "eager"),
    "lora_rank": between(0, 2.7),
    "lora_targets": choose("qv", "attention", "all_linear"),
    "sharding": choose("none", "ddp", "zero1", "zero2", "zero3", "fsdp"),
    "data_parallel": choose(1, 2, 8, 64),
    "tensor_parallel": choose(1, 2, 4, 8),
    "pipeline_parallel": choose(1, 2, 4),
    "context_parallel": choose(1, 2, 4),
    "expert_parallel": choose(1, 2, 8),
    "offload": choose("none", "optimizer", "all", "components"),
    "gpu": choose(*gpus()),
    "width_px": between(1.3, 3.6),
    "height_px": between(1.3, 3.6),
    "frames": between(0, 2.3),
    "images_per_batch": between(0, 1.5),
}  # fmt: skip
SHAPE: dict[str, Callable[[random.Random], Any]] = {
    "layers": between(0, 2.1),
    "hidden_size": between(1.8, 4.3),
    "heads": between(0, 2.2),
    "kv_heads": between(0, 2.2),
    "head_dim": between(1.2, 2.4),
    "intermediate_size": between(1.8, 4.8),
    "vocab_size": between(2, 5.5),
    "experts": between(0.3, 2.7),
    "experts_per_token": between(0, 1.2),
    "active_params": between(6, 12),
}


def consistent(params: int, shape: dict[str, int], draw: random.Random) -> dict[str, int]:
    """Some of a shape's counts, none of which contradicts another."""
    shape["kv_heads"] = min(shape["kv_heads"], shape["heads"])
    shape["experts_per_token"] = min(shape["experts_per_token"], shape["experts"])
    shape["active_params"] = min(shape["active_params"], params)
    shape["hidden_size"] = max(min(shape["hidden_size"], int((params / shape["layers"]) ** 0.5)), 1)
    return {name: value for name, value in shape.items() if draw.random() < 0.4}


def request_of(draw: random.Random) -> dict[str, Any]:
    if draw.random() < 0.7:
        fields: dict[str, Any] = {"model": draw.choice(list(models()))}
    else:
        fields = {"params": int(10 ** draw.uniform(6, 12.5))}
        fields |= consistent(fields["params"], {name: draw_it(draw) for name, draw_it in SHAPE.items()}, draw)
    return fields | {name: value(draw) for name, value in FIELDS.items() if draw.random() < 0.3}


def ask(count: int) -> Outcome:
    """Ask `count` random requests."""
    draw = random.Random(SEED)
    seconds: list[float] = []
    refused, broken = 0, []
    for _ in range(count):
        fields = request_of(draw)
        request = MemoryRequest(**fields)
        start = time.perf_counter()
        try:
            per_gpu = estimate_memory(request).per_gpu
        except AdvisorError as refusal:
            refused += 1
            if not refusal.data()["field"]:
                broken.append(f"{refusal}: {fields}")
            continue
        except Exception as error:
            broken.append(f"{error!r}: {fields}")
            continue
        seconds.append(time.perf_counter() - start)
        if not sum(part.bytes for part in per_gpu.parts) == per_gpu.total_bytes > 0:
            broken.append(f"parts do not sum up: {fields}")
    return Outcome(len(seconds), refused, broken, statistics.median(seconds))

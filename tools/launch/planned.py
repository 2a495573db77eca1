"""How a training is laid out: the way that `find_ways_to_train` puts first, among those its program can be told."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from kb.programs.launch import launch_facts
from kb.records.model import Model
from tools.base import Step
from tools.launch.request import LaunchRequest
from tools.memory.result import MemoryEstimate
from tools.ways_to_train.flags import takes_pure
from tools.ways_to_train.grids import GRID
from tools.ways_to_train.plan import LAYERS
from tools.ways_to_train.problem import problem_of
from tools.ways_to_train.request import WaysToTrainRequest
from tools.ways_to_train.search import Timed, search

METHODS = {"full_finetune": "full", "lora": "lora", "qlora": "qlora"}
ENGINES = ("deepspeed", "fsdp", "llama-factory", "axolotl")
"""Programs that are trainers of the estimate by name; the others run any of them."""
WIDENED = ("mxfp4", "fp8")
"""Formats of published checkpoints with `dequantize` in their configuration of Transformers."""
SHARDS = {"fsdp": ("fsdp",), "deepspeed": ("zero1", "zero2", "zero3")}
"""Sharding that a program is named for, where there are several cards."""


@dataclass(frozen=True, slots=True)
class Planned:
    """What the search settled."""

    sharding: str
    optimizer: str
    checkpointing: str
    precision: str
    offload: str
    micro_batch: int
    accumulation: int

    @property
    def pure(self) -> bool:
        """Whether trained weights have no fp32 masters."""
        return self.precision == "bf16_pure"


def planned(request: LaunchRequest, program: str, half: str) -> Planned | None:
    """The best way on all the cards, everything that was stated kept; null where the search finds none."""
    problem = problem_of(WaysToTrainRequest.model_validate(_asked(request, program, half)))
    able = [one for one in search(problem).ways if _told(one, request, program)]
    if not able:
        return None
    one = able[0].weighed
    plan = one.plan
    return Planned(
        plan.sharding, plan.optimizer, plan.checkpointing, plan.precision, plan.offload, one.micro,
        one.work.accumulation,
    )  # fmt: skip


def _asked(request: LaunchRequest, program: str, half: str) -> dict[str, Any]:
    return {
        "model": request.model, "method": METHODS[request.task],
        "cards": [{"gpu": request.gpu, "count": request.gpu_count}], "nodes": request.nodes,
        "sequence_tokens": request.sequence_tokens, "global_batch": request.global_batch_size,
        "micro_batch_size": request.micro_batch_size, "optimizer": request.optimizer,
        "gradient_checkpointing": request.gradient_checkpointing, "sharding": request.sharding,
        "offload": request.offload, "lora_rank": request.lora_rank, "samples": request.samples,
        "precision": "fp16" if half == "fp16" else request.precision,
        "host_memory_bytes": request.host_memory_bytes,
        "weight_format": request.weight_format if request.task == "qlora" else None,
        "engine": program if program in ENGINES else None,
    }  # fmt: skip


def _told(one: Timed, request: LaunchRequest, program: str) -> bool:
    """Whether it is a way on all the cards that the program's files can say."""
    plan = one.plan
    if plan.count != request.gpu_count or plan.sharding in (LAYERS, GRID):
        return False
    if program == "llama-factory" and not takes_pure(plan):
        return False
    return plan.count == 1 or request.sharding is not None or plan.sharding in SHARDS.get(program, (plan.sharding,))


def smallest(request: LaunchRequest, program: str, half: str) -> Planned:
    """What is told where nothing fits: the layout that needs least, whose estimate then says what is lacking."""
    alone, usual = request.gpu_count == 1, "fsdp" if program == "fsdp" else "zero3"
    return Planned(
        request.sharding or ("none" if alone else usual), request.optimizer or "adamw",
        request.gradient_checkpointing or "full", request.precision or half, request.offload or "none",
        request.micro_batch_size or 1,
        max(request.global_batch_size or launch_facts().training.global_batch, request.gpu_count) // request.gpu_count,
    )  # fmt: skip


def steps_of(
    estimate: MemoryEstimate, way: Planned, sequence: int, count: int, updates: int, samples: int | None
) -> Iterator[Step]:
    """The account of it."""
    yield Step(label="Memory of one card", formula="estimate_memory", value=estimate.per_gpu.total_bytes, unit="bytes",
               inputs={"micro_batch_size": way.micro_batch, "sequence_tokens": sequence})  # fmt: skip
    each = way.micro_batch * count * way.accumulation
    yield Step(label="Samples an update", formula="micro · cards · accumulation", value=each, unit="samples",
               inputs={"micro": way.micro_batch, "cards": count, "accumulation": way.accumulation})  # fmt: skip
    if updates and samples:
        yield Step(label="Updates", formula="⌈samples · epochs / samples an update⌉", value=updates, unit="steps",
                   inputs={"samples": samples, "samples_an_update": each})  # fmt: skip


def rate_of(request: LaunchRequest, model: Model) -> float:
    """The learning rate: as stated, else where a method usually begins at the model's size."""
    return float(request.learning_rate or launch_facts().training.rate(request.task, model.params))


def doubts_of(model: Model, half: str, task: str) -> Iterator[str]:
    """What may keep a script from running on this very model, for the person to know before starting."""
    facts = launch_facts()
    found, release = facts.loads(model.id), facts.trainers["transformers"].release
    if found.code:
        known = f", written for Transformers {found.written_for}" if found.written_for else ""
        yield (
            f"{model.name} is loaded by code from its own repository (trust_remote_code){known}: read that code, and "
            f"try loading it with Transformers {release} before the run."
        )
    if model.kind == "vlm":
        yield "Trains on text alone: pictures need a trainer with the model's own processor, such as LLaMA-Factory."
    if narrow(model):
        wanted = (
            "bitsandbytes takes only a copy in 16 bits: name one" if task == "qlora" else "it is trained in 16 bits"
        )
        yield f"Published in {model.native_format}: {wanted}."
    if half == "fp16" and model.native_format == "bf16":
        yield "Published in BF16, trained in FP16 with a scaled loss: should it turn NaN, lower the learning rate."


def narrow(model: Model) -> bool:
    """Whether the checkpoint itself is quantised, in a format that Transformers widens while loading."""
    return model.native_format in WIDENED


def said_of(request: LaunchRequest, model: Model, way: Planned, sequence: int, samples: int) -> Iterator[str]:
    """What was filled in, in words."""
    found = launch_facts().loads(model.id)
    if way.offload != "none" and request.offload is None:
        yield f"Offloads to host memory ({way.offload}): it does not fit the cards otherwise."
    if way.optimizer != "adamw" and request.optimizer is None and request.task == "full_finetune":
        yield f"optimizer not stated: {way.optimizer}, the first that fits these cards."
    if way.pure and request.precision is None:
        yield "Everything in BF16, without FP32 masters: it does not fit the cards otherwise."
    if found.turns:
        yield f"{model.name}'s tokenizer has no chat template, as far as known: messages are written as {found.turns}."
    count = request.gpu_count
    if samples != request.global_batch_size:
        yield f"{samples} samples an update: {way.micro_batch} × {count} cards × {way.accumulation} steps."
    if request.sequence_tokens is None:
        yield f"{sequence:,} tokens a sample."
    if request.epochs is None:
        yield f"epochs not stated: {launch_facts().training.epochs:g} over the data."
    if request.learning_rate is None:
        yield f"learning rate not stated: {rate_of(request, model):g}, usual for {METHODS[request.task]} at this size."


def calculated_as(program: str, sharding: str) -> str:
    """The memory calculator's name for it."""
    if program in {"llama-factory", "axolotl", "deepspeed"}:
        return program
    if sharding == "fsdp":
        return "fsdp"
    return "deepspeed" if sharding.startswith("zero") else "peft"

"""What one may ask to be written: the model, the cards, the layout and where it runs."""

import re
from typing import Any, Literal, get_args

from pydantic import Field, ValidationInfo, field_validator, model_validator

from kb.base import BadInput, Frozen, UnknownName
from kb.lexicon.models.rules import read_model
from kb.models import models
from kb.programs.engines import program, stand_in
from tools.ways_to_train.request import offload_of, optimizer_of, precision_of, sharding_of

Program = Literal[
    "vllm", "sglang", "llama.cpp", "ollama",
    "accelerate", "torchrun", "deepspeed", "fsdp", "llama-factory", "axolotl",
]  # fmt: skip
TRAINERS = ("accelerate", "torchrun", "deepspeed", "fsdp", "llama-factory", "axolotl")
SERVERS = ("vllm", "sglang", "llama.cpp", "ollama")
Target = Literal["shell", "docker_compose", "kubernetes", "slurm"]
WITH_PICTURES = frozenset({"diffusers", "comfyui"})
"""Programs that a script or a workflow of the person starts: no way is told with a command of theirs."""
REPOSITORY = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,95}/[A-Za-z0-9][A-Za-z0-9._-]{0,95}$"
"""A Hugging Face id: nothing a shell or YAML could read as more than a name."""


NEAREST = {
    "peft": "accelerate", "unsloth": "accelerate", "transformers": "accelerate", "torchtune": "fsdp", "litgpt": "fsdp",
    "megatron": "fsdp", "tensorrt-llm": "vllm",
}  # fmt: skip
"""Engines of the estimators that no files are written for, and the program that comes nearest."""


def _trainer(given: Any) -> Any:
    """The request with the nearest trainer in place of one that no files are written for."""
    training = isinstance(given, dict) and given.get("task", "inference") != "inference"
    if not training or not isinstance(given.get("engine"), str):
        return given
    found = stand_in(given, "trains", takes=(*get_args(Program), *NEAREST))
    engine = found.get("engine")
    if engine not in NEAREST:
        return found
    said = found.get("engine_said") or engine
    return {**found, "engine": NEAREST[engine], "engine_said": said}


def _beside(given: Any) -> Any:
    """The request with the offload and the precision that are said beside sharding and optimizer.

    Raises:
        BadInput: states that lie on a drive, for which no files are written.
    """
    if not isinstance(given, dict):
        return given
    texts = [given[name] for name in ("sharding", "optimizer") if isinstance(given.get(name), str)]
    found = {"offload": offload_of(*texts), "precision": precision_of(*texts)}
    if found["offload"] == "nvme":
        raise BadInput(
            "sharding", "no files are written for offload to a drive.",
            "find_ways_to_train gives DeepSpeed's configuration of such a way.",
        )  # fmt: skip
    return {**given, **{name: value for name, value in found.items() if value and not given.get(name)}}


class LaunchRequest(Frozen):
    """A catalog model on certain cards, and the program and place it is to run with."""

    model: str = Field(max_length=200)
    """Catalog id, Hugging Face id or alias."""
    gpu: str = Field(max_length=200)
    """Catalog id or name of the card, with its memory where it has another than usual."""
    gpu_count: int = Field(default=1, gt=0, le=1024)
    """Cards in all."""
    nodes: int = Field(default=1, gt=0, le=128)
    """Machines they are in, the same number in each."""
    task: Literal["inference", "full_finetune", "lora", "qlora"] = "inference"
    engine: Program | None = None
    """Program that runs it; null = vllm to serve (llama.cpp for GGUF), accelerate to train. For a program that no files
    are written for, the nearest is taken, and the answer says so."""
    engine_said: str | None = Field(default=None, max_length=60)
    """The program that was named, where `engine` stands for it; set by itself."""
    target: Target = "shell"
    """What starts it: a script, Docker Compose, Kubernetes (with KEDA) or Slurm."""
    acceptance: bool = False
    """Whether to add the plan by which a delivered machine is accepted."""
    weight_format: str | None = Field(default=None, max_length=40)
    """bf16 fp16 fp8 awq gptq int4 int8 nf4 gguf:Q4_K_M …; null = as published."""
    kv_format: Literal["auto", "bf16", "fp16", "fp8", "q8_0", "q4_0"] = "auto"
    checkpoint: str | None = Field(default=None, max_length=200, pattern=REPOSITORY)
    """Hugging Face id of the weights to load, where the format has a checkpoint of its own."""
    tensor_parallel: int | None = Field(default=None, gt=0, le=1024)
    """Cards that share every layer; null = as find_ways_to_run lays it out."""
    pipeline_parallel: int | None = Field(default=None, gt=0, le=1024)
    """Groups of cards that take the layers in turn; null = one for each of several machines, else as find_ways_to_run
    lays it out."""
    data_parallel: int | None = Field(default=None, gt=0, le=1024)
    """Whole copies beside each other; null = as many as the cards hold."""
    expert_parallel: int | None = Field(default=None, gt=0, le=1024)
    """Cards that share a mixture's experts whole; null = where cutting them would not go."""
    host_memory_bytes: int | None = Field(default=None, gt=0, le=10**15)
    """Memory of the machine itself, where llama.cpp may leave what the cards do not hold; null = nothing is left."""
    memory_taken_bytes: int | None = Field(default=None, gt=0, le=10**15)
    """Memory of every card that others hold, which the server must leave to them."""
    context_tokens: int | None = Field(default=None, gt=0, le=10**7)
    concurrent_sequences: int | None = Field(default=None, gt=0, le=100_000)
    """Requests at once; null = as many as fit, 256 at most. Where the memory is paged and not all of them fit at full
    length, they are admitted all the same: most are shorter."""
    max_replicas: int = Field(default=4, gt=0, le=1000)
    """Copies that Kubernetes may scale to."""
    sequence_tokens: int | None = Field(default=None, gt=0, le=10**7)
    micro_batch_size: int | None = Field(default=None, gt=0, le=10_000)
    """Samples a card holds in one step; null = as find_ways_to_train chooses, like everything here that is not stated.
    """
    global_batch_size: int | None = Field(default=None, gt=0, le=10**6)
    """Samples between two updates, over all cards; null = 16, or one a card where there are more."""
    epochs: float | None = Field(default=None, gt=0, le=10_000)
    """Passes over the data; null = 1."""
    samples: int | None = Field(default=None, gt=0, le=10**12)
    """Samples of the data, from which the steps follow."""
    learning_rate: float | None = Field(default=None, gt=0, le=1)
    lora_rank: int | None = Field(default=None, gt=0, le=65536)
    optimizer: Literal["adamw", "adamw_8bit", "paged_adamw_8bit", "adafactor"] | None = None
    gradient_checkpointing: Literal["none", "full"] | None = None
    sharding: Literal["ddp", "zero1", "zero2", "zero3", "fsdp"] | None = None
    offload: Literal["none", "optimizer", "all"] | None = None
    """What goes to host memory; null = as `sharding` says ("zero3 offload"), else where nothing fits without."""
    precision: Literal["bf16_pure"] | None = None
    """bf16_pure = no fp32 masters; null = mixed, or as `optimizer` says ("adamw pure_bf16")."""

    @field_validator("sharding", "optimizer", mode="before")
    @classmethod
    def _written_anyhow(cls, value: object, info: ValidationInfo) -> object:
        if not isinstance(value, str):
            return value
        return sharding_of(value) if info.field_name == "sharding" else optimizer_of(value)

    @model_validator(mode="before")
    @classmethod
    def _named(cls, given: Any) -> Any:
        """A checkpoint by its name: in the format the name says, and from its own repository where it states one.

        Raises:
            BadInput: a server that no launch file is written for.
        """
        given = _beside(_trainer(given))
        _known_program(given)
        name = given.get("model") if isinstance(given, dict) else None
        if not isinstance(name, str) or given.get("task", "inference") != "inference":
            return given
        try:
            found = read_model(name)
        except (UnknownName, BadInput):
            return given
        if found.weight_format is None:
            return given
        form = given.get("weight_format") or found.weight_format
        own = (
            form == found.weight_format
            and re.fullmatch(REPOSITORY, name)
            and name not in models()
            and "gguf" not in found.weight_format
        )
        named = {"checkpoint": given.get("checkpoint") or (name if own else None)}
        return {**given, "model": found.model, "weight_format": form, **named}


def _known_program(given: Any) -> None:
    """That files are written for the program; of others, which is nearest and what starts them instead."""
    name = given.get("engine") if isinstance(given, dict) else None
    able = TRAINERS if isinstance(given, dict) and given.get("task", "inference") != "inference" else SERVERS
    if not isinstance(name, str) or name in (*TRAINERS, *SERVERS):
        return
    other = program(name)
    near = getattr(other, "runs" if able == SERVERS else "trains", None)
    nearest = f"Choose {near}, the nearest, or " if near in able else "Choose one of "
    told = near or (other is None and name not in WITH_PICTURES)
    commands = "; find_ways_to_run gives a command with each of its ways" if told else ""
    raise BadInput(
        "engine", f"no launch file is written for {other.id if other else name}.",
        f"{nearest}{', '.join(able)}{commands}.",
    )  # fmt: skip

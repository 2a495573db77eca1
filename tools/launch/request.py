"""What one may ask to be written: the model, the cards, the layout and where it runs."""

import re
from typing import Any, Literal

from pydantic import Field, model_validator

from kb.base import BadInput, Frozen, UnknownName
from kb.engines import program
from kb.lexicon.models.rules import read_model
from kb.models import models

Program = Literal[
    "vllm", "sglang", "llama.cpp", "ollama",
    "accelerate", "torchrun", "deepspeed", "fsdp", "llama-factory", "axolotl",
]  # fmt: skip
TRAINERS = ("accelerate", "torchrun", "deepspeed", "fsdp", "llama-factory", "axolotl")
SERVERS = ("vllm", "sglang", "llama.cpp", "ollama")
Target = Literal["shell", "docker_compose", "kubernetes", "slurm"]
REPOSITORY = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,95}/[A-Za-z0-9][A-Za-z0-9._-]{0,95}$"
"""A Hugging Face id: nothing a shell or YAML could read as more than a name."""


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
    """Program that runs it; null = vllm to serve (llama.cpp for GGUF), accelerate to train."""
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
    context_tokens: int | None = Field(default=None, gt=0, le=10**7)
    concurrent_sequences: int | None = Field(default=None, gt=0, le=100_000)
    """Requests at once; null = as many as fit, 256 at most."""
    max_replicas: int = Field(default=4, gt=0, le=1000)
    """Copies that Kubernetes may scale to."""
    sequence_tokens: int | None = Field(default=None, gt=0, le=10**7)
    micro_batch_size: int | None = Field(default=None, gt=0, le=10_000)
    """Samples a card holds in one step; null = as many as surely fit, 8 at most."""
    global_batch_size: int | None = Field(default=None, gt=0, le=10**6)
    """Samples between two updates, over all cards."""
    epochs: float | None = Field(default=None, gt=0, le=10_000)
    learning_rate: float | None = Field(default=None, gt=0, le=1)
    lora_rank: int | None = Field(default=None, gt=0, le=65536)
    optimizer: Literal["adamw", "adamw_8bit", "paged_adamw_8bit", "adafactor"] | None = None
    gradient_checkpointing: Literal["none", "full"] | None = None
    sharding: Literal["ddp", "zero1", "zero2", "zero3", "fsdp"] | None = None
    offload: Literal["none", "optimizer", "all"] | None = None

    @model_validator(mode="before")
    @classmethod
    def _named(cls, given: Any) -> Any:
        """A checkpoint by its name: in the format the name says, and from its own repository where it states one.

        Raises:
            BadInput: a program that no launch file is written for.
        """
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
    raise BadInput(
        "engine", f"no launch file is written for {other.id if other else name}.",
        f"{nearest}{', '.join(able)}; find_ways_to_run gives a command with each of its ways.",
    )  # fmt: skip

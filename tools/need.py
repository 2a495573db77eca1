"""The Need: what a person asked for, as far as it was understood. Null = not stated."""

import re
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator

from kb.base import Frozen
from kb.purposes import PurposeName

Task = Literal[
    "inference", "full_finetune", "lora", "qlora", "pretrain", "diffusion", "vision", "speech",
    "embedding", "rag", "rendering", "general",
]  # fmt: skip
Intent = Literal[
    "can_it_run", "how_many_gpus", "min_vram", "which_to_buy", "compare", "spec", "speed", "training_time",
    "concurrency", "context_length", "budget", "cloud_or_buy", "compatibility", "oom", "interconnect", "power",
    "launch_files", "what_fits", "guidance", "other",
]  # fmt: skip


Condition = Literal["new", "consumer", "professional", "ecc", "nvidia", "not_nvidia", "amd", "chinese"]
SERVED: tuple[Task | None, ...] = (None, "inference", "rag", "general")
"""Tasks that run a language model as it is; only there does a purpose say which model is meant."""


_COUNTED = re.compile(r"\s*(\d{1,6})\s*(?:[x×*]|张|块)\s*(\S.*)", re.IGNORECASE)


def _text(value: Any) -> Any:
    """A number as the text of it."""
    return f"{value:.12g}" if isinstance(value, int | float) and not isinstance(value, bool) else value


def _texts(value: Any) -> Any:
    """One text, or several, as a list of texts."""
    return (
        [_text(one) for one in value] if isinstance(value, list | tuple) else value if value is None else [_text(value)]
    )


Words = Annotated[str, Field(min_length=1, max_length=400), BeforeValidator(_text)]
"""As the person gave it; a number does as well."""
SeveralWords = Annotated[tuple[Words, ...], Field(max_length=8), BeforeValidator(_texts)]


class GpuCount(Frozen):
    """Some number of one GPU."""

    gpu: str
    """Catalog id."""
    count: int | None = Field(default=None, ge=1, le=1_000_000)
    """How many; null = not stated."""

    @model_validator(mode="before")
    @classmethod
    def _written_short(cls, given: Any) -> Any:
        """A bare name, with the count before it or not: `4090`, `2 x 4090`, `8×H20`."""
        if not isinstance(given, str):
            return given
        match = _COUNTED.fullmatch(given)
        return {"gpu": match[2], "count": int(match[1])} if match else {"gpu": given}


class Budget(Frozen):
    """Money and what it is for."""

    amount: float = Field(gt=0, le=1e13)
    currency: str = "USD"
    """ISO 4217 code."""
    mode: Literal["buy", "rent"] | None = None
    period: Literal["hour", "month", "year"] | None = None
    """For rent: what the amount covers."""


class Need(Frozen):
    """What was understood; every field null (or empty) when it was not stated."""

    task: Task | None = None
    model: str | None = None
    """Catalog id."""
    model_text: str | None = None
    """The model as the person wrote it."""
    params: int | None = Field(default=None, gt=0, le=10**15)
    """Parameter count."""
    purpose: PurposeName | None = None
    """What a model is wanted for when none is named: code, talk, thinking, images beside text."""
    weight_format: str | None = None
    """fp32 bf16 fp16 fp8 int8 int4 nf4 nf4_dq awq gptq mxfp4 nvfp4 gguf:Q4_K_M …"""
    kv_format: str | None = None
    context_tokens: int | None = Field(default=None, gt=0, le=10**9)
    copies: int | None = Field(default=None, gt=1, le=64)
    """Copies of the model that were spoken of: "two instances"."""
    concurrent_sequences: int | None = Field(default=None, gt=0, le=10**9)
    users: int | None = Field(default=None, gt=0, le=10**10)
    batch_size: int | None = Field(default=None, gt=0, le=10**9)
    sequence_tokens: int | None = Field(default=None, gt=0, le=10**9)
    dataset_tokens: int | None = Field(default=None, gt=0, le=10**18)
    tokens_per_month: float | None = Field(default=None, gt=0, le=1e18)
    """Tokens used a month, those of all requests together."""
    api_million_price: float | None = Field(default=None, gt=0, le=1e7)
    """What a provider asks for a million of them, in `currency`."""
    epochs: float | None = Field(default=None, gt=0, le=10**6)
    optimizer: str | None = None
    gradient_checkpointing: str | None = None
    adapters: int | None = Field(default=None, gt=0, le=10**6)
    """LoRA adapters served beside one model."""
    lora_rank: int | None = Field(default=None, gt=0, le=65536)
    method: Literal["sft", "dpo", "ppo", "grpo"] | None = None
    """Post-training that holds more than the policy: a reference, an engine that generates, a critic."""
    generations: int | None = Field(default=None, gt=0, le=10**5)
    """Answers sampled for a prompt."""
    frozen_params: int | None = Field(default=None, gt=0, le=10**14)
    """Parameters of a teacher or reward model held beside the one trained."""
    width_px: int | None = Field(default=None, gt=0, le=65536)
    """Of pictures, frames or a volume's patch."""
    height_px: int | None = Field(default=None, gt=0, le=65536)
    frames: int | None = Field(default=None, gt=0, le=100_000)
    """Frames of a clip, or slices of a volume's patch."""
    video_s: float | None = Field(default=None, gt=0, le=10**6)
    """Seconds of video."""
    frames_per_s: float | None = Field(default=None, gt=0, le=1000)
    images_per_sample: int | None = Field(default=None, gt=0, le=10_000)
    """Pictures in a prompt or a training sample."""
    sharding: str | None = None
    offload: Literal["none", "optimizer", "components", "all"] | None = None
    """What is kept in host memory: of a training, or of a picture pipeline, whose parts then take turns."""
    tensor_parallel: int | None = Field(default=None, gt=0, le=65536)
    engine: str | None = None
    gpus_owned: tuple[GpuCount, ...] = ()
    gpus_asked: tuple[str, ...] = ()
    """Catalog ids asked about, not said to be owned."""
    gpus_proposed: tuple[GpuCount, ...] = ()
    """Those asked about with a stated number: "two 3090s or one 4090"."""
    gpu_count: int | None = Field(default=None, ge=1, le=1_000_000)
    """Cards spoken of without a name: "a 24 GB card" is one, 「8 卡」 eight."""
    memory_bytes_per_gpu: int | None = Field(default=None, gt=0, le=10**15)
    """Memory of a card that is named only by its size: "24 GB card", 「24G 显存」 (binary, as on the box)."""
    budget: Budget | None = None
    acquisition: Literal["buy", "rent"] | None = None
    """Only buying or only renting, when the asker said so ("no cloud")."""
    provider: str | None = None
    country: str | None = Field(default=None, pattern=r"^[A-Za-z]{2}$")
    hours_per_month: float | None = Field(default=None, gt=0, le=744)
    """How long hardware is used each month, when its use was described."""
    term_s: float | None = Field(default=None, gt=0, le=1e10)
    """Calendar time that a bill is asked for: rented, or owned, for so long."""
    currency: str | None = Field(default=None, pattern=r"^[A-Z]{3}$")
    """ISO 4217 code of the money that prices are to be told in, when it was said."""
    matter: Literal["price", "sale", "energy"] | None = None
    """What is asked of cards besides work: their price, whether they may be sold somewhere, their electricity."""
    deadline_s: float | None = Field(default=None, gt=0)
    target_tokens_per_s: float | None = Field(default=None, gt=0)
    target_latency_s: float | None = Field(default=None, gt=0)
    host_memory_bytes: int | None = Field(default=None, gt=0)
    max_gpus: int | None = Field(default=None, gt=0, le=100_000)
    """Most GPUs in one configuration."""
    conditions: tuple[Condition, ...] = ()
    """What every card proposed has to meet: sold new, of one market, with ECC, of a maker or of China."""
    card_memory_least_bytes: int | None = Field(default=None, gt=0, le=10**15)
    """Memory that every card proposed has to have at least (binary, as on the box)."""
    card_memory_most_bytes: int | None = Field(default=None, gt=0, le=10**15)
    """Memory that none may have more of: with the same least, only cards of that size."""
    intent: Intent | None = None

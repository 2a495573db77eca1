"""What one may ask about the time of training."""

from typing import Literal

from pydantic import Field, field_validator

from kb.base import BadInput
from tools.memory.request import Engine
from tools.model_fields import ModelFields

Task = Literal["full_finetune", "pretrain", "lora", "qlora"]


SEQUENCE_TOKENS = 4096
"""A sample of pre-training where no length was said."""
SAMPLE_TOKENS = 512
"""A sample of instructions, or a pair of texts, where no length was said: between Alpaca's 100 and chats of 2,000."""


class TrainingTimeRequest(ModelFields):
    """A model, the cards it trains on, and how much of what."""

    task: Task = "full_finetune"
    gpu: str | None = Field(default=None, max_length=200)
    """Catalog id or name of the card; null only where `step_s` states how fast it runs."""
    gpu_count: int | None = Field(default=None, gt=0, le=1_000_000)
    """Cards in all; null = no wall time, with losses as on one node, or on as many as finish within a month."""
    dataset_tokens: int | None = Field(default=None, gt=0, le=10**17)
    """Tokens of one pass over the data; null = rates only."""
    epochs: float = Field(default=1.0, gt=0, le=10_000)
    dataset_samples: int | None = Field(default=None, gt=0, le=10**13)
    """Images, or texts, of one pass over the data, instead of their tokens; null = rates only."""
    sample_tokens: int | None = Field(default=None, gt=0, le=10**9)
    """Tokens of a text on average, where texts are counted; null = 512."""
    steps: int | None = Field(default=None, gt=0, le=10**12)
    """Optimizer steps of the run, instead of an amount of data."""
    steps_done: int = Field(default=0, ge=0, le=10**12)
    """Steps of them that are done: the time is that of the others."""
    step_s: float | None = Field(default=None, gt=0, le=10**7, allow_inf_nan=False)
    """Seconds a step was measured to take: the time is then that of the steps, whatever the card should reach."""
    accumulation: int | None = Field(default=None, gt=0, le=10**6)
    """Micro-batches a step adds up; null = 1."""
    image_px: int | None = Field(default=None, ge=16, le=16384)
    """Width and height of an image; null = as the model is published."""
    sequence_tokens: int | None = Field(default=None, gt=0, le=10**9)
    """Tokens of one sample; null = 4096 (2048 for adapters)."""
    micro_batch_size: int | None = Field(default=None, gt=0, le=10**9)
    """Samples a card computes at once; null = enough to keep it busy."""
    global_batch_size: int | None = Field(default=None, gt=0, le=10**9)
    """Samples of one step of the optimizer over all cards; null = so many that pipelines fill and gradients hide."""
    precision: Literal["bf16", "fp16", "fp32", "bf16_pure", "fp8"] = "bf16"
    weight_format: str | None = Field(default=None, max_length=40)
    """Format the frozen weights stay in while adapters train: nf4 int8 fp8 gptq awq …; null = 16 bits (qlora: nf4)."""
    gradient_checkpointing: Literal["none", "selective", "full"] | None = None
    """Recomputing activations; false = none, true = full, null = as the task is usually run."""
    lora_rank: int | None = Field(default=None, gt=0, le=65536)
    optimizer: Literal["adamw", "adamw_8bit", "paged_adamw_8bit", "adafactor", "sgd", "lion", "muon"] | None = None
    sharding: Literal["none", "ddp", "zero1", "zero2", "zero3", "fsdp"] | None = None
    data_parallel: int | None = Field(default=None, gt=0, le=10**6)
    tensor_parallel: int | None = Field(default=None, gt=0, le=10**4)
    pipeline_parallel: int | None = Field(default=None, gt=0, le=10**4)
    virtual_stages: int | None = Field(default=None, gt=0, le=10**4)
    """Stages of an interleaved pipeline on each card, counted where global_batch_size is stated; null = 1."""
    context_parallel: int | None = Field(default=None, gt=0, le=10**4)
    expert_parallel: int | None = Field(default=None, gt=0, le=10**4)
    cards_per_node: int | None = Field(default=None, gt=0, le=10**4)
    """Cards of one machine; null = eight, or those of a rack that one switch joins."""
    network_bytes_per_s: float | None = Field(default=None, gt=0, le=10**14, allow_inf_nan=False)
    """Bandwidth of a machine to the others (10 GbE: 1.25e9); null = what clusters of such cards are built with."""
    offload: Literal["none", "optimizer", "all"] | None = None
    engine: Engine | None = None
    """What trains; null = Megatron-class kernels for pre-training at scale, FSDP otherwise, PEFT for adapters."""
    goodput_ratio: float | None = Field(default=None, gt=0, le=1)
    """Share of the wall time that trains (not checkpoints, failures, restarts); null = by the size of the run."""

    @property
    def card(self) -> str:
        """The card that was named.

        Raises:
            BadInput: none was.
        """
        if self.gpu is None:
            raise BadInput("gpu", "Field required.", "Name the card, or state `steps` and a measured `step_s`.")
        return self.gpu

    @field_validator("gradient_checkpointing", mode="before")
    @classmethod
    def _read_flag(cls, value: object) -> object:
        return {True: "full", False: "none"}[value] if isinstance(value, bool) else value

"""What one may ask the memory calculator."""

from typing import Literal

from pydantic import Field, field_validator

from tools.model_fields import ModelFields

Engine = Literal[
    "vllm", "sglang", "llama.cpp", "transformers", "tensorrt-llm", "diffusers", "comfyui",
    "torchtune", "litgpt", "peft", "deepspeed", "fsdp", "megatron", "unsloth", "axolotl", "llama-factory",
]  # fmt: skip


class MemoryRequest(ModelFields):
    """A workload, by catalog model or by its shape."""

    task: Literal["inference", "full_finetune", "pretrain", "lora", "qlora"] = "inference"
    weight_format: str | None = Field(default=None, max_length=40)
    """fp32 bf16 fp16 fp8 int8 int4 nf4 nf4_dq awq gptq mxfp4 nvfp4 gguf:Q4_K_M …; null = as published."""
    kv_format: Literal["auto", "bf16", "fp16", "fp8", "int8", "q8_0", "q4_0"] = "auto"
    """Format of the key-value cache; auto = 16 bit."""
    engine: Engine | None = None
    """What runs it; null = vllm for serving, peft (one card) or fsdp (several) for training, diffusers for images."""
    engine_version: str | None = Field(default=None, max_length=40)
    context_tokens: int | None = Field(default=None, gt=0, le=10**9)
    """Tokens held for each sequence while serving (prompt + output)."""
    concurrent_sequences: int | None = Field(default=None, gt=0, le=10**7)
    """Sequences served at once."""
    max_num_sequences: int | None = Field(default=None, gt=0, le=10**7)
    """The engine's own cap (vLLM max_num_seqs)."""
    micro_batch_size: int | None = Field(default=None, gt=0, le=10**9)
    """Samples a GPU holds in one training step."""
    accumulation: int | None = Field(default=None, gt=0, le=10**6)
    """Micro-batches a step adds up: gradients of the first are held while later ones are computed; null = 1."""
    sequence_tokens: int | None = Field(default=None, gt=0, le=10**9)
    """Tokens of one training sample."""
    optimizer: Literal["adamw", "adamw_8bit", "paged_adamw_8bit", "adafactor", "sgd", "lion", "muon"] | None = None
    precision: Literal["bf16", "fp16", "fp32", "bf16_pure", "fp8"] | None = None
    """Training precision; bf16 = mixed with fp32 master weights, bf16_pure = everything bf16."""
    gradient_checkpointing: Literal["none", "selective", "full"] | None = None
    """false = none, true = full."""
    fused_loss: bool = False
    optimizer_in_backward: bool = False
    activation_offload: bool = False
    ubatch_tokens: int | None = Field(default=None, gt=0, le=10**7)
    """llama.cpp's physical batch."""
    attention: Literal["flash", "eager"] | None = None
    lora_rank: int | None = Field(default=None, gt=0, le=65536)
    served_adapters: int | None = Field(default=None, gt=0, le=10**6)
    """Adapters of `lora_rank` held on the card beside a model that is served."""
    lora_targets: Literal["qv", "attention", "all_linear"] | None = None
    sharding: Literal["none", "ddp", "zero1", "zero2", "zero3", "fsdp"] | None = None
    data_parallel: int | None = Field(default=None, gt=0, le=10**6)
    tensor_parallel: int | None = Field(default=None, gt=0, le=10**4)
    pipeline_parallel: int | None = Field(default=None, gt=0, le=10**4)
    context_parallel: int | None = Field(default=None, gt=0, le=10**4)
    expert_parallel: int | None = Field(default=None, gt=0, le=10**4)
    offload: Literal["none", "optimizer", "all", "components"] | None = None
    gpu: str | None = Field(default=None, max_length=200)
    """Catalog id or name of the card to fit on."""
    host_memory_bytes: int | None = Field(default=None, gt=0, le=10**15)
    """Memory of the machine itself, where llama.cpp keeps the weights that the cards cannot hold."""
    width_px: int | None = Field(default=None, gt=0, le=65536)
    height_px: int | None = Field(default=None, gt=0, le=65536)
    frames: int | None = Field(default=None, gt=0, le=100_000)
    images_per_batch: int | None = Field(default=None, gt=0, le=10**9)
    images_per_sample: int | None = Field(default=None, gt=0, le=10_000)
    """Pictures in every sequence of a vision-language model; `width_px` and `height_px` are theirs."""
    video_s: float | None = Field(default=None, gt=0, le=10**6)
    """Seconds of video in every sequence of a vision-language model."""
    frames_per_s: float | None = Field(default=None, gt=0, le=1000)
    """Frames taken from each second of it; null = as the model's processor does."""
    method: Literal["sft", "dpo", "ppo", "grpo"] | None = None
    """What is held beside the policy: a frozen reference (dpo), and an engine that generates (grpo), and a critic and
    a reward model (ppo). null = supervised."""
    generations: int | None = Field(default=None, gt=0, le=10**5)
    """Answers that grpo and ppo generate at once on a GPU."""
    frozen_params: int | None = Field(default=None, gt=0, le=10**14)
    """Parameters of other models held beside it at 16 bits and not trained: a teacher, a reward model."""

    @field_validator("gradient_checkpointing", mode="before")
    @classmethod
    def _read_flag(cls, value: object) -> object:
        return {True: "full", False: "none"}[value] if isinstance(value, bool) else value

"""What one may ask about something observed: the set-up, what was seen, and the text of an error."""

from typing import Annotated, Any, Literal, get_args

from pydantic import BeforeValidator, Field, ValidationInfo, field_validator, model_validator

from kb.base import AdvisorError, AmbiguousName, Frozen
from kb.catalog import model as catalog_model
from kb.lexicon import CardCount, read_cards, read_format, read_model
from kb.lexicon.fields import AsWritten, DurationText, FormatText, HostMemoryText, LinkText, MemoryText
from kb.programs.engines import stand_in
from tools.memory.request import Engine
from tools.model_fields import ModelFields

MemoryAt = Literal["load", "first_step", "growing", "vae_decode", "cache_pool", "idle"]
"""When memory was read: after loading, at the first step, while it grew, while a picture was decoded, as a server's
reserved pool, or with nothing running."""
Platform = Literal["linux", "windows", "wsl", "macos"]
KvFormat = Literal["auto", "bf16", "fp16", "fp8", "int8", "q8_0", "q4_0"]
KV_FORMATS = get_args(KvFormat)
CPU = "cpu"
Program = Engine | Literal["ollama", "lm-studio", "text-generation-webui", "koboldcpp", "exllamav2"]
NAMED = ("ollama", "lm-studio", "text-generation-webui", "koboldcpp", "exllamav2")
"""Programs that are known by themselves here."""
PROGRAMS = (*get_args(Engine), *NAMED)
LONGEST_NAME = 200


def _cards(value: Any, info: ValidationInfo) -> Any:
    """Cards from one text or a list of texts and entries; `cpu` stands for none."""
    field = info.field_name or "cards"
    if isinstance(value, str):
        return [CardCount(gpu=CPU)] if value.strip().lower() == CPU else read_cards(value, field=field)
    if isinstance(value, list | tuple):
        return [card for one in value for card in (_cards(one, info) if isinstance(one, str) else (one,))]
    return value


def _kv_format(value: object) -> object:
    """A format of the cache as it is written: f16, q8, FP8."""
    known = value is None or not isinstance(value, str) or value in KV_FORMATS
    return value if known else read_format(str(value), field="kv_format")


class Seen(Frozen):
    """Figures that were observed, as many as there are; each is that of the whole run unless it says otherwise."""

    tokens_per_s: float | None = Field(default=None, gt=0, le=10**9)
    """Answer tokens a second of one request; while training, tokens a second of all cards."""
    tokens_per_s_total: float | None = Field(default=None, gt=0, le=10**9)
    """Answer tokens a second of all requests together."""
    prefill_tokens_per_s: float | None = Field(default=None, gt=0, le=10**9)
    """Prompt tokens read a second."""
    first_token_s: DurationText | None = None
    """Seconds until the first token of an answer."""
    step_s: DurationText | None = None
    """Seconds of one step of the optimizer, or of one denoising step."""
    it_per_s: float | None = Field(default=None, gt=0, le=10**6)
    """Steps a second, as progress bars tell: the inverse of `step_s`."""
    item_s: DurationText | None = None
    """Seconds of one picture or clip."""
    realtime_factor: float | None = Field(default=None, gt=0, le=10**5)
    """Seconds of computing over seconds of speech (RTF); below 1 keeps up."""
    memory_bytes: MemoryText | None = None
    """Memory in use of the fullest card, as nvidia-smi shows it."""
    memory_at: MemoryAt | None = None
    kv_pool_tokens: int | None = Field(default=None, gt=0, le=10**12)
    """Tokens that a server says its cache holds."""
    utilisation_ratio: float | None = Field(default=None, ge=0, le=1)
    """Share of the time in which the card computed (nvidia-smi), 0 to 1."""
    model_flops_utilisation: float | None = Field(default=None, gt=0, le=10)
    """Share of the peak that a training reaches (MFU)."""
    cpu_share_ratio: float | None = Field(default=None, ge=0, le=1)
    """Share of the model that the processor computes (`ollama ps`: 13%/87% CPU/GPU is 0.13)."""
    power_w: float | None = Field(default=None, gt=0, le=10**5)
    temperature_c: float | None = Field(default=None, ge=-50, le=150)
    clock_ratio: float | None = Field(default=None, gt=0, le=2)
    """Clock of the card over the one it boosts to."""
    link_bytes_per_s: float | None = Field(default=None, gt=0, le=10**14)
    """Bandwidth measured between cards (nccl-tests' bus bandwidth) or to the host."""
    wall_s: DurationText | None = None
    """Seconds of the whole run."""


class ObservationRequest(ModelFields):
    """A set-up, and what was seen of it: figures, an error text or a symptom. Any of the three will do."""

    cards: Annotated[
        tuple[CardCount, ...],
        Field(max_length=64),
        BeforeValidator(_cards),
        AsWritten('"2x 3090", 「两张4090」, "cpu"'),
    ] = ()
    """Cards the work runs on."""
    nodes: int | None = Field(default=None, gt=0, le=100_000)
    """Machines; the counts of cards are those of all together."""
    host_memory: HostMemoryText | None = None
    """The machine's own memory, with its kind and channels where they are known."""
    host_memory_bytes: MemoryText | None = None
    """Its size alone."""
    memory_channels: int | None = Field(default=None, gt=0, le=64)
    """Memory modules that the host reads side by side."""
    host_bandwidth_bytes_per_s: float | None = Field(default=None, gt=0, le=10**13)
    link: LinkText | None = None
    """How the cards are joined to the host or to each other."""
    platform: Platform | None = None
    """Operating system."""
    power_limit_w: float | None = Field(default=None, gt=0, le=10**5)
    """Power limit set on each card."""
    task: Literal["inference", "full_finetune", "pretrain", "lora", "qlora"] = "inference"
    method: Literal["sft", "dpo", "ppo", "grpo"] | None = None
    weight_format: FormatText | None = None
    """fp32 bf16 fp16 fp8 int8 int4 nf4 awq gptq mxfp4 gguf:Q4_K_M …; null = as published."""
    kv_format: Annotated[KvFormat, BeforeValidator(_kv_format)] = "auto"
    """Format of the cache; auto = 16 bit."""
    engine: Program | None = None
    """What runs or trains it; of a program that is none of these the nearest is taken, and the answer says so."""
    engine_said: str | None = Field(default=None, max_length=60)
    """The program that was named, where `engine` stands for it because no estimator knows it; set by itself."""
    engine_version: str | None = Field(default=None, max_length=40)
    context_tokens: int | None = Field(default=None, gt=0, le=10**9)
    """Context the engine was given (num_ctx, -c, --max-model-len)."""
    concurrent_sequences: int | None = Field(default=None, gt=0, le=10**7)
    max_num_sequences: int | None = Field(default=None, gt=0, le=10**7)
    """The engine's own cap (vLLM --max-num-seqs, llama-server --parallel)."""
    input_tokens: int | None = Field(default=None, ge=0, le=10**9)
    output_tokens: int | None = Field(default=None, ge=0, le=10**9)
    gpu_memory_utilization: float | None = Field(default=None, gt=0, le=1)
    """Share of the card that a server was told to reserve."""
    gpu_layers: int | None = Field(default=None, ge=0, le=10_000)
    """Layers put on the cards (-ngl, num_gpu); the rest is computed by the processor."""
    ubatch_tokens: int | None = Field(default=None, gt=0, le=10**7)
    """llama.cpp's physical batch."""
    batched_tokens: int | None = Field(default=None, gt=0, le=10**8)
    """Tokens of prompts and answers that a step takes at most (vLLM --max-num-batched-tokens)."""
    host_threads: int | None = Field(default=None, gt=0, le=100_000)
    """Threads that compute on the processor (llama.cpp -t, KTransformers --cpu_infer)."""
    cuda_graphs: bool | None = None
    """Whether the engine replays CUDA graphs; false = --enforce-eager."""
    cpu_expert_layers: int | None = Field(default=None, ge=0, le=10_000)
    """Layers whose experts are left to the processor (--n-cpu-moe)."""
    sequence_tokens: int | None = Field(default=None, gt=0, le=10**9)
    micro_batch_size: int | None = Field(default=None, gt=0, le=10**9)
    accumulation: int | None = Field(default=None, gt=0, le=10**6)
    """Micro-batches that one step of the optimizer adds up."""
    sample_tokens: int | None = Field(default=None, gt=0, le=10**9)
    """Tokens of a sample on average, where samples are padded or packed to `sequence_tokens`."""
    dataset_tokens: int | None = Field(default=None, gt=0, le=10**17)
    dataset_samples: int | None = Field(default=None, gt=0, le=10**13)
    epochs: float = Field(default=1.0, gt=0, le=10_000)
    optimizer: Literal["adamw", "adamw_8bit", "paged_adamw_8bit", "adafactor", "sgd", "lion", "muon"] | None = None
    precision: Literal["bf16", "fp16", "fp32", "bf16_pure", "fp8"] | None = None
    gradient_checkpointing: Literal["none", "selective", "full"] | None = None
    """false = none, true = full."""
    attention: Literal["flash", "eager"] | None = None
    lora_rank: int | None = Field(default=None, gt=0, le=65536)
    lora_targets: Literal["qv", "attention", "all_linear"] | None = None
    sharding: Literal["none", "ddp", "zero1", "zero2", "zero3", "fsdp"] | None = None
    offload: Literal["none", "optimizer", "all", "components"] | None = None
    parallel: str | None = Field(default=None, max_length=100)
    """How the cards share the work: "tp2", "tp4 pp2", "layer split", "one copy each"."""
    tensor_parallel: int | None = Field(default=None, gt=0, le=10**4)
    pipeline_parallel: int | None = Field(default=None, gt=0, le=10**4)
    data_parallel: int | None = Field(default=None, gt=0, le=10**6)
    expert_parallel: int | None = Field(default=None, gt=0, le=10**4)
    width_px: int | None = Field(default=None, ge=16, le=65536)
    height_px: int | None = Field(default=None, ge=16, le=65536)
    frames: int | None = Field(default=None, gt=0, le=100_000)
    images_per_batch: int | None = Field(default=None, gt=0, le=10**9)
    images_per_sample: int | None = Field(default=None, gt=0, le=10_000)
    steps: int | None = Field(default=None, gt=0, le=10**12)
    """Steps of the optimizer in the run, or denoising steps of a picture."""
    seen: Seen = Seen()
    """What was observed."""
    expected_by_person: Seen = Seen()
    """What the asker thought it would be."""
    error_text: str | None = Field(default=None, max_length=20_000)
    """The error or the end of a log, verbatim. Secrets in it are masked before anything is returned."""
    flags: str | None = Field(default=None, max_length=8_000)
    """The command line of vllm, llama-server, ollama, torchrun, accelerate or deepspeed, as it was run."""
    symptom: str | None = Field(default=None, max_length=400)
    """What goes wrong, by id of the vocabulary (hangs, spills, one_card_idle, grows, slow_later, killed, xid …), or in
    words."""

    @model_validator(mode="before")
    @classmethod
    def _read_model(cls, given: Any) -> Any:
        """A model as people write it, with the format that its name carries where none is stated."""
        if isinstance(given, dict):
            training = given.get("task", "inference") != "inference"
            given = stand_in(given, "trains" if training else "runs", NAMED, takes=PROGRAMS)
        name = given.get("model") if isinstance(given, dict) else None
        if not isinstance(name, str) or not name.strip() or len(name) > LONGEST_NAME:
            return given
        try:
            catalog_model(name)
        except AmbiguousName:
            raise
        except AdvisorError:
            read = read_model(name, field="model")
            stated = given.get("weight_format") or read.weight_format
            return given | {"model": read.model} | ({"weight_format": stated} if stated else {})
        return given

    @field_validator("gradient_checkpointing", mode="before")
    @classmethod
    def _read_flag(cls, value: object) -> object:
        return {True: "full", False: "none"}[value] if isinstance(value, bool) else value

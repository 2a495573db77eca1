"""What one may ask of the solver that finds every way to train a model on the cards in hand."""

import re
from contextlib import suppress
from datetime import date
from typing import Annotated, Any, Literal, get_args

from pydantic import BeforeValidator, Field, field_validator, model_validator

from kb.base import BadInput
from kb.lexicon import read_params
from kb.lexicon.fields import (
    Cards,
    CountText,
    DurationText,
    FormatText,
    HostMemoryText,
    LinkText,
    MemoryText,
    ModelText,
    MoneyText,
)
from kb.programs.engines import stand_in
from tools.memory.request import Engine
from tools.model_fields import ModelFields

Optimizer = Literal["adamw", "adamw_8bit", "paged_adamw_8bit", "adafactor"]
Sharding = Literal["none", "ddp", "zero1", "zero2", "zero3", "fsdp"]
Checkpointing = Literal["none", "selective", "full"]
Precision = Literal["bf16", "fp16", "bf16_pure"]


FLAGS = {"true": True, "false": False, "yes": True, "no": False, "on": True, "off": False, "开": True, "关": False}
SERVERS = ("vllm", "sglang", "llama.cpp", "tensorrt-llm", "comfyui", "megatron")
"""Engines of the estimators that are no trainer whose ways are searched."""
STAGE = re.compile(r"(?:zero|stage|阶段)\D{0,7}([123])\b")
Offload = Literal["none", "optimizer", "all", "nvme"]
SENDS = re.compile(r"offload|infinity|nvme|卸载")
TO_DISK = re.compile(r"nvme|infinity|ssd|disk|磁盘|硬盘")
WHAT_LEAVES: tuple[tuple[Offload, re.Pattern[str]], ...] = (
    ("all", re.compile(r"param|weight|\ball\b|both|参数|权重|全部")), ("optimizer", re.compile(r"optim|states|优化器")),
)  # fmt: skip
PURE = re.compile(r"pure[ _-]?(?:bf|fp|f)16|(?:bf|fp)16[ _-]?pure|bf16[ _:=-]*full|纯 ?bf16")
"""How LLaMA-Factory (`pure_bf16`), Axolotl (`bf16: full`) and people say it."""
WHOLE_SHARDS = ("zero3", "fsdp")
"""Sharding of which "offload" alone means weights as well: so do the configurations that its trainers ship."""


def sharding_of(text: str) -> str:
    """A sharding as people write it: "ZeRO-2", "deepspeed stage 3", "FSDP2", "DDP". Anything else as it is."""
    plain = text.strip().lower()
    if found := STAGE.search(plain):
        return f"zero{found[1]}"
    for name, words in (("fsdp", ("fsdp", "fully")), ("ddp", ("ddp", "data parallel", "data_parallel", "数据并行"))):
        if any(word in plain for word in words):
            return name
    return plain


FUSED_LOSS = re.compile(
    r"(?:\b(?:with|and|using)\s+|[+加用带]\s*)?\b(?:liger(?:[- _]?kernels?)?|cut[- ]cross[- ]entropy|fused (?:linear )?"
    r"(?:cross[- ]entropy|ce|loss))(?:\s*(?:enabled|on|=\s*true))?",
    re.I,
)
"""Names of losses that never hold the logits whole."""


def optimizer_of(text: str) -> str:
    """An optimizer as people write it: "paged_adamw_32bit" stays unknown, "AdamW 8bit" and "bnb adam8bit" are one."""
    plain = text.strip().lower()
    if "adafactor" in plain:
        return "adafactor"
    if "adam" not in plain or ("32" in plain and "paged" in plain):
        return plain
    eight = "8" in plain
    return "paged_adamw_8bit" if eight and "paged" in plain else "adamw_8bit" if eight else "adamw"


def offload_of(*texts: str | None) -> Offload | None:
    """What goes to the host by what was said of the sharding: "zero3 offload" is all of it, "ZeRO-2 with optimizer
    offload" the states, "ZeRO-Infinity" or "nvme" a drive; null = nothing was said of it."""
    said = " ".join(text.lower() for text in texts if text)
    if not SENDS.search(said) or re.search(r"(?:no|without|不)[ -]*(?:cpu[ -]*)?(?:offload|卸载)", said):
        return None
    if TO_DISK.search(said):
        return "nvme"
    named = next((name for name, words in WHAT_LEAVES if words.search(said)), None)
    return named or ("all" if sharding_of(said) in WHOLE_SHARDS else "optimizer")


def precision_of(*texts: str | None) -> Precision | None:
    """The precision that is said beside another setting: "adamw pure_bf16" keeps nothing in 32 bits; null = none is."""
    return "bf16_pure" if any(PURE.search(text.lower()) for text in texts if text) else None


def _fused_beside_the_engine(given: Any) -> Any:
    """The request with a fused loss that is named with the trainer, or in its place: "trl with liger kernel"."""
    said = given.get("engine") if isinstance(given, dict) else None
    if not isinstance(said, str) or not FUSED_LOSS.search(said):
        return given
    rest = FUSED_LOSS.sub(" ", said).strip(" ,;+&/()（）")
    return {**given, "fused_loss": True, "engine": rest or None}


def _as_list(given: Any) -> Any:
    """One rent by itself is a list of one."""
    return given if given is None or isinstance(given, (list, tuple)) else (given,)


class WaysToTrainRequest(ModelFields):
    """The whole problem: what is trained how, on which data, on which cards, by when. What is given is kept."""

    model: ModelText | None = None  # type: ignore[assignment]
    """The model, or a size alone ("7B"); or give `params` and what is known of the shape."""
    params: CountText | None = None  # type: ignore[assignment]
    """Parameter count of a model outside the catalog: "7B"."""
    method: str | None = Field(default=None, max_length=60)
    """What is trained and towards what, in any order: `full`, `lora` or `qlora`, and `sft`, `dpo`, `grpo`, `ppo`,
    `pretrain` or `dreambooth` ("dpo lora"). null = adapters, with training of all weights beside."""
    cards: Cards | None = None
    """Cards of all machines together; unlike ones are used together or by themselves, whichever is better."""
    nodes: int = Field(default=1, ge=1, le=100_000)
    """Machines that the cards are in, evenly."""
    host_memory: HostMemoryText | None = None
    """Memory of each machine, which offloading may use; null = not stated."""
    host_memory_bytes: int | None = Field(default=None, gt=0, le=10**15)
    """The same where only its size is known."""
    link: LinkText | None = None
    """How cards are joined (PCIe, NVLink) or machines are (Ethernet, InfiniBand); null = NVLink where a card has it
    without a bridge, and the network that clusters of such cards are built with."""
    memory_taken: MemoryText | None = None
    """Memory of every card that others hold."""
    samples: CountText | None = None
    """Samples of one pass: texts, pairs (dpo), prompts (grpo), pictures."""
    sample_tokens: CountText | None = None
    """Tokens of a sample on average, prompt and answer; null = 512."""
    dataset_tokens: CountText | None = None
    """Tokens of one pass, instead of samples."""
    epochs: float | None = Field(default=None, gt=0, le=10_000)
    """Passes over the data; null = 1."""
    steps: CountText | None = None
    """Optimizer steps, instead of an amount of data."""
    sequence_tokens: CountText | None = None
    """Longest sample, to which memory is sized; null = 2,048 (pretrain: 4,096)."""
    output_tokens: CountText | None = None
    """Tokens of one answer that grpo and ppo generate; null = half of sequence_tokens."""
    generations: int | None = Field(default=None, gt=0, le=10_000)
    """Answers to each prompt that grpo and ppo compare; null = 8."""
    global_batch: CountText | None = None
    """Samples of one optimizer step over all cards; null = 16, or one a card where there are more."""
    micro_batch_size: int | None = Field(default=None, gt=0, le=10**6)
    """Samples a card computes at once; null = as many as fit, up to 8."""
    image_px: int | None = Field(default=None, ge=64, le=16384)
    """Side of a picture; null = as the model is published."""
    frames: int | None = Field(default=None, gt=0, le=100_000)
    """Frames of a clip."""
    optimizer: Optimizer | None = None
    """The only optimizer allowed; null = all are tried."""
    gradient_checkpointing: Checkpointing | None = None
    """The only recomputing allowed; false = none, true = full, null = all are tried."""
    sharding: Sharding | None = None
    """The only sharding allowed; null = all are tried."""
    precision: Precision | None = None
    """bf16 = mixed with fp32 masters, bf16_pure = everything 16 bit; null = mixed, pure where that fits no card."""
    offload: Offload | None = None
    """The only offload allowed: optimizer states or all to host memory, or all to a drive (nvme); null = as `sharding`
    says ("zero3 offload"), else tried where nothing fits without."""
    engine: Engine | None = None
    """The trainer; null = whichever runs the sharding. Of a program that is none of them (diffusion-pipe, Kohya, XTuner
    …) the nearest is taken, of an unknown one any; the answer says so."""
    engine_said: str | None = Field(default=None, max_length=60)
    """The program that was named, where `engine` stands for it because no estimator knows it; set by itself."""
    weight_format: FormatText | None = None
    """Format of the frozen base of qlora; null = NF4 with double quantisation."""
    lora_rank: int | None = Field(default=None, gt=0, le=65536)
    """null = 16."""
    lora_targets: Literal["qv", "attention", "all_linear"] | None = None
    """Matrices with adapters; null = all of a dense model, attention of a mixture."""
    fused_loss: bool = False
    """Whether a fused loss (Liger, Unsloth) keeps the logits out of memory."""
    deadline: DurationText | None = None
    """When it must be done."""
    deadline_s: float | None = Field(default=None, gt=0, le=3.2e9)
    """The same in seconds."""
    rents: Annotated[tuple[MoneyText, ...], BeforeValidator(_as_list)] | None = Field(default=None, max_length=8)
    """What the person pays for the cards by the hour, which beats the catalog's offers; of one card unless it says
    "per machine"."""
    today: date | None = None
    """Day by which the age of prices is judged; null = today."""

    @model_validator(mode="before")
    @classmethod
    def _size_for_a_model(cls, given: Any) -> Any:
        """A size in the model's place: model="7B"; and the nearest trainer in place of one that is not known."""
        if isinstance(given, dict) and given.get("engine") == "megatron":
            given = {**given, "engine": "megatron-lm"}  # its layouts are not searched
        given = stand_in(
            _fused_beside_the_engine(given), "trains", takes=[one for one in get_args(Engine) if one not in SERVERS]
        )
        if not isinstance(given, dict) or not isinstance(given.get("model"), str) or given.get("params"):
            return given
        with suppress(BadInput):
            said = read_params(given["model"])
            active = {"active_params": said.active_params} if said.active_params else {}
            return {**given, **active, "model": None, "params": said.params}
        return given

    @model_validator(mode="before")
    @classmethod
    def _offload_in_words(cls, given: Any) -> Any:
        """What is said of offloading and of precision beside the sharding or the optimizer."""
        if not isinstance(given, dict):
            return given
        beside = [given[name] for name in ("sharding", "optimizer") if isinstance(given.get(name), str)]
        if not given.get("precision") and (pure := precision_of(*beside)):
            given = {**given, "precision": pure}
        if given.get("offload"):
            return given
        found = offload_of(*beside)
        if found is None:
            return given
        left = {} if sharding_of(str(given.get("sharding") or "")) in get_args(Sharding) else {"sharding": None}
        return {**given, **left, "offload": found}

    @field_validator("gradient_checkpointing", mode="before")
    @classmethod
    def _read_flag(cls, value: object) -> object:
        if isinstance(value, str):
            value = FLAGS.get(value.strip().lower(), value)
        return {True: "full", False: "none"}[value] if isinstance(value, bool) else value

    @field_validator("sharding", mode="before")
    @classmethod
    def _read_sharding(cls, value: object) -> object:
        return sharding_of(value) if isinstance(value, str) else value

    @field_validator("optimizer", mode="before")
    @classmethod
    def _read_optimizer(cls, value: object) -> object:
        return optimizer_of(value) if isinstance(value, str) else value

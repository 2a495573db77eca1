"""What one may ask of the solver that finds every way to run a model on the machine in hand."""

import re
from typing import Annotated, Any, Literal, get_args

from pydantic import BeforeValidator, Field, ValidationInfo, field_validator, model_validator

from kb.base import Frozen
from kb.lexicon.count.rules import read_count
from kb.lexicon.fields import AsWritten, Cards, FormatText, HostMemoryText, LinkText, MemoryText
from kb.lexicon.formats.rules import read_format
from kb.lexicon.models.rules import read_model
from kb.programs.engines import stand_in
from tools.model_fields import ModelFields

Engine = Literal["vllm", "sglang", "tensorrt-llm", "llama.cpp"]
"""Engines that serve language models and are searched over."""
KvFormat = Literal["bf16", "fp16", "fp8", "int8", "q8_0", "q4_0"]
Objective = Literal["fastest", "longest_context", "best_quality", "most_users", "simplest"]
TakenBytes = Annotated[int, Field(ge=0, le=10**15)]
_THOUSANDS = re.compile(r"\s*(\d+(?:\.\d+)?)\s*k\s*", re.I)
_KIBI = 1024


def _tokens(value: Any, info: ValidationInfo) -> Any:
    """Tokens in words: `32k` of context are 32,768."""
    if not isinstance(value, str):
        return value
    if said := _THOUSANDS.fullmatch(value):
        return round(float(said[1]) * _KIBI)
    return int(read_count(value, field=info.field_name or "tokens"))


def _kv(value: Any) -> Any:
    """A cache format in words: `q8` → `q8_0`."""
    return read_format(value, field="kv_format") if isinstance(value, str) else value


Tokens = Annotated[int, Field(gt=0, le=10**9), BeforeValidator(_tokens), AsWritten('"32k", "8192", or a number')]
SomeTokens = Annotated[int, Field(ge=0, le=10**9), BeforeValidator(_tokens), AsWritten('"2k", "512", or a number')]


class Parallel(Frozen):
    """The layout, where it is given; what is null is searched."""

    tp: int | None = Field(default=None, ge=1, le=4096)
    """Cards that share every layer."""
    pp: int | None = Field(default=None, ge=1, le=4096)
    """Groups of cards that take the layers in turn."""
    dp: int | None = Field(default=None, ge=1, le=4096)
    """Whole copies beside each other."""
    ep: int | None = Field(default=None, ge=1, le=4096)
    """Cards that share the experts of a mixture."""


class Measured(Frozen):
    """The person's own figures of this model on this machine, which beat the estimate of the way they were taken on."""

    tokens_per_s: float | None = Field(default=None, gt=0, le=10**7)
    """Tokens a second of one user."""
    memory_bytes: int | None = Field(default=None, gt=0, le=10**15)
    """Memory of the fullest card."""
    weight_format: str | None = Field(default=None, max_length=40)
    """The format it was measured in; null = any."""
    engine: Engine | None = None
    concurrent_sequences: int | None = Field(default=None, gt=0, le=10**7)


class WorkFields(ModelFields):
    """One model and its load."""

    context_tokens: Tokens | None = None
    """Tokens of one sequence, prompt and answer; null = input_tokens + output_tokens, else 8,192 (the model's most)."""
    concurrent_sequences: int | None = Field(default=None, gt=0, le=10**7)
    """Sequences answered at once; null = from `users`, else 1."""
    users: int | None = Field(default=None, gt=0, le=10**9)
    """People who use it; a fifth wait for an answer at a busy moment where concurrent_sequences is not given."""
    input_tokens: SomeTokens | None = None
    """Prompt tokens of one request."""
    output_tokens: Tokens | None = None
    """Answer tokens of one request."""
    shared_prefix_tokens: SomeTokens | None = None
    """Of every prompt, what is the same in all and cached once."""
    weight_format: FormatText | None = None
    """The only weight format allowed: bf16 fp8 int8 awq gptq nvfp4 mxfp4 gguf:Q4_K_M …; null = the one that the
    model's name says, else every one is tried."""
    kv_format: Annotated[KvFormat, BeforeValidator(_kv)] | None = None
    """The only cache format allowed; null = every one the engine has."""
    engine: Engine | None = None
    """The only engine allowed; null = every one that runs on the cards. Of a program that is none of them (LMDeploy,
    MLX, TabbyAPI, Ollama …) the nearest is taken, and the answer says so."""
    engine_said: str | None = Field(default=None, max_length=60)
    """The program that was named, where `engine` stands for it because no estimator knows it; set by itself."""
    parallel: Parallel = Parallel()
    """The layout, as far as it is given."""
    adapters: int | None = Field(default=None, gt=0, le=10_000)
    """LoRA adapters served beside the model."""
    lora_rank: int | None = Field(default=None, gt=0, le=65536)
    """Their rank; null = 16."""
    images_per_request: int | None = Field(default=None, gt=0, le=10_000)
    """Pictures in every prompt of a vision-language model."""
    target_tokens_per_s: float | None = Field(default=None, gt=0, le=10**6)
    """Tokens a second that every user should see."""
    target_first_token_s: float | None = Field(default=None, gt=0, le=10**6)
    """Longest wait for the first token."""
    target_answer_s: float | None = Field(default=None, gt=0, le=10**6)
    """Longest time for a whole answer of output_tokens, the wait for its first token included."""
    measured: tuple[Measured, ...] = Field(default=(), max_length=16)
    """Own figures."""

    @model_validator(mode="before")
    @classmethod
    def _named(cls, given: Any) -> Any:
        """A model in words, with the format it names: `Qwen3-32B AWQ`."""
        given = stand_in(given, "runs", takes=get_args(Engine))
        if not isinstance(given, dict) or not isinstance(given.get("model"), str):
            return given
        name: str = given["model"]
        if name.endswith(".json") or given.get("params") is not None:
            return given
        found = read_model(name)
        stated = given.get("weight_format") or found.said_format
        return {**given, "model": found.model, **({"weight_format": stated} if stated else {})}


class WaysToRunRequest(WorkFields):
    """The whole problem: what is to run, on which machine, for whom, and how well."""

    cards: Cards = ()
    """Cards of one machine, unlike ones one after the other; empty = the processor and its memory alone."""
    nodes: int = Field(default=1, ge=1, le=1024)
    """Such machines."""
    host_memory: HostMemoryText | None = None
    """Memory of the machine itself; null = not stated, so nothing is left there."""
    host_memory_bytes: int | None = Field(default=None, gt=0, le=10**15)
    """The same as a plain number."""
    memory_channels: int | None = Field(default=None, ge=1, le=64)
    """Channels of that memory that are filled, over all sockets."""
    host_bandwidth_bytes_per_s: float | None = Field(default=None, gt=0, le=10**13)
    """What that memory moves; null = as its words say, by its channels, else by its size."""
    link: LinkText | None = None
    """How the cards are joined to each other and to the host; null = as they can be by the catalog."""
    memory_taken: MemoryText | None = None
    """Memory that others hold on every card."""
    memory_taken_bytes: TakenBytes | Annotated[tuple[TakenBytes, ...], Field(max_length=256)] = 0
    """The same as a number, or one for each card in order."""
    objective: Objective | None = None
    """What counts most among ways that meet the targets; null = quality and speed weighed against each other."""
    works: tuple[WorkFields, ...] = Field(default=(), max_length=8)
    """Several models side by side on the machine; the fields of one work then stand here and not beside,
    but for `engine`, which then is meant for all."""

    @field_validator("memory_taken_bytes", mode="before")
    @classmethod
    def _tuple(cls, given: Any) -> Any:
        return tuple(given) if isinstance(given, list) else given

"""What the solver answers: ways to run a model, what binds them, and what would help."""

from typing import Literal

from pydantic import Field

from kb.base import Frozen
from tools.base import Scalar, ToolResult
from tools.speed.result import Bound, Interval

Verdict = Literal["fits", "fits_with_changes", "does_not_fit"]
"""fits: as asked; fits_with_changes: with something of what was asked changed; does_not_fit: not even so."""
Surety = Literal["yes", "tight"]
"""yes: also at the upper end of the memory estimate; tight: by the estimate alone."""
Binding = Literal[
    "weights_memory", "cache_memory", "host_memory", "memory_bandwidth", "host_bandwidth", "compute", "latency", "link",
    "engine_support", "divisibility", "format_published", "model_context", "target_speed", "target_first_token",
    "target_answer",
]  # fmt: skip


class UsedCards(Frozen):
    """Cards of one kind that a way uses."""

    gpu: str
    """Catalog id."""
    name: str
    count: int
    layers: int | None = None
    """Layers of the model on all of these, where layers are dealt out; null where every card has a share of each."""


class Offload(Frozen):
    """What lies in the host's memory."""

    what: Literal["experts", "layers", "all"]
    bytes: int
    layers: int
    """Layers whose experts, or which whole, lie there."""
    of_layers: int


class WayLayout(Frozen):
    """How the work is spread."""

    tp: int = 1
    pp: int = 1
    dp: int = 1
    ep: int = 1
    offload: Offload | None = None
    unequal: bool = False
    """Whether layers are dealt by the memory of unlike cards."""


class WayMemory(Frozen):
    """Memory of the fullest card against what it has."""

    needed_bytes_per_gpu: int
    low_bytes_per_gpu: int
    high_bytes_per_gpu: int
    """`low`..`high`: 90 % interval of what is needed."""
    usable_bytes_per_gpu: int
    """After the driver's share and what others hold."""
    weights_bytes_per_gpu: int
    cache_bytes_per_gpu: int
    rest_bytes_per_gpu: int
    """Activations, logits, graphs, communicators, context of the driver."""
    weights_bytes: int
    """All weights of one copy, wherever they lie."""
    host_bytes: int = 0
    """In the host's memory."""
    host_usable_bytes: int | None = None
    """Host memory less what the system keeps; null = its size was not stated."""
    surety: Surety


class WayLimits(Frozen):
    """How far this way goes."""

    max_context_tokens: int | None
    """Longest context at the sequences asked; null = the memory does not depend on it."""
    max_concurrent_sequences: int | None
    """Most sequences at the context asked, over all copies."""
    bound_by: Literal["memory", "model"] = "memory"
    """Whether memory ends the context, or the model's own longest."""


class WaySpeed(Frozen):
    """How fast it is, each with a 90 % interval."""

    tokens_per_s_per_user: Interval
    """Mean over an answer; of several sequences with the share of time in which the prompts of others are read."""
    decode_tokens_per_s_per_user: Interval | None = None
    """The same while no prompt is read; null where the two are about as fast."""
    roofline_tokens_per_s: float | None = None
    """Bandwidth over the bytes of weights that a token reads: no engine is faster for one user without drafts."""
    tokens_per_s_total: Interval
    first_token_s: Interval | None = None
    """With the prompt that the assumptions tell, of one among those under way in turn; null where the processor alone
    reads it, which nothing here times."""
    first_token_p95_s: Interval | None = None
    """Of several sequences that come at random times: what 19 of 20 wait at most; null for one."""
    first_token_alone_s: Interval | None = None
    """Of several sequences: of one while nobody else asks; null for one."""
    first_token_burst_s: Interval | None = None
    """Of several sequences: of the last one when all come at the same moment, the mean about half; null for one."""
    answer_s: Interval | None = None
    """Time of one whole answer of that length, the wait for its first token included."""
    requests_per_hour: Interval | None = None
    """Answers finished in an hour with that many under way all the time, their prompts read in it."""
    prefill_tokens_per_s: Interval | None = None
    bound: Bound
    """What the time of one token mostly is."""
    label: Literal["measured", "interpolated", "formula", "own"]
    """own: moved by the person's own figure."""


class Way(Frozen):
    """One way to run the model."""

    title: str
    """Format, engine, cards, layout in a few words."""
    cards: tuple[UsedCards, ...]
    nodes: int = 1
    engine: str
    weight_format: str
    """As asked in a request: `gguf:Q4_K_M`, `awq`, `fp8` …"""
    bits_per_weight: float
    """Average over all weights."""
    loss_percent: float | None = None
    """Rise of perplexity over the published weights, scaled from measurements; null = none is known."""
    kv_format: str
    context_tokens: int
    """What the memory and the flags are for."""
    concurrent_sequences: int
    layout: WayLayout
    memory: WayMemory
    limits: WayLimits
    speed: WaySpeed | None = None
    """null where no source states a card's bandwidth."""
    meets_targets: bool | None = None
    """Whether the targets are met by the estimate; null = none was given."""
    as_asked: bool = True
    """Whether it keeps the context and the sequences that were asked."""
    flags: str
    """Flags for the engine's command line."""
    command: str
    """The whole command."""
    why: tuple[str, ...]
    """What speaks for it, and what one gives up."""


class Bind(Frozen):
    """What stops the best way from being better, or any way from being one."""

    what: Binding
    subject: str
    """Card, engine, format or part it concerns."""
    needed: float | None = None
    available: float | None = None
    unit: str = ""
    said: str
    """One English sentence with the figures."""


class Change(Frozen):
    """One change that would help, and what it brings."""

    change: str
    """What to change, in words with its figure."""
    field: str
    """The field of the request it changes."""
    value: Scalar
    """Its new value."""
    effect: str
    """What comes of it, with its figure."""
    tokens_per_s_per_user: float | None = None
    """Of the best way after it."""
    max_context_tokens: int | None = None
    weight_format: str | None = None
    """Format of the best way after it."""
    costs: Literal["nothing", "quality", "context", "speed", "users", "money"]
    """What one gives up."""


class Rejected(Frozen):
    """A way worth naming that does not go, or is not what it seems."""

    way: str
    """What was meant: `TP 5`, `AWQ on V100`, `bf16` …"""
    reason: str
    kind: Literal["divisibility", "engine", "format", "memory", "host_memory", "speed"]


class WayAnswer(Frozen):
    """The verdict, and the data of one sentence."""

    verdict: Verdict
    way: int | None = None
    """Index in `ways`; null = none."""
    model: str | None = None
    weight_format: str | None = None
    narrower: str | None = None
    """What the best way holds in fewer bits than the published weights and a 16-bit cache, where that was not asked
    for; null = nothing."""
    engine: str | None = None
    cards: str | None = None
    tokens_per_s_per_user: float | None = None
    context_tokens: int | None = None
    max_context_tokens: int | None = None
    target_met: bool | None = None
    tight: str | None = None
    """The upper end of the estimate where it is beyond what is usable; null = the best way holds all of it."""
    changed: tuple[str, ...] = ()
    """What of the request had to be changed, for `fits_with_changes`."""
    said: str
    """One English sentence."""


class WorkShare(Frozen):
    """One of several works on the machine."""

    model: str
    way: Way | None
    cards: str
    """Which cards it is on."""
    memory_share_bytes_per_gpu: int
    """Its part of the memory of each of them."""
    gpu_memory_utilization: float | None = None
    """vLLM's setting for that part; null for other engines."""


class Together(Frozen):
    """How several works share the machine."""

    mode: Literal["side_by_side", "in_turn", "not_at_all"]
    """side_by_side: all are loaded at once; in_turn: each fits alone, so they are loaded one after the other."""
    shares: tuple[WorkShare, ...]
    said: str


class FittingModel(Frozen):
    """A model that fits the cards, where none was named."""

    model: str
    name: str
    params: int
    weight_format: str
    way: Way | None = None


class Ways(Frozen):
    """The answer and what it rests on."""

    answer: WayAnswer
    ways: tuple[Way, ...] = ()
    """Best first, then really different ones; at most six."""
    binds: tuple[Bind, ...] = ()
    changes: tuple[Change, ...] = ()
    """Cheapest first."""
    rejected: tuple[Rejected, ...] = ()
    together: Together | None = None
    """For several works."""
    models: tuple[FittingModel, ...] = Field(default=())
    """Where no model was named: those that fit best."""
    searched: int = 0
    """Combinations of format, cache, engine, layout and offload that were weighed."""


class WaysToRun(ToolResult, Ways):
    """All ways to run it, best first; the answer stands first."""

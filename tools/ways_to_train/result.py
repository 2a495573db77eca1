"""What the solver answers: ways to train a model, what binds them, and what would help."""

from typing import Any, Literal

from kb.base import Frozen, Money
from tools.base import Scalar, ToolResult
from tools.speed.result import Interval

Verdict = Literal["fits", "fits_with_changes", "does_not_fit"]
"""fits: as asked; fits_with_changes: with something of what was asked changed; does_not_fit: not even so."""
Surety = Literal["yes", "tight", "no"]
"""yes: also at the upper end of the memory estimate; tight: by the estimate alone; no: it does not fit (nearest)."""


class TrainingCards(Frozen):
    """The cards that a way uses."""

    gpu: str | None
    """Catalog id; null = a card known by its memory alone."""
    name: str
    count: int


class TrainingMemory(Frozen):
    """Memory of the fullest card at the peak against what it has."""

    needed_bytes_per_gpu: int
    low_bytes_per_gpu: int
    high_bytes_per_gpu: int
    """`low`..`high`: 90 % interval of what is needed."""
    usable_bytes_per_gpu: int
    """After the driver's share and what others hold."""
    parts: dict[str, int]
    """Weights, optimizer, gradients, activations …, in bytes, at the moment of the peak; `vllm_reserved`: what the
    engine that generates (grpo, ppo) keeps to itself, its copy of the weights and its cache included."""
    generation_utilisation_ratio: float | None = None
    """Share of the card that engine is told to reserve (`vllm_gpu_memory_utilization`); null where none generates."""
    host_bytes: int = 0
    """In the memory of each machine."""
    host_high_bytes: int = 0
    """Its upper end: pinned buffers and copies made while loading."""
    host_usable_bytes: int | None = None
    """Of which so much can be used; null = not stated."""
    drive_bytes: int = 0
    """On drives, where weights and states lie there."""
    surety: Surety


class TrainingLimits(Frozen):
    """How far this way goes."""

    max_micro_batch_size: int | None
    """Most samples a card holds at this length."""
    max_sequence_tokens: int | None
    """Longest sample that still fits with the micro-batch; null for pictures."""


class TrainingSpeed(Frozen):
    """How fast it is and how long the run takes, each with a 90 % interval."""

    tokens_per_s: Interval | None = None
    """Over all cards; null for pictures, and where a card's rates are not known."""
    samples_per_s: Interval | None = None
    """For pictures."""
    time_s: Interval | None = None
    """Of the run as people first set it up, from tuned (`low`) to slow (`high`); null = the amount of data is not
    stated."""
    gpu_hours: Interval | None = None
    generation_s: float | None = None
    """Of `time_s`, what generating answers takes (grpo, ppo)."""
    reckoned: tuple[str, ...] = ()
    """The same on the back of an envelope, and how time and speed agree: data over speed, and what comes on top."""
    bound: str
    """What the time of one token mostly is: products, attention, elements, dispatch, link, launch, offload …"""
    model_flops_utilisation: float | None = None


class TrainingPrice(Frozen):
    """What the run costs."""

    run_cost: Interval | None = None
    """null = how long it takes is not known."""
    hourly_cost: Money
    """Of all cards together."""
    currency: str
    basis: Literal["given", "offers"]
    """given: the person's own rent; offers: the median of the catalog's offers on demand."""
    as_of: str | None = None
    """Day of the newest offer counted."""
    cheapest: str | None = None
    """Provider of the cheapest offer."""
    cheapest_hourly_cost: Money | None = None
    """What that one asks for all cards together; null where the rent was given."""
    stale: bool = False


class TrainingWay(Frozen):
    """One way to train the model."""

    title: str
    """Method, sharding, cards and what else tells it from others, in a few words."""
    method: Literal["full", "lora", "qlora"]
    cards: TrainingCards
    sharding: str
    """none, ddp, zero1 … fsdp; `layers` = dealt out over the cards (device_map), `grid` = Megatron's."""
    gradient_checkpointing: str
    optimizer: str
    precision: str
    offload: str
    weight_format: str
    engine: str
    """The trainer whose memory is counted."""
    micro_batch_size: int
    accumulation: int
    global_batch: int
    memory: TrainingMemory
    limits: TrainingLimits
    speed: TrainingSpeed | None = None
    """null where no source states a card's rates."""
    price: TrainingPrice | None = None
    meets_deadline: bool | None = None
    """By the estimate; null = no deadline, or no amount of data."""
    flags: dict[str, Any]
    """Settings under the names of LLaMA-Factory, TRL (TrainingArguments) and, where it shards, DeepSpeed."""
    configured: str = ""
    """Everything that the figures hold for: optimizer with the bytes of its states, sharding, offload, recomputing,
    samples at once and their length."""
    larger: str | None = None
    """What more samples at once would take and bring, where fewer than fit are taken."""
    checkpoint_bytes: int = 0
    """What is saved to use the result: 16-bit weights, or adapters."""
    resume_bytes: int = 0
    """What is saved to go on training: weights and optimizer states."""
    why: tuple[str, ...]
    """What speaks for it, and what one gives up."""


class TrainingPlain(Frozen):
    """The configuration of textbooks, told whether it fits or not: what people reckon with."""

    configured: str
    """AdamW in mixed precision (full), on a 16-bit base (lora) or a 4-bit one (qlora); nothing leaves the cards."""
    cards: str
    memory: TrainingMemory
    all_cards_bytes: int
    """Over all cards."""
    rule: str
    """The rule of thumb with its numbers, and what our figure counts beside it."""
    tokens_per_s: Interval | None = None
    time_s: Interval | None = None


class TrainingBind(Frozen):
    """What stops any way from fitting, or the best from being better."""

    what: str
    """A part of memory (`weights`, `optimizer`, `activations` …), `host_memory`, `deadline`, or a part of the time."""
    needed: float | None = None
    available: float | None = None
    unit: str = ""
    said: str
    """One English sentence with the figures."""


class TrainingChange(Frozen):
    """One change that would help, and what it brings."""

    change: str
    """What to change, in words with its figure."""
    field: str
    """The field of the request it changes."""
    value: Scalar
    """Its new value."""
    effect: str
    """What comes of it, with its figures."""
    surety: Surety
    needed_bytes_per_gpu: int
    tokens_per_s: float | None = None
    time_s: float | None = None
    run_cost: float | None = None
    costs: Literal["nothing", "quality", "length", "speed", "money"]
    """What one gives up."""


class TrainingAnswer(Frozen):
    """The verdict, and the data of one sentence."""

    verdict: Verdict
    way: int | None = None
    """Index in `ways`; null = none."""
    model: str | None = None
    method: str | None = None
    cards: str | None = None
    needed_bytes_per_gpu: int | None = None
    usable_bytes_per_gpu: int | None = None
    tokens_per_s: float | None = None
    time_s: float | None = None
    gpu_hours: float | None = None
    run_cost: float | None = None
    currency: str | None = None
    deadline_met: bool | None = None
    said: str
    """One English sentence."""


class _Found(Frozen):
    """What comes before the account of it."""

    answer: TrainingAnswer
    ways: tuple[TrainingWay, ...] = ()
    """Best first, then really different ones; at most six."""
    plain: TrainingPlain | None = None
    """The textbook's way beside them."""
    nearest: TrainingWay | None = None
    """Where nothing fits: what comes nearest."""
    binds: tuple[TrainingBind, ...] = ()
    changes: tuple[TrainingChange, ...] = ()
    """Those that cost least first."""
    searched: int = 0
    """Combinations that were weighed."""


class WaysToTrain(ToolResult, _Found):
    """All ways to train it, best first."""

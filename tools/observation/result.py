"""What the explanation of something observed answers."""

from typing import Literal

from pydantic import Field

from kb.base import Frozen
from tools.base import Scalar, ToolResult
from tools.oom.result import Quantities

ObservedVerdict = Literal["normal", "low", "high", "impossible"]
"""How the figure stands to what is expected: within it, below it, above it, or beyond what the set-up can do at all."""
CauseBasis = Literal["stated", "seen", "reckoned", "known"]
"""stated: the error text or the flags say so; seen: another observed figure shows it; reckoned: it is what an estimate
with that one thing changed gives; known: it goes with the symptom, and no figure tells."""


class Range(Frozen):
    """An estimate with its 90 % interval."""

    value: float
    low: float
    high: float
    unit: str


class Figure(Frozen):
    """One figure that was seen, beside what is expected of the set-up."""

    name: str
    """Field of `seen`."""
    seen: float
    unit: str
    expected: Range | None = None
    """Null where the set-up is too thin, or nothing estimates it."""
    ratio: float | None = None
    """Seen over expected."""
    verdict: ObservedVerdict | None = None
    worse: bool | None = None
    """Whether it is off to the bad side: slower, fuller, hotter."""
    limit: float | None = None
    """What the hardware cannot pass: the bandwidth's tokens a second, the card's memory."""
    by_person: float | None = None
    """What the asker expected."""


class Answer(Frozen):
    """The verdict on the figure that was asked about, or on the error."""

    verdict: ObservedVerdict | None = None
    """Null where there is no figure to judge, or no estimate to judge it by."""
    of: str | None = None
    """Field of `seen` that the verdict is of."""
    expected: Range | None = None
    seen: float | None = None
    ratio: float | None = None
    """Seen over expected."""
    worse: bool | None = None
    cause: str | None = None
    """Id of the first cause."""
    person_right: bool | None = None
    """Whether what the asker expected lies within what is expected; null where they said nothing."""
    needs: tuple[str, ...] = ()
    """Fields of the request that would decide, where they are missing."""


class Check(Frozen):
    """How to find out whether a cause holds."""

    command: str
    look_for: str
    """What its output shows if the cause holds, in English."""
    look_for_zh: str = ""


class Words(Frozen):
    """A name or sentence in both languages."""

    en: str
    zh: str


class ObservedCause(Frozen):
    """One thing that would explain what was seen."""

    id: str
    """Catalog id of the cause, e.g. `layers_on_cpu`."""
    name: Words
    what: Words
    """What happens, in one sentence."""
    basis: CauseBasis
    share_ratio: float | None = None
    """Share of the gap between expected and seen that it explains, 0 to 1; null where nothing can be reckoned."""
    expected: Range | None = None
    """The figure expected if this is the cause: compare with what was seen."""
    change: dict[str, Scalar] = Field(default_factory=dict)
    """Fields of the request, or of the machine, that differ from what was told, and their values."""
    check: Check
    fix: Words
    setting: str | None = None
    """The fix as a flag or command of the software at hand."""
    figure_after: Range | None = None
    """The figure after the fix."""


class ErrorRead(Frozen):
    """What the error text says, as typed facts."""

    id: str
    """Which wording it is."""
    software: str
    kind: str
    """oom, hang, hardware, version, kernel, link, killed, input …"""
    quantities: Quantities
    facts: dict[str, Scalar] = Field(default_factory=dict)
    """Other facts of it: `xid`, `capability`, `timeout_s`, `rank`, `operation`, `driver_cuda` …"""
    quote: str
    """The line that says so, secrets masked."""


class Effect(Frozen):
    """A change and what would come of it."""

    change: str
    """Field and value, or the setting."""
    effect: Range
    """The figure the answer is about, with the change."""
    costs: str = ""


class Takes(Frozen):
    """What the set-up as told takes of the fullest card."""

    needed_bytes_per_gpu: int
    low_bytes_per_gpu: int
    high_bytes_per_gpu: int
    """With the lower end, a 90 % interval."""
    usable_bytes_per_gpu: int | None = None
    """What the card has for programs; null where it is not known."""
    parts: dict[str, int] = Field(default_factory=dict)
    """Bytes of each part that takes any: weights, kv_cache, gradients, optimizer, logits …"""
    cards: int = 1
    """Over which it is dealt."""
    fits: bool | None = None
    weight_format: str | None = None
    """Where it was told or follows from the program; null = as published."""
    cache_bytes_per_token: float | None = None
    """On this card."""
    reserved_ratio: float | None = None
    """Share of the card that the server takes, whatever the model needs."""
    pool_bytes_per_gpu: int | None = None
    """What of that share is left for the cache; negative where nothing is."""
    pool_tokens: Range | None = None
    """Tokens that the pool holds, of all requests together."""


class Explanation(ToolResult):
    """Whether what was seen is to be expected, why it is so, how to find out, and what to do."""

    answer: Answer
    model: str | None = None
    gpu: str | None = None
    gpus: int | None = None
    engine: str | None = None
    set_by_flags: dict[str, Scalar] = Field(default_factory=dict)
    """What the command line sets, by field of the request."""
    figures: tuple[Figure, ...] = ()
    """Every figure seen, the one that the answer is of first."""
    causes: tuple[ObservedCause, ...] = ()
    """The likeliest first."""
    error_read: ErrorRead | None = None
    binds: str | None = None
    """What limits the figure as set up: memory_bandwidth, compute, interconnect, latency, capacity, host_bandwidth …"""
    takes: Takes | None = None
    """Memory of the set-up as told; null where it says too little."""
    changes: tuple[Effect, ...] = ()
    """What would move the figure of the answer, the most effective first."""

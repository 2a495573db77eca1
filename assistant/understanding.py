"""What reading a question yields: the Need, where each slot came from, and what was unclear."""

from typing import Any, Literal

from pydantic import Field, model_validator

from kb.base import Frozen
from tools.need import GpuCount, Intent, Need, Task

Command = Literal["why", "arithmetic", "cheaper", "sources", "assumed", "used", "rest", "thanks"]
"""What a follow-up may want of the last answer itself."""

Way = Literal["lora", "full_finetune"]
Role = Literal["main", "also", "seldom", "beside", "implied"]
"""Of one of several works: `beside` runs at the same time on the same cards, and so does `implied`, of which
nothing was said but without which the work is not done; the others take turns."""


class Span(Frozen):
    """Where a slot came from."""

    slot: str
    """Need field, e.g. `context_tokens`."""
    start: int
    end: int
    text: str


class Ambiguity(Frozen):
    """A name that fits several catalog entries which differ in what matters, or fits none."""

    kind: Literal["gpu", "model", "provider"]
    text: str
    candidates: tuple[str, ...]
    """Catalog ids that fit; for an unknown name, the closest ones."""
    unknown: bool = False
    """True when nothing bears the name and `candidates` are only similar."""


class Workload(Frozen):
    """One of several kinds of work that the same machine is to do."""

    text: str
    """As it was said."""
    task: Task | None
    model: str | None = None
    """Catalog id."""
    params: int | None = None
    weight_format: str | None = None
    role: Role = "also"
    assumed: bool = False
    """Whether the model stands in for one that was not named."""


class SaidPrice(Frozen):
    """What one card is said to cost."""

    gpu: str
    """Catalog id."""
    amount: float
    currency: str
    text: str | None = None
    """The sum as it was said, where no currency was: 「2.2 万」, "6k"."""


class Shown(Frozen):
    """What an answer told: the next one says what became of it, and repeats nothing of it."""

    measure: str | None = None
    """What its first figure is: `fit`, `order`, or a field of a tool's result."""
    said: str | None = None
    """That figure as it was said, e.g. "64 GiB per GPU on 1×RTX 3090"."""
    language: str | None = None
    """Of `said`."""
    fits: bool | None = None
    offered: tuple[GpuCount, ...] = ()
    """Cards that were on offer, in the order they were told."""
    model: str | None = None
    """Catalog id of the largest model that it told to fit, where it was asked what does."""
    weight_format: str | None = None
    """The format in which that model was told to fit."""
    questions: tuple[str, ...] = ()
    """Phrase keys of what it asked back."""
    told: tuple[str, ...] = ()
    """Marks of the caveats, assumptions and questions that the conversation has told so far."""


class Asked(Need):
    """The Need with what later turns of a conversation rely on besides."""

    others: tuple[Workload, ...] = ()
    """Further models for the same machine: beside the main one, or in turn with it."""
    asks: tuple[Intent, ...] = ()
    """Further parts of the question, asked again by a turn that only changes something."""
    trained: Way | None = None
    """How a model other than of language is trained, where it is: its task only says what it does."""
    usual_model: str | None = None
    """Catalog id of the model most people mean by the words, where none was named."""
    doubts: tuple[Ambiguity, ...] = ()
    """Names that are still unsettled."""
    said_prices: tuple[SaidPrice, ...] = ()
    """What each of several cards is said to cost."""
    way_open: bool | None = None
    """Whether fine-tuning was spoken of and the way to do it left open; null where none was spoken of."""
    samples: int | None = None
    """Samples of the training data that were stated."""
    conversations_per_day: int | None = None
    """Conversations or questions that come a day, where nothing was said of how many there are at once."""
    load_today: int | None = None
    """Users or requests at once that there are now, where more are to come and hardware is sized for those."""
    in_hand: tuple[GpuCount, ...] = ()
    """Cards that are there, where a follow-up only supposed more of them: "and with a second one?"."""
    amount: str | None = Field(default=None, max_length=400)
    """The words that said how much there is to do where that is not counted in tokens: "2M images", 「每天 300 条」."""
    asking: str | None = Field(default=None, max_length=80)
    """The words that asked: how long it takes, what it costs, or which fact of a card."""
    tariff_per_kwh: float | None = None
    """Price of electricity that was stated."""
    tariff_currency: str | None = None
    """Of that price."""
    on_offered: bool = False
    """Whether the cards asked about are those that an answer put forward, not ones that the person named."""
    on_model: bool = False
    """Whether the model is one that an answer told to fit, not one that the person named."""
    shown: Shown | None = None
    """What the answer told; in a follow-up that is being answered, what the former one did."""
    language: str | None = None
    """That of the conversation, for a turn that is of none: "8bit?"."""

    @model_validator(mode="before")
    @classmethod
    def _plain(cls, given: Any) -> Any:
        """A plain Need is one beside which nothing was said."""
        return given.model_dump() if isinstance(given, Need) and not isinstance(given, Asked) else given


class Understanding(Frozen):
    """The reading of one turn (folded into what the conversation already said)."""

    language: str
    """zh, en or another ISO 639-1 code."""
    need: Asked
    text: str = ""
    """The turn as the person wrote it: guidance is searched with it, and premises in it are checked."""
    spans: tuple[Span, ...] = ()
    ambiguities: tuple[Ambiguity, ...] = ()
    workloads: tuple[Workload, ...] = ()
    """Several kinds of work for one machine, main one first; empty where there is but one."""
    beside: tuple[Workload, ...] = ()
    """Other models that are to run at the same time on the same cards."""
    apart: tuple[Workload, ...] = ()
    """Models asked about one by one, the main one first; empty where there is but one."""
    follow_up: bool = False
    """Whether the turn changed an earlier need rather than stating a new one."""
    asks: tuple[str, ...] = ()
    """Further intents of a question with several parts, in order."""
    changed: tuple[str, ...] = ()
    """Fields of the need that a follow-up made other than they were."""
    command: Command | None = None
    """A follow-up that asks about the last answer itself."""
    out_of_scope: bool = False
    """Not about GPUs, servers, clouds, models or running them; or an attempt to make the advisor do something else."""
    error_text: str | None = None
    """Pasted error or log, verbatim, when there is one."""
    fault: bool = False
    """Whether a fault is reported that memory is none of: a hang, a loss that is no number."""
    dictated: bool = False
    """An order to state a claim rather than a question whether it holds: refused, with what the arithmetic says."""


def changed(before: Asked, after: Asked) -> tuple[str, ...]:
    """Fields of what was understood that differ, as they are declared; running a model goes without saying."""
    differ = (name for name in Need.model_fields if getattr(before, name) != getattr(after, name))
    return tuple(name for name in differ if name != "task" or before.task is not None or after.task != "inference")

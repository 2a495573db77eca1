"""The Answer: one shape for every face."""

from typing import Any, Literal

from pydantic import Field

from assistant.reading.annotation import Annotation
from assistant.understanding import Asked, Shown
from kb.base import Frozen
from tools.agent_tools.ledger import LookedUp
from tools.configuration import Configuration

AnswerVerdict = Literal[
    "fits", "does_not_fit", "fits_with_changes", "recommendation", "comparison", "fact", "estimate", "diagnosis",
    "clarification", "out_of_scope",
]  # fmt: skip
PLANNER = "planner"
"""Engine of the answers that no language model had a part in."""


class ToolCallRecord(Frozen):
    """A tool that ran: what it was asked and what it said."""

    tool: str
    request: dict[str, Any]
    result: dict[str, Any]
    """The result, or `{"error": {...}}`."""


class Citation(Frozen):
    """A numbered source of the answer."""

    marker: int
    kind: Literal["document", "catalog", "calculation"]
    title: str
    locator: str
    """File, heading and line, or row id."""
    url: str | None = None
    quote: str
    date: str | None = None


class Grounding(Frozen):
    """How many numbers the answer states and how many were traced to a tool, a citation or the asker."""

    numbers: int = 0
    grounded: int = 0
    ungrounded: tuple[str, ...] = ()
    own: tuple[str, ...] = ()
    """Statements of a language model's own knowledge, which the text marks."""


class Unused(Frozen):
    """A name or figure of the question that nothing of the answer used."""

    quote: str
    start: int
    """Characters into the question."""
    why: str
    decides: bool = False
    """Whether it could have changed the answer: a product, a budget, a wished speed. Those are told."""


class Section(Frozen):
    """What an answer says to one of the things that were asked."""

    ask: str
    """Kind of what was asked, e.g. `fits`."""
    lead: str
    """The sentence that answers it."""


class Draft(Frozen):
    """What composing yields; the agent adds ids, grounding, engine and time."""

    verdict: AnswerVerdict
    answer: str
    """Markdown in the asker's language."""
    configurations: tuple[Configuration, ...] = ()
    citations: tuple[Citation, ...] = ()
    assumptions: tuple[str, ...] = ()
    clarifying_questions: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    shown: Shown | None = None
    """What a follow-up will build on; it is kept with the need."""


class ModelTokens(Frozen):
    """What a language model counted in one turn, over all of its calls."""

    prompt: int
    completion: int


class Answer(Frozen):
    """One answer, the same over every face."""

    id: str
    conversation_id: str
    question: str
    language: str
    verdict: AnswerVerdict
    answer: str
    need: Asked
    configurations: tuple[Configuration, ...] = ()
    tool_calls: tuple[ToolCallRecord, ...] = ()
    """Every registered tool that ran."""
    looked_up: tuple[LookedUp, ...] = ()
    """What a language model looked up, as it read it; the next turn builds on it."""
    citations: tuple[Citation, ...] = ()
    assumptions: tuple[str, ...] = ()
    clarifying_questions: tuple[str, ...] = ()
    """What the answer still turns on; the text asks each once in a conversation."""
    warnings: tuple[str, ...] = ()
    unused: tuple[Unused, ...] = ()
    sections: tuple[Section, ...] = ()
    reading: Annotation | None = None
    """What was read of the question, by a reader that marks it up; null where the former planner read."""
    grounding: Grounding = Field(default_factory=Grounding)
    engine: str
    """`planner`, `pasted` (a set-up was checked), `reading:<reader>` or `llm:<provider:model>`."""
    model_tokens: ModelTokens | None = None
    """Null where no language model was asked, or it did not say."""
    elapsed_s: float

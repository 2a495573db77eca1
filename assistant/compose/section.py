"""What one renderer contributes: a verdict sentence and the paragraphs under it."""

from dataclasses import dataclass, field

from assistant.answer import AnswerVerdict
from tools.configuration import Configuration


@dataclass
class Section:
    """A part of an answer; the first one's verdict is the answer's."""

    verdict: AnswerVerdict
    headline: str
    """One sentence, with its markers."""
    body: list[str] = field(default_factory=list)
    """Paragraphs, lists and tables; empty ones are left out."""
    rests_on_documents: bool = False
    """Whether it quotes the documents itself, so that they are not quoted again."""
    settled: bool = False
    """Whether nothing of the documents belongs beside it: advice on another question would only lead astray."""
    levers: list[str] = field(default_factory=list)
    """What would change the answer, cheapest first."""
    caveats: list[str] = field(default_factory=list)
    assumptions: list[str] = field(default_factory=list)
    questions: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    configurations: list[Configuration] = field(default_factory=list)

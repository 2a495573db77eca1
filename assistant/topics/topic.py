"""What a topic is, and which one takes an ask."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from assistant.answer import AnswerVerdict
from assistant.reading.annotation import Ask
from assistant.reading.situation import Situation
from assistant.writing.words import Words
from tools.agent_tools.ledger import Ledger, LookedUp
from tools.agent_tools.toolset import agent_tool

FAMILIES = ("site", "room", "speed", "choice", "money", "trouble", "parts", "talk", "documents")
"""In the order in which they are tried; what documents say comes last, where nothing works the answer out."""


class SectionTold(NamedTuple):
    """What a topic says to one ask."""

    lead: str
    """The sentence that answers it, with the decisive figure."""
    lines: tuple[str, ...] = ()
    """What follows, a sentence or a block each."""
    verdict: AnswerVerdict = "estimate"


class Calls:
    """Where a topic calls solvers: what was called before for another ask of the turn is not called again."""

    def __init__(self, ledger: Ledger, words: tuple[str, ...]) -> None:
        self._ledger, self._words = ledger, words
        self._made: dict[str, LookedUp] = {}
        self.before = ledger.all
        """What was looked up in the turns before, the oldest first."""
        self.quoted: set[str] = set()
        """Headings of documents that were quoted to another ask of the turn."""

    def call(self, tool: str, arguments: dict[str, object]) -> LookedUp:
        """The result, or the refusal, of one of the nine tools."""
        key = f"{tool} {sorted(arguments.items(), key=str)}"
        if key not in self._made:
            self._made[key] = agent_tool(tool).look_up(arguments, self._ledger, self._words)
        return self._made[key]

    def detailed(self, one: LookedUp) -> LookedUp:
        """A result of a turn before with what stands behind it, which no conversation keeps."""
        return one if one.worked else self.call(one.tool, dict(one.request))


class Topic(NamedTuple):
    """A kind of question: which asks, when, and what is said."""

    name: str
    folder: Path
    asks: tuple[str, ...]
    applies: Callable[[Ask, Situation], bool]
    answer: Callable[[Ask, Situation, Calls, Words], SectionTold | None]
    """None: the solvers refuse, and nothing true can be said."""


@lru_cache(maxsize=1)
def topics() -> Sequence[Topic]:
    """Every topic: each folder of a family holds one in `topic.py`."""
    files = [file for family in FAMILIES for file in sorted((Path(__file__).parent / family).glob("*/topic.py"))]
    names = [f"assistant.topics.{file.parent.parent.name}.{file.parent.name}.topic" for file in files]
    return tuple(import_module(name).TOPIC for name in names)


def topics_for(ask: Ask, situation: Situation) -> list[Topic]:
    """The topics that may take an ask: where one can say nothing true, the next is asked."""
    return [one for one in topics() if ask.ask in one.asks and one.applies(ask, situation)]

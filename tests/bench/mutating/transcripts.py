"""Turns of a driven conversation, with everything that their answers may rest on."""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from assistant.grounding.references import rendered
from assistant.grounding.standing.evidence import Evidence
from assistant.llm.verdict import parted
from assistant.understand.language import language_of
from tools.agent_tools.ledger import Ledger, LookedUp

MARK = re.compile(r"(?<!\s)°(?!\s?[CF]\b)")
"""What stands in a shown answer for the model's own `[own]`; degrees are none."""
FOOTER = re.compile(r"\n+° [^\n]+\s*\Z")


@dataclass(frozen=True)
class Transcript:
    """One answer and what it rests on."""

    name: str
    answer: str
    """As the model wrote it: references and `[own]` in place; or as it was shown."""
    looked_up: tuple[LookedUp, ...]
    """Results of the conversation up to here."""
    words: tuple[str, ...]
    """What the person wrote, the question last."""
    former: tuple[str, ...] = ()
    """Answers before this one."""

    @cached_property
    def text(self) -> str:
        """The answer with its references filled in, less its last line."""
        return rendered(parted(self.answer).text, Ledger(self.looked_up)).text

    @cached_property
    def spans(self) -> tuple[tuple[int, int, str], ...]:
        """Where references were filled in."""
        return rendered(parted(self.answer).text, Ledger(self.looked_up)).spans

    @cached_property
    def evidence(self) -> Evidence:
        """What vouches for its figures."""
        return Evidence.of(self.looked_up, self.words, self.former)

    @cached_property
    def language(self) -> str:
        """The person's."""
        return language_of(self.words[-1].lower())


def transcripts(path: Path) -> Iterator[Transcript]:
    """Read lines of Answer JSON, of `{"answers": [Answer, …]}`, or of `{answer, looked_up, words, former}`."""
    conversations: dict[str, list[dict[str, Any]]] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        row = json.loads(line)
        if "words" in row:
            yield _raw(row, f"{number}")
            continue
        for answer in row.get("answers", [row]):
            if "looked_up" in answer and answer.get("engine", "llm:").startswith("llm:"):
                conversations.setdefault(answer.get("conversation_id", str(number)), []).append(answer)
    for turns in conversations.values():
        yield from _turns(turns)


def _turns(answers: Iterable[dict[str, Any]]) -> Iterator[Transcript]:
    """The turns of one conversation, each with what came before it."""
    looked_up: list[LookedUp] = []
    words: list[str] = []
    former: list[str] = []
    for answer in answers:
        looked_up += map(LookedUp.model_validate, answer["looked_up"])
        words.append(answer["question"])
        text = MARK.sub(" [own]", FOOTER.sub("", answer["answer"]))
        yield Transcript(words[-1][:40], text, tuple(looked_up), tuple(words), tuple(former))
        former.append(answer["answer"])


def _raw(row: dict[str, Any], name: str) -> Transcript:
    held = tuple(map(LookedUp.model_validate, row["looked_up"]))
    return Transcript(row.get("name", name), row["answer"], held, tuple(row["words"]), tuple(row.get("former", ())))

"""An advisor that answers at once, for tests of what is around it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from assistant.agent import Step
from assistant.answer import Answer
from assistant.conversations import Conversations
from assistant.told import Told
from tools.need import Need


class Scripted:
    """Answers at once and counts; keeps its turns as the advisor does."""

    def __init__(self, options: Any, home: Path) -> None:
        self.options = options
        self.conversations = Conversations(home / "conversations.sqlite")
        self.asked: list[str] = []

    def stream(self, question: str, conversation_id: str | None = None, **_: Any) -> Iterator[Step]:
        self.asked.append(question)
        answer = Answer(
            id=f"a{len(self.asked)}", conversation_id=str(conversation_id), question=question, language="en",
            verdict="fact", answer=f"**Answered {question}**", need=Need(intent="other"), engine="planner",
            elapsed_s=0.0,
        )  # fmt: skip
        self.conversations.append(answer)
        yield Step("answer", told=Told.of(answer))

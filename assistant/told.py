"""An answer as it is kept and sent: the object, and its JSON, which is written once."""

import json
import uuid
from dataclasses import dataclass, field
from functools import cached_property

from assistant.answer import Answer

FRESH = {"id", "conversation_id", "elapsed_s"}
"""Fields of an answer that are of one turn only."""


@dataclass(frozen=True)
class Told:
    """An answer with its JSON."""

    answer: Answer
    common: str = field(repr=False)
    """The JSON of everything that other turns may share, without braces."""

    @classmethod
    def of(cls, answer: Answer) -> "Told":
        """Write the JSON of an answer."""
        return cls(answer, answer.model_dump_json(exclude=FRESH)[1:-1])

    @cached_property
    def text(self) -> str:
        """The whole answer as JSON."""
        one = self.answer
        ids = f'"id":{json.dumps(one.id)},"conversation_id":{json.dumps(one.conversation_id)}'
        return f'{{{ids},{self.common},"elapsed_s":{one.elapsed_s!r}}}'

    def again(self, conversation_id: str, elapsed_s: float) -> "Told":
        """The same for another turn."""
        fresh = {"id": uuid.uuid4().hex, "conversation_id": conversation_id, "elapsed_s": elapsed_s}
        return Told(self.answer.model_copy(update=fresh), self.common)

"""An answer as it is kept and sent: the object, and its JSON, which is written once."""

import json
import uuid
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from assistant.answer import Answer, AnswerVerdict
from assistant.phrases import phrases

FRESH = {"id", "conversation_id", "elapsed_s"}
"""Fields of an answer that are of one turn only."""
QUICK = 1
"""Level at which JSON shrinks to a seventh in a millisecond; higher ones take ten for little more."""


@dataclass(frozen=True)
class Gist:
    """What of an answer is counted and filed with every turn."""

    id: str
    conversation_id: str
    elapsed_s: float
    question: str
    need: str
    """As JSON."""
    language: str
    verdict: AnswerVerdict
    engine: str
    tools: tuple[str, ...]
    """Those that were called, in order."""
    ungrounded: int
    """Numbers that nothing vouches for."""

    @classmethod
    def of(cls, answer: Answer) -> "Gist":
        """That of an answer."""
        return cls(
            answer.id, answer.conversation_id, answer.elapsed_s, answer.question, answer.need.model_dump_json(),
            answer.language, answer.verdict, answer.engine, tuple(call.tool for call in answer.tool_calls),
            len(answer.grounding.ungrounded),
        )  # fmt: skip


class Told:
    """An answer with its JSON; one out of memory is read from its JSON when somebody wants the object."""

    def __init__(
        self, gist: Gist, common: str, answer: Answer | None = None, packed_common: bytes | None = None
    ) -> None:
        self.gist, self.common, self._answer, self._packed = gist, common, answer, packed_common
        """`common` is the JSON of everything that other turns may share, without braces."""

    @classmethod
    def of(cls, answer: Answer) -> "Told":
        """Write the JSON of an answer."""
        return cls(Gist.of(answer), answer.model_dump_json(exclude=FRESH)[1:-1], answer)

    def warned(self, phrase: str, **values: object) -> "Told":
        """The same with one warning more, said in the language of the answer."""
        said = phrases(self.gist.language)(phrase, **values)
        return Told.of(self.answer.model_copy(update={"warnings": (*self.answer.warnings, said)}))

    @property
    def answer(self) -> Answer:
        """The answer itself."""
        if self._answer is None:
            self._answer = Answer.model_validate_json(self.text)
        return self._answer

    @cached_property
    def text(self) -> str:
        """The whole answer as JSON."""
        return whole(self.own, self.common)

    @property
    def own(self) -> str:
        """As JSON, the fields that are of this turn only."""
        one = self.gist
        ids = f'"id":{json.dumps(one.id)},"conversation_id":{json.dumps(one.conversation_id)}'
        return f'{{{ids},"elapsed_s":{one.elapsed_s!r}}}'

    @property
    def packed(self) -> bytes:
        """`common`, a seventh as long."""
        if self._packed is None:
            self._packed = zlib.compress(self.common.encode(), QUICK)
        return self._packed


def whole(own: str, common: str) -> str:
    """The JSON of an answer of its two parts."""
    return f"{own[:-1]},{common}}}"


def unpacked(packed: bytes) -> str:
    """The common part of an answer."""
    return zlib.decompress(packed).decode()


@dataclass(frozen=True)
class Kept:
    """A turn as it is remembered: a tenth of the memory that its objects take."""

    gist: Gist
    packed: bytes = field(repr=False)
    requests: tuple[dict[str, Any], ...] = ()
    """What each tool was asked, as the planner put it."""

    @classmethod
    def of(cls, told: Told, requests: Sequence[dict[str, Any]] = ()) -> "Kept":
        """Pack a turn."""
        return cls(told.gist, told.packed, tuple(requests))

    @property
    def size_bytes(self) -> int:
        """About what it takes: the text, its gist and the requests, which are small."""
        return (
            len(self.packed) + 2 * len(self.gist.need) + 2 * len(self.gist.question) + 2000 * (1 + len(self.requests))
        )

    def again(self, conversation_id: str, elapsed_s: float) -> Told:
        """The same for another turn."""
        gist = replace(self.gist, id=uuid.uuid4().hex, conversation_id=conversation_id, elapsed_s=elapsed_s)
        return Told(gist, unpacked(self.packed), packed_common=self.packed)

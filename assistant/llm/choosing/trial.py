"""Ten scored questions that tell whether a model may drive: does it call, take its figures from results, and stop?"""

import json
import re
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, Protocol

import yaml
from pydantic import field_validator

from assistant.answer import PLANNER, Grounding, ModelTokens, ToolCallRecord
from assistant.llm.choosing.finding import Connection
from kb.base import AdvisorError, Frozen
from kb.model_choice import ModelTrial

CALLS_MAX = 16
"""More tool calls in one turn than the hardest of the questions needs by far."""
SECONDS_MAX = 300.0
"""Longest turn that still counts."""
CHINESE_SHARE_MIN, CHINESE_SHARE_MAX = 0.2, 0.05
"""Of the letters of an answer: at least so many are Chinese in a Chinese one, at most so many in an English one."""
CHINESE, LETTER = re.compile(r"[\u4e00-\u9fff]"), re.compile(r"[^\W\d_]")
CODE = re.compile(r"```.*?```|`[^`]*`|https?://\S+", re.DOTALL)


class Reply(Protocol):
    """What is judged of an answer; `assistant.answer.Answer` has it all."""

    @property
    def answer(self) -> str:
        """The text."""

    @property
    def verdict(self) -> str:
        """What it comes to."""

    @property
    def tool_calls(self) -> Sequence[ToolCallRecord]:
        """The tools that ran in this turn."""

    @property
    def grounding(self) -> Grounding:
        """Its numbers, and those that nothing stands behind."""

    @property
    def engine(self) -> str:
        """Who answered."""

    @property
    def warnings(self) -> Sequence[str]:
        """What went wrong, where something did."""

    @property
    def model_tokens(self) -> ModelTokens | None:
        """What the model counted."""


class Asks(Protocol):
    """Whoever is tried: answers a question as a turn of a conversation."""

    def __call__(self, question: str, conversation_id: str, /) -> Reply:
        """The answer, or an error of the advisor."""


class Wanted(Frozen):
    """A call that has to be made."""

    tools: tuple[str, ...]
    """Any of these tools."""
    wants: tuple[str, ...]
    """What the request holds: every one of these expressions is found in it, small letters."""

    @field_validator("wants")
    @classmethod
    def _compile(cls, wants: tuple[str, ...]) -> tuple[str, ...]:
        for one in wants:
            re.compile(one)
        return wants

    def made(self, calls: Sequence[ToolCallRecord]) -> bool:
        """Whether one of these calls is it, and was not refused."""
        return any(call.tool in self.tools and "error" not in call.result and self._holds(call) for call in calls)

    def _holds(self, call: ToolCallRecord) -> bool:
        request = json.dumps(call.request, ensure_ascii=False).lower()
        return all(re.search(one, request) for one in self.wants)


class Question(Frozen):
    """One of the ten: the turns of a conversation, the last of which is judged."""

    id: str
    """Its name."""
    language: Literal["zh", "en"]
    """Language it is asked in, and answered."""
    turns: tuple[str, ...]
    """What is said, turn by turn."""
    calls: tuple[Wanted, ...]
    """Calls that have to be made in the last turn."""
    verdicts: tuple[str, ...] = ()
    """Verdicts that are right; none = any."""
    numbers: int
    """Numbers the answer has to state at least."""
    never: tuple[str, ...] = ()
    """Expressions that the answer must not hold."""


class Questions(Frozen):
    """All of `trial.yaml`."""

    passed_with: int
    """Questions that have to be right."""
    questions: tuple[Question, ...]
    """In the order they are asked."""


class Scored(Frozen):
    """How one question went."""

    id: str
    """Its name."""
    failed: tuple[str, ...]
    """The checks it failed, each with what was seen; none = right."""
    seconds: float
    """Wall time of all its turns."""
    tokens: int | None
    """Tokens counted, where told."""


@lru_cache(maxsize=1)
def questions() -> Questions:
    """The ten, in order."""
    text = (Path(__file__).parent / "trial.yaml").read_text(encoding="utf-8")
    return Questions.model_validate(yaml.safe_load(text))


def tried(model: Connection, asks: Asks, day: date, told: Callable[[Scored], None] | None = None) -> ModelTrial:
    """Ask all ten; the outcome, as it is kept.

    Args:
        model: who is tried.
        asks: puts a question to it.
        day: today.
        told: is called after each question.
    """
    scores = []
    for question in questions().questions:
        scores.append(scored(question, asks))
        if told is not None:
            told(scores[-1])
    return outcome(model, scores, day)


def outcome(model: Connection, scores: Sequence[Scored], day: date) -> ModelTrial:
    """The sum of the scores."""
    right = sum(not one.failed for one in scores)
    counted = [one.tokens for one in scores if one.tokens is not None]
    return ModelTrial(
        name=model.name,
        llm=model.llm,
        base_url=model.base_url,
        passed=right >= questions().passed_with,
        right=right,
        of=len(scores),
        failed={one.id: list(one.failed) for one in scores if one.failed},
        seconds=round(sum(one.seconds for one in scores), 1),
        tokens=sum(counted) if counted else None,
        day=day,
    )


def scored(question: Question, asks: Asks) -> Scored:
    """Ask one, in a conversation of its own."""
    started, tokens, failed = time.monotonic(), 0, ["answered: not asked"]
    for said in question.turns:
        began = time.monotonic()
        try:
            reply = asks(said, f"trial-{question.id}")
        except AdvisorError as problem:
            failed = [f"answered: {str(problem)[:200]}"]
            break
        seconds = time.monotonic() - began
        tokens += reply.model_tokens.prompt + reply.model_tokens.completion if reply.model_tokens else 0
        failed = judged(question, reply, seconds) if said is question.turns[-1] else _stopped(reply, seconds)
        if failed:
            break
    seconds = round(time.monotonic() - started, 1)
    return Scored(id=question.id, failed=tuple(failed), seconds=seconds, tokens=tokens or None)


def judged(question: Question, reply: Reply, seconds: float) -> list[str]:
    """The checks that the answer fails, each with what was seen."""
    failed = _stopped(reply, seconds)
    if failed:
        return failed
    for wanted in question.calls:
        if not wanted.made(reply.tool_calls):
            made = "; ".join(f"{call.tool} {_short(call.request)}" for call in reply.tool_calls[:4]) or "none"
            failed.append(f"calls: {' or '.join(wanted.tools)} with {', '.join(wanted.wants)}; made: {made}")
    if question.verdicts and reply.verdict not in question.verdicts:
        failed.append(f"verdict: {' or '.join(question.verdicts)}; given: {reply.verdict}")
    grounding = reply.grounding
    if grounding.numbers < question.numbers:
        failed.append(f"numbers: at least {question.numbers}; given: {grounding.numbers}")
    if grounding.ungrounded:
        failed.append(f"numbers: nothing stands behind {', '.join(grounding.ungrounded[:5])}")
    if not in_language(reply.answer, question.language):
        failed.append(f"language: not {question.language}")
    failed += [f"never: {found[0][:80]}" for one in question.never if (found := re.search(one, reply.answer))]
    return failed


def in_language(text: str, language: Literal["zh", "en"]) -> bool:
    """Whether a text is in Chinese or English, code and addresses aside; names of models are Latin in both."""
    prose = CODE.sub("", text)
    letters = len(LETTER.findall(prose))
    share = len(CHINESE.findall(prose)) / letters if letters else 0.0
    return letters > 0 and (share >= CHINESE_SHARE_MIN if language == "zh" else share <= CHINESE_SHARE_MAX)


def _stopped(reply: Reply, seconds: float) -> list[str]:
    """What keeps an answer from being the model's own, in time, after calls that lead somewhere."""
    if reply.engine == PLANNER:
        return [f"answered: by the planner instead. {' '.join(reply.warnings)[:300]}".rstrip()]
    if seconds > SECONDS_MAX:
        return [f"stops: after {seconds:.0f} s; at most {SECONDS_MAX:.0f}"]
    if len(reply.tool_calls) > CALLS_MAX:
        return [f"stops: after {len(reply.tool_calls)} calls; at most {CALLS_MAX}"]
    return [] if reply.answer.strip() else ["answered: nothing"]


def _short(request: Mapping[str, Any]) -> str:
    given = {name: value for name, value in request.items() if value is not None}
    return json.dumps(given, ensure_ascii=False)[:160]

"""A turn worked out without a language model, in whichever process: marked up and answered by topics, else by rules."""

import logging
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from assistant.answer import PLANNER, Answer, ToolCallRecord
from assistant.compose import compose
from assistant.compose.before import SAID, Look, apart
from assistant.finish import answer_of, checked, counted, since, vouched_for
from assistant.reading.build import after
from assistant.step import Step, taken, worked_out
from assistant.told import Told
from assistant.turn import answered, situation_of
from assistant.understanding import Understanding

if TYPE_CHECKING:
    from assistant.reading.embedded import EmbeddedReader

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Job:
    """What a turn is worked out from."""

    question: str
    reading: Understanding
    former: tuple[str, ...] = ()
    """The questions of the conversation so far, whose numbers may vouch for what an answer says."""
    conversation_id: str = ""
    history: tuple[Answer, ...] | None = None
    """The conversation so far, where the learned reader is to mark the question up; null = by the rules alone."""


@dataclass(frozen=True)
class Worked:
    """What became of it."""

    told: Told
    requests: tuple[dict[str, Any], ...]
    """What each tool was asked."""
    looks: tuple[Look, ...]
    """What of the answer before was looked at."""
    recurs: bool
    """Whether the same words get the same answer wherever these looks find the same: not where only the rest of the
    conversation vouches for a number, or where a tool failed."""


def work(job: Job, started: float) -> Generator[Step, None, Worked]:
    """Work out a turn that began at `started` of the performance counter; its steps come as they happen."""
    if job.history is not None and (worked := _by_topics(job, job.history, started)) is not None:
        yield from taken(worked.told, worked.requests)
        return worked
    reading = job.reading
    bare, before = apart(reading)
    requests: list[dict[str, Any]] = []
    records = yield from _noting(worked_out(bare), requests)
    draft = compose(bare, records, before)
    looks = before.looks()
    said = [job.question, counted(reading if SAID in looks else bare)]
    grounding = vouched_for(draft, records, said)
    alone = grounding is not None
    if grounding is None:  # what was said before may vouch too; then it is of this conversation only
        draft, grounding = checked(draft, records, [*job.former, *said], reading.language)
    answer = answer_of(job.question, draft, grounding, bare, records, PLANNER, job.conversation_id, started)
    failed = any("error" in record.result for record in records)
    return Worked(Told.of(answer), tuple(requests), looks, alone and not failed)


def _by_topics(job: Job, history: tuple[Answer, ...], started: float) -> Worked | None:
    """The turn by the reader that was learned; null where it speaks another language, or something failed."""
    before = situation_of(history)
    try:
        annotation = _reader().read(job.question, before)
        answer = answered(job.question, annotation, after(before, annotation), job.conversation_id, history)
    except Exception:  # a fault of ours must not cost the person the turn: the rules are still there
        logger.exception("the rules answer a turn in the topics' place")
        return None
    if answer is None:
        return None
    told = Told.of(answer.model_copy(update={"elapsed_s": since(started)}))
    requests = tuple(dict(one.request) for one in answer.tool_calls)
    return Worked(told, requests, (), recurs=not history and not any(one.failed for one in answer.looked_up))


@lru_cache(maxsize=1)
def _reader() -> "EmbeddedReader":
    from assistant.reading.embedded import EmbeddedReader

    return EmbeddedReader()


def _noting(
    running: Generator[Step, None, Sequence[ToolCallRecord]], requests: list[dict[str, Any]]
) -> Generator[Step, None, Sequence[ToolCallRecord]]:
    """Pass the steps on, and keep what the tools are asked."""
    while True:
        try:
            step = next(running)
        except StopIteration as end:
            records: Sequence[ToolCallRecord] = end.value
            return records
        if step.kind == "tool":
            requests.append(step.data or {})
        yield step

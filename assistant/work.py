"""A turn of the planner worked out: its tools, its words, and the check of its numbers; in whichever process."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Any

from assistant.answer import PLANNER, ToolCallRecord
from assistant.compose import compose
from assistant.compose.before import SAID, Look, apart
from assistant.finish import answer_of, checked, counted, vouched_for
from assistant.step import Step, worked_out
from assistant.told import Told
from assistant.understanding import Understanding


@dataclass(frozen=True)
class Job:
    """What a turn is worked out from."""

    question: str
    reading: Understanding
    former: tuple[str, ...] = ()
    """The questions of the conversation so far, whose numbers may vouch for what an answer says."""
    conversation_id: str = ""


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

"""What happens on the way to an answer, for a person who waits."""

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from assistant.answer import Answer, ToolCallRecord
from assistant.call import call
from assistant.plan import PlannedCall, plan, plan_more
from assistant.told import Told
from assistant.understanding import Understanding
from tools.registry import tool


@dataclass(frozen=True, slots=True)
class Step:
    """Something that happened on the way to the answer."""

    kind: Literal["understood", "tool", "result", "answer"]
    name: str = ""
    """The tool, for `tool` and `result`."""
    data: dict[str, Any] | None = None
    """The need, the request, or the result."""
    told: Told | None = None
    """For the last step: the answer and its JSON."""

    @property
    def answer(self) -> Answer | None:
        """The answer, for the last step."""
        return None if self.told is None else self.told.answer


def understood(understanding: Understanding, *, told: bool = True) -> Step:
    """The first step: what was read, where anybody wants to be `told`."""
    return Step("understood", data=understanding.model_dump(mode="json", exclude_none=True) if told else None)


def taken(told: Told, requests: Sequence[dict[str, Any]] | None) -> Iterator[Step]:
    """The steps to an answer that was worked out before; their names alone where nobody wants the requests."""
    if requests is None:
        for name in told.gist.tools:
            yield Step("tool", name)
            yield Step("result", name)
        return
    for request, record in zip(requests, told.answer.tool_calls, strict=True):
        yield Step("tool", record.tool, request)
        yield Step("result", record.tool, record.result)


def worked_out(understanding: Understanding) -> Generator[Step, None, list[ToolCallRecord]]:
    """Run the planner's tools, what the question needs and then what the first results call for; yields each call and
    each result as it comes, and returns the records in order."""
    records = yield from _wave(plan(understanding))
    if records:
        records += yield from _wave(plan_more(understanding, records))
    return records


def _wave(calls: Sequence[PlannedCall]) -> Generator[Step, None, list[ToolCallRecord]]:
    records = []
    for planned in calls:
        yield Step("tool", planned.tool, dict(planned.request))
        records.append(call(tool(planned.tool), planned.request))
        yield Step("result", planned.tool, records[-1].result)
    return records


def by_planner(understanding: Understanding) -> list[ToolCallRecord]:
    """What the planner's own tool calls say, whatever a language model chose to call."""
    running = worked_out(understanding)
    while True:
        try:
            next(running)
        except StopIteration as end:
            records: list[ToolCallRecord] = end.value
            return records

"""OpenTelemetry spans of a turn: one for the whole, one for each step; nothing anybody wrote stands in them."""

import time
from collections.abc import Callable, Iterator
from functools import wraps
from typing import ParamSpec, Protocol, TypeVar

from opentelemetry import trace
from opentelemetry.trace import Status, StatusCode

from assistant.told import Gist, Told


class Traceable(Protocol):
    """A step of a turn, as far as a span needs it."""

    @property
    def kind(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def told(self) -> Told | None: ...


P = ParamSpec("P")
S = TypeVar("S", bound=Traceable)


def traced(stream: Callable[P, Iterator[S]]) -> Callable[P, Iterator[S]]:
    """Span a turn and the time up to each of its steps. Without a set-up of traces this costs microseconds."""

    @wraps(stream)
    def spanned(*given: P.args, **named: P.kwargs) -> Iterator[S]:
        tracer = trace.get_tracer("gpu-advisor")
        turn = tracer.start_span("turn")
        below, since = trace.set_span_in_context(turn), time.time_ns()
        try:
            for step in stream(*given, **named):
                now = time.time_ns()
                if step.kind != "tool":  # the span of a tool ends with its result
                    span = tracer.start_span(" ".join(filter(None, (step.kind, step.name))), below, start_time=since)
                    span.end(now)
                since = now
                if step.told is not None:
                    turn.set_attributes(_of(step.told.gist))
                yield step
        except Exception as problem:
            turn.set_status(Status(StatusCode.ERROR, type(problem).__name__))
            raise
        finally:
            turn.end()

    return spanned


def _of(answer: Gist) -> dict[str, str | int]:
    return {
        "advisor.answer": answer.id,
        "advisor.verdict": answer.verdict,
        "advisor.language": answer.language,
        "advisor.engine": answer.engine,
        "advisor.tool_calls": len(answer.tools),
        "advisor.ungrounded": answer.ungrounded,
    }

"""What is counted for Prometheus: requests by route, answers by verdict, and how long both take."""

import time
from typing import TypeVar

from prometheus_client import Counter, Gauge, Histogram
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from assistant.answer import Answer
from assistant.told import Gist

BUCKETS_S = (0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)
REQUESTS = Counter("gpu_advisor_requests_total", "HTTP requests", ["method", "route", "status"])
REQUEST_SECONDS = Histogram("gpu_advisor_request_seconds", "Time to answer a request", ["route"], buckets=BUCKETS_S)
IN_FLIGHT = Gauge("gpu_advisor_requests_in_flight", "Requests being worked on")
ANSWERS = Counter("gpu_advisor_answers_total", "Answers given", ["face", "verdict", "language", "engine"])
ANSWER_SECONDS = Histogram("gpu_advisor_answer_seconds", "Time to compose an answer", ["face"], buckets=BUCKETS_S)
LANGUAGE_MODEL_OPEN = Gauge("gpu_advisor_language_model_open", "1 while a failing language model is left alone")
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
Counted = TypeVar("Counted", Answer, Gist)


def counted(answer: Counted, face: str) -> Counted:
    """The same answer, or gist of one, counted."""
    language = answer.language if answer.language in {"zh", "en"} else "other"
    ANSWERS.labels(face, answer.verdict, language, answer.engine.split(":")[0]).inc()
    ANSWER_SECONDS.labels(face).observe(answer.elapsed_s)
    return answer


class Measured:
    """Counts and times every request under its route, never under the address that was typed."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started, status = time.perf_counter(), 500

        async def note(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        IN_FLIGHT.inc()
        try:
            await self._app(scope, receive, note)
        finally:
            IN_FLIGHT.dec()
            route = getattr(scope.get("route"), "path", "other")
            method = scope["method"] if scope["method"] in METHODS else "other"
            REQUESTS.labels(method, route, str(status)).inc()
            REQUEST_SECONDS.labels(route).observe(time.perf_counter() - started)

"""What one request may cost: its size and time to arrive, the shape of its JSON, and how many run at once."""

import asyncio
import json
from collections.abc import Collection
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ui.entrance.hold import Hold
from ui.entrance.problem import problem

MOST_BODY_BYTES = 512 * 1024
"""A question is at most 20,000 characters and a tool request far less."""
LARGER = {"/v1/kb/check": 6_000_000, "/v1/kb/documents": 6_000_000}
"""Paths that take a file."""
ARRIVAL_S = 30.0
"""A body that trickles in holds a connection for this long at most."""
DEEPEST_JSON = 32
MOST_AT_ONCE = 64
UNCOUNTED = ("/healthz", "/readyz", "/metrics")


class BodyLimit:
    """Refuses a body that is, or grows, too large (413) or does not arrive (408), before anything reads it."""

    def __init__(self, app: ASGIApp, most_bytes: int = MOST_BODY_BYTES, arrival_s: float = ARRIVAL_S) -> None:
        self._app, self._most, self._arrival_s = app, most_bytes, arrival_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] in {"GET", "HEAD", "OPTIONS"}:
            await self._app(scope, receive, send)
            return
        most = max(self._most, LARGER.get(scope["path"], 0))
        declared = dict(scope["headers"]).get(b"content-length", b"0")
        too_large = not declared.isdigit() or len(declared) > 12 or int(declared) > most
        body: bytes | None = None
        if not too_large:
            try:
                async with asyncio.timeout(self._arrival_s):
                    body, too_large = await self._collect(receive, most)
            except TimeoutError:
                await problem(408, "too_slow", "body: did not arrive in time.", field="body")(scope, receive, send)
                return
        if too_large:
            detail = f"body: larger than {most:,} bytes. Send less."
            await problem(413, "too_large", detail, field="body")(scope, receive, send)
        elif body is not None:
            await self.handle(scope, body, receive, send)

    async def handle(self, scope: Scope, body: bytes, receive: Receive, send: Send) -> None:
        """Pass the whole body on."""
        sent = False

        async def replay() -> Message:
            nonlocal sent
            if sent:
                return await receive()
            sent = True
            return {"type": "http.request", "body": body, "more_body": False}

        await self._app(scope, replay, send)

    async def _collect(self, receive: Receive, most: int) -> tuple[bytes | None, bool]:
        """The body (None when the sender left), and whether it grew too large."""
        parts, size = [], 0
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                return None, False
            parts.append(message.get("body", b""))
            size += len(parts[-1])
            if size > most:
                return None, True
            if not message.get("more_body", False):
                return b"".join(parts), False


class CleanBody(BodyLimit):
    """A body limit that also refuses JSON which is not text, nests too deep or holds what JSON has not."""

    async def handle(self, scope: Scope, body: bytes, receive: Receive, send: Send) -> None:
        """Pass the body on if it can be read."""
        if body and (reason := fault(body)):
            await problem(422, "bad_input", f"body: {reason}", field="body")(scope, receive, send)
        else:
            await super().handle(scope, body, receive, send)


class Bounded:
    """Answers 503 with Retry-After when too many requests are in work, instead of queueing without end."""

    def __init__(self, app: ASGIApp, most: int = MOST_AT_ONCE, beside: Collection[str] = ()) -> None:
        self._app, self._most, self._running = app, most, 0
        self._uncounted = frozenset(UNCOUNTED).union(beside)
        """Also those `beside`, which somebody else bounds."""
        self._hold = Hold()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] in self._uncounted:
            await self._app(scope, receive, send)
            return
        if self._running >= self._most:
            await self._hold.breathe()
            again = {"Retry-After": str(self._hold.again_s())}
            await problem(503, "busy", "Too many requests at once. Try again in a moment.", again)(scope, receive, send)
            return
        self._running += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._running -= 1


def fault(body: bytes) -> str | None:
    """Why these bytes are no usable JSON; null when they are."""
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        return "is not valid UTF-8. Send UTF-8."
    try:
        value = json.loads(text, parse_constant=_refuse_constant)
    except _Constant:
        return "holds NaN or Infinity, which JSON has not. Send a finite number or null."
    except (ValueError, RecursionError):
        return "is not valid JSON. Send valid JSON."
    return _value_fault(value, 0)


class _Constant(ValueError):
    pass


def _refuse_constant(name: str) -> Any:
    raise _Constant(name)


def _value_fault(value: Any, depth: int) -> str | None:
    if depth > DEEPEST_JSON:
        return f"nests deeper than {DEEPEST_JSON} levels. Send a flat object."
    if isinstance(value, str):
        return None if _is_text(value) else "holds half a surrogate pair, which is not text. Send valid UTF-8."
    parts: list[Any] = (
        [*value, *value.values()] if isinstance(value, dict) else value if isinstance(value, list) else []
    )
    return next((reason for part in parts if (reason := _value_fault(part, depth + 1))), None)


def _is_text(value: str) -> bool:
    return value.isascii() or not any("\ud800" <= character <= "\udfff" for character in value)

"""The HTTP door: nothing that Slack did not sign within the last five minutes comes through, whatever it looks like."""

import asyncio
import hashlib
import hmac
import json
import logging
import re
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from ui.entrance.limits import BodyLimit

logger = logging.getLogger(__name__)
WINDOW_S = 300
MOST_BYTES = 1024 * 1024
ARRIVAL_S = 3.0
"""A body that takes longer could not be acknowledged in time anyway."""
ACKNOWLEDGERS = 8
_SIGNATURE = re.compile(rb"v0=[0-9a-f]{64}")
_TIMESTAMP = re.compile(rb"[0-9]{1,12}")


@dataclass(frozen=True, slots=True)
class Reply:
    """What to tell Slack at once."""

    status: int = 200
    body: str = ""
    content_type: str = "text/plain; charset=utf-8"


Dispatch = Callable[[str, Mapping[str, str]], Reply]
"""Takes the body and the headers of a request that is Slack's; keeps it and says what to acknowledge with."""


def genuine(secret: str, timestamp: bytes, signature: bytes, body: bytes, now_s: float) -> bool:
    """Whether Slack signed this body within five minutes: HMAC-SHA256 over `v0:timestamp:body`, in constant time.

    Source: https://docs.slack.dev/authentication/verifying-requests-from-slack/
    """
    if not _SIGNATURE.fullmatch(signature) or not _TIMESTAMP.fullmatch(timestamp):
        return False
    if abs(now_s - int(timestamp)) > WINDOW_S:
        return False
    mine = hmac.new(secret.encode(), b"v0:" + timestamp + b":" + body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(b"v0=" + mine.encode(), signature)


def door(secret: str, dispatch: Dispatch, clock: Callable[[], float] = time.time) -> ASGIApp:
    """The address Slack posts to, as an ASGI application."""
    return BodyLimit(Door(secret, dispatch, clock), most_bytes=MOST_BYTES, arrival_s=ARRIVAL_S)


class Door:
    """Refuses with 405, 401 or 400, and hands on what is left."""

    def __init__(self, secret: str, dispatch: Dispatch, clock: Callable[[], float]) -> None:
        self._secret, self._dispatch, self._clock = secret, dispatch, clock
        self._threads = ThreadPoolExecutor(ACKNOWLEDGERS, thread_name_prefix="slack-ack")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        if scope["method"] != "POST":
            await _refused(405, "Slack posts here.")(scope, receive, send)
            return
        body = (await receive()).get("body", b"")
        await (await self._answer(scope, body))(scope, receive, send)

    async def _answer(self, scope: Scope, body: bytes) -> Response:
        headers = _single(scope["headers"])
        timestamp = headers.get(b"x-slack-request-timestamp", b"")
        signature = headers.get(b"x-slack-signature", b"")
        if not genuine(self._secret, timestamp, signature, body, self._clock()):
            return _refused(401, "Not signed by Slack, or signed too long ago.")
        text = readable(body, headers.get(b"content-type", b""))
        if text is None:
            return _refused(400, "Not what Slack sends.")
        told = {name.decode("latin-1"): value.decode("latin-1") for name, value in headers.items()}
        loop = asyncio.get_running_loop()
        try:
            reply = await loop.run_in_executor(self._threads, self._dispatch, text, told)
        except Exception:  # the door's border: Slack is told to come again, not what broke
            logger.exception("a delivery could not be taken in")
            return Response("", 503, {"Retry-After": "5"})
        return Response(reply.body, reply.status, {"content-type": reply.content_type})


def readable(body: bytes, content_type: bytes) -> str | None:
    """The body as text when it is a JSON object, or the form of a command or an interaction; else null."""
    try:
        text = body.decode("utf-8")
        if not content_type.startswith(b"application/x-www-form-urlencoded"):
            return text if isinstance(json.loads(text), dict) else None
    except (ValueError, RecursionError):
        return None
    return text if "payload=" in text or "command=" in text or "ssl_check=" in text else None


def _single(headers: list[tuple[bytes, bytes]]) -> dict[bytes, bytes]:
    """Headers that were sent once; one that comes twice is as good as none."""
    counts: dict[bytes, list[bytes]] = {}
    for name, value in headers:
        counts.setdefault(name.lower(), []).append(value)
    return {name: values[0] for name, values in counts.items() if len(values) == 1}


def _refused(status: int, detail: str) -> Response:
    return JSONResponse({"error": detail}, status)

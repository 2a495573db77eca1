"""Who asks while too many are asking is refused here, before anything of the question is read."""

import json
import logging
import time
import uuid
from functools import lru_cache

from starlette.types import ASGIApp, Receive, Scope, Send

from assistant.line import Line
from kb.base import Overloaded
from ui.api.questions import PATIENCE_S
from ui.entrance.headers import HEADERS
from ui.entrance.hold import Hold
from ui.entrance.problem import of
from ui.serving.metrics import REQUESTS

ASKING = frozenset({"/v1/ask", "/v1/ask/stream", "/v1/ask/batch", "/v1/chat/completions"})
SINGLE = frozenset({"/v1/ask", "/v1/chat/completions"})
"""One question each: how many may be inside is bounded here alone."""
MOST_INSIDE = 512
"""Questions inside at once, about a second's worth where all are answered from memory."""
LOGGED_EVERY_S = 10.0
SHARE_RATIO = 0.05
"""Weight of the last question in how many of those let in ask for a place."""
logger = logging.getLogger(__name__)


class Door:
    """Answers 503 with Retry-After to a question that would wait too long, for a twentieth of what reading it costs.

    Some are let in all the same: only reading a question shows that its answer is remembered. How many may be read in
    vain is bounded (`Line.reads`), so that a crowd does not take the processor from those who were let in before.
    """

    def __init__(self, app: ASGIApp, line: Line) -> None:
        self._app, self._line, self._hold = app, line, Hold()
        self._inside = 0
        self._share, self._asked = 1.0, line.asked
        """Of those let in, how many ask for a place; the others are answered from memory."""
        self._untold, self._told_at = 0, 0.0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "POST" or scope["path"] not in ASKING:
            await self._app(scope, receive, send)
            return
        coming = max(0, self._inside - self._line.held) * self._share
        wait_s = self._line.too_long_s(PATIENCE_S, coming)
        if self._inside >= MOST_INSIDE or (wait_s is not None and not self._line.reads(coming)):
            await self._refuse(scope, send)
            return
        self._inside += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._inside -= 1
            since, self._asked = self._line.asked - self._asked, self._line.asked
            self._share = min(1.0, self._share + SHARE_RATIO * (since - self._share))

    async def _refuse(self, scope: Scope, send: Send) -> None:
        REQUESTS.labels("POST", scope["path"], "503").inc()
        self._tell()
        await self._hold.breathe()
        languages = dict(scope["headers"]).get(b"accept-language", b"")
        headers, body = refusal(scope["path"], chinese=languages.strip().lower().startswith(b"zh"))
        fresh = (
            (b"retry-after", str(self._hold.again_s()).encode()),
            (b"x-request-id", uuid.uuid4().hex.encode()),
        )
        await send({"type": "http.response.start", "status": 503, "headers": [*headers, *fresh]})
        await send({"type": "http.response.body", "body": body})

    def _tell(self) -> None:
        """One line of log for many refusals."""
        self._untold += 1
        if (now := time.monotonic()) - self._told_at >= LOGGED_EVERY_S:
            logger.warning("more is asked than can be worked out: %d questions refused at the door", self._untold)
            self._untold, self._told_at = 0, now


@lru_cache(maxsize=2 * len(ASKING))
def refusal(path: str, *, chinese: bool) -> tuple[list[tuple[bytes, bytes]], bytes]:
    """Headers and body of a refusal, written once; in the words of the OpenAI format too, where that is spoken."""
    answer = of(Overloaded(PATIENCE_S), language="zh" if chinese else "en")
    data = json.loads(bytes(answer.body))
    del data["wait_s"]  # not reckoned for each
    if path.startswith("/v1/chat"):
        data["error"] = {"message": data["detail"], "type": data["title"], "param": None, "code": data["title"]}
    body = json.dumps(data, ensure_ascii=False).encode()
    headers = {"Content-Type": "application/problem+json", "Content-Length": str(len(body)), **HEADERS}
    return [(name.lower().encode(), value.encode()) for name, value in headers.items()], body

"""Tool requests like one before, byte for byte, answered with the very bytes of that answer."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from assistant.recall import world
from tools.registry import HOMES
from ui.entrance.limits import CleanBody

PATHS = frozenset(f"/v1/tools/{name}" for name in HOMES)
"""Requests that follow from their body alone; a batch costs a caller more than one, and goes the usual way."""
KEPT_BYTES = 16 * 2**20
LONGEST_BODY = 4096
JSON = (b"content-type", b"application/json")


class Repeated(CleanBody):
    """A body limit that also knows what it passed on before, until facts, day, prices, documents or settings change."""

    def __init__(self, app: ASGIApp, kept_bytes: int = KEPT_BYTES, world: Callable[[], Hashable] = world) -> None:
        super().__init__(app)
        self._most_bytes, self._world = kept_bytes, world
        self._access = threading.Lock()
        self._kept: OrderedDict[tuple[str, bytes], bytes] = OrderedDict()
        self._held_bytes = 0
        self._of: Hashable = None

    async def handle(self, scope: Scope, body: bytes, receive: Receive, send: Send) -> None:
        """Answer at once, or pass the body on and keep what comes back."""
        if scope["path"] not in PATHS or len(body) > LONGEST_BODY or JSON not in scope["headers"]:
            await super().handle(scope, body, receive, send)
            return
        key, now = (scope["path"], body), self._world()
        if (known := self._find(key, now)) is not None:
            headers = [JSON, (b"content-length", str(len(known)).encode())]
            scope["route"] = Route(scope["path"])
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            await send({"type": "http.response.body", "body": known})
            return
        parts: list[bytes] = []
        good = False

        async def noted(message: Message) -> None:
            nonlocal good
            if message["type"] == "http.response.start":
                good = message["status"] == 200
            elif good:
                parts.append(message.get("body", b""))
                if not message.get("more_body", False):
                    self._keep(key, b"".join(parts), now)
            await send(message)

        await super().handle(scope, body, receive, noted)

    def _find(self, key: tuple[str, bytes], now: Hashable) -> bytes | None:
        with self._access:
            if now != self._of:
                self._kept.clear()
                self._held_bytes, self._of = 0, now
            if (known := self._kept.get(key)) is not None:
                self._kept.move_to_end(key)
            return known

    def _keep(self, key: tuple[str, bytes], answer: bytes, before: Hashable) -> None:
        if before != self._world():
            return
        with self._access:
            if before != self._of or key in self._kept:
                return
            self._kept[key] = answer
            self._held_bytes += len(key[1]) + len(answer)
            while self._held_bytes > self._most_bytes:
                (_, former), gone = self._kept.popitem(last=False)
                self._held_bytes -= len(former) + len(gone)


class Route:
    """What metrics and logs call the request."""

    def __init__(self, path: str) -> None:
        self.path = path

"""What one request may cost: a body limit enforced while it arrives."""

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ui.problem import problem

MOST_BODY_BYTES = 512 * 1024
"""A question is at most 20,000 characters and a tool request far less."""
UPLOAD_PREFIX = "/gradio_api/upload"


class BodyLimit:
    """Refuses a request whose body is, or grows, larger than the limit: 413, before anything reads it."""

    def __init__(self, app: ASGIApp, most_bytes: int = MOST_BODY_BYTES) -> None:
        self._app, self._most = app, most_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] in {"GET", "HEAD", "OPTIONS"}:
            await self._app(scope, receive, send)
            return
        declared = dict(scope["headers"]).get(b"content-length", b"0")
        if declared.isdigit() and int(declared[:20]) > self._most:
            await self._refuse(scope, receive, send)
            return
        body, more = b"", True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                return
            body += message.get("body", b"")
            more = message.get("more_body", False)
            if len(body) > self._most:
                await self._refuse(scope, receive, send)
                return
        sent = False

        async def replay() -> Message:
            nonlocal sent
            if sent:
                return await receive()
            sent = True
            return {"type": "http.request", "body": body, "more_body": False}

        await self._app(scope, replay, send)

    async def _refuse(self, scope: Scope, receive: Receive, send: Send) -> None:
        detail = f"body: larger than {self._most:,} bytes. Send less."
        await problem(413, "too_large", detail, field="body")(scope, receive, send)

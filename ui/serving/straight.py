"""Questions over REST, taken past the framework: what it does for every request costs more than a remembered answer."""

import anyio.to_thread
from pydantic import ValidationError
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from assistant.agent import Advisor
from kb.base import AdvisorError
from ui.api.questions import Question, answered
from ui.entrance.problem import of, reader
from ui.serving.repeated import JSON, Route

PATH = "/v1/ask"
RECEIPT = b"idempotency-key"


class Straight:
    """Answers a plain, well-formed question as the route behind it would; whatever else there is goes that way.

    Within a body limit: the body comes whole, in one message.
    """

    def __init__(self, app: ASGIApp, advisor: Advisor) -> None:
        self._app, self._advisor = app, advisor

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] != PATH or scope["method"] != "POST" or not _is_plain(scope):
            await self._app(scope, receive, send)
            return
        message = await receive()
        try:
            question = Question.model_validate_json(message.get("body", b""))
        except ValidationError:  # the route tells what is wrong with it
            await self._app(scope, _again(message, receive), send)
            return
        scope["route"] = Route(PATH)
        try:
            text = await anyio.to_thread.run_sync(answered, self._advisor, question)
        except AdvisorError as error:
            await of(error, language=reader(Request(scope)))(scope, receive, send)
            return
        body = text.encode()
        headers = [JSON, (b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})


def _is_plain(scope: Scope) -> bool:
    """Whether it is JSON and bears no receipt."""
    return JSON in scope["headers"] and all(name != RECEIPT for name, _ in scope["headers"])


def _again(message: Message, receive: Receive) -> Receive:
    """What hands a message out once more, and then what comes."""
    left = [message]

    async def replay() -> Message:
        return left.pop() if left else await receive()

    return replay

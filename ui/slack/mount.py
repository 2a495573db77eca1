"""Slack on the same port as the page: there when its credentials are, and no reason for the rest not to start."""

import logging
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, nullcontext

import anyio.to_thread
from starlette.types import ASGIApp, Receive, Scope, Send

from assistant.agent import Advisor
from kb.base import AdvisorError, BadInput, IndexUnavailable
from kb.lock import exclusive
from kb.settings import Settings
from ui.entrance import problem
from ui.slack.credentials import Credentials
from ui.slack.face import Face

logger = logging.getLogger(__name__)
PATH = "/slack/events"


def over_http(options: Settings) -> bool:
    """Whether the settings ask for Slack at this server; with an app token it comes over Socket Mode instead."""
    return bool(options.slack_bot_token and options.slack_signing_secret and not options.slack_app_token)


@contextmanager
def at_work(face: Face) -> Iterator[None]:
    """The face's workers, as the only ones of this home.

    Raises:
        BadInput: another process answers Slack from the same home.
    """
    try:
        with exclusive(face.lock, wait_s=0.5):
            face.start()
            try:
                yield
            finally:
                face.stop()
    except IndexUnavailable:
        remedy = "Stop that process, or give this one another folder."
        raise BadInput("GPU_ADVISOR_HOME", "is used by another process that answers Slack.", remedy) from None


class Mounted:
    """An ASGI application that answers 503 until, and unless, Slack has accepted the credentials."""

    def __init__(self, advisor: Advisor) -> None:
        self._advisor = advisor
        self._door: ASGIApp | None = None

    @asynccontextmanager
    async def lifespan(self) -> AsyncIterator[None]:
        """Open when the settings ask for it; say why not when it cannot be."""
        face = await anyio.to_thread.run_sync(self._face) if over_http(self._advisor.options) else None
        with at_work(face) if face else nullcontext():
            self._door = face.http() if face else None
            yield
            self._door = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._door is not None:
            await self._door(scope, receive, send)
        else:
            detail = "Slack is not set up here. See docs/slack.md."
            await problem.problem(503, "not_set_up", detail)(scope, receive, send)

    def _face(self) -> Face | None:
        try:
            return Face(self._advisor, Credentials.of(self._advisor.options))
        except AdvisorError as error:
            logger.warning("Slack is not answered: %s", error)
            return None

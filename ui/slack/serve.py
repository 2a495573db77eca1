"""`gpu-advisor slack`: the app by itself, over Socket Mode when there is an app token, else over HTTP."""

import signal
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from importlib.resources import files
from typing import Any

import anyio.to_thread
import uvicorn
from slack_bolt.adapter.socket_mode import SocketModeHandler
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from kb.settings import settings, stay_offline
from ui.serving.serve import GRACE_S, listen
from ui.slack.credentials import Credentials
from ui.slack.face import Face
from ui.slack.mount import PATH, at_work

PLACE = "https://YOUR.ADDRESS"


def manifest(url: str | None) -> str:
    """The app's manifest, to be pasted where Slack asks for it.

    With an address it is one for HTTP, where unfurling needs the domain; without, one for Socket Mode.
    """
    text = (files("ui.slack") / "manifest.yaml").read_text(encoding="utf-8")
    if url:
        host = url.split("://", 1)[-1].split("/")[0].split(":")[0]
        return text.replace(PLACE, url.rstrip("/")).replace("YOUR.ADDRESS", host)
    kept = [line for line in text.splitlines() if PLACE not in line and "YOUR.ADDRESS" not in line]
    lines = [line for line in kept if "unfurl_domains" not in line]
    return "\n".join(lines).replace("socket_mode_enabled: false", "socket_mode_enabled: true") + "\n"


def serve(host: str, port: int) -> int:
    """Check the credentials, answer until stopped, and stop in good order.

    Raises:
        BadInput: a credential is missing or refused, or the port is taken; names it.
    """
    stay_offline()
    credentials = Credentials.of(settings())
    listener = None if credentials.app_token else listen(host, port)
    try:
        from ui.serving.service import advisor  # loads the language and retrieval libraries

        face = Face(advisor(), credentials)
        with at_work(face):
            if listener is None:
                _socket_mode(face, until_told())
            else:
                print(f"GPU Advisor answers Slack at http://{host}:{listener.getsockname()[1]}{PATH}", flush=True)
                site = uvicorn.Config(application(face), log_level="warning", ws="none", server_header=False,
                                      timeout_graceful_shutdown=GRACE_S)  # fmt: skip
                uvicorn.Server(site).run(sockets=[listener])
    finally:
        if listener is not None:
            listener.close()
    return 0


def application(face: Face) -> Starlette:
    """The address Slack posts to, and one to ask whether it is up."""

    def healthy(request: Request) -> Response:
        return PlainTextResponse("ok")

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield
        # uvicorn ends the process by the signal it was sent, so that nothing after it would run.
        await anyio.to_thread.run_sync(face.stop)

    return Starlette(routes=[Route("/healthz", healthy), Route(PATH, face.http())], lifespan=lifespan)


def until_told() -> Callable[[], None]:
    """Wait for Ctrl+C or for the system to ask for an end."""
    told = threading.Event()
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, lambda number, frame: told.set())
    return lambda: _wait(told)


def _wait(told: threading.Event) -> None:
    while not told.wait(1.0):  # a wait without end would not let a signal through everywhere
        pass


def _socket_mode(face: Face, wait: Callable[[], None]) -> None:
    handler: Any = SocketModeHandler(face.app, face.credentials.app_token)
    try:
        handler.connect()
        print("GPU Advisor answers Slack over Socket Mode; stop with Ctrl+C", flush=True)
        wait()
    finally:
        handler.close()

"""Everything on one port: the chat page at /, REST at /v1, MCP at /mcp, Slack at /slack/events."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from anyio import to_thread
from fastapi import FastAPI
from starlette.types import ASGIApp, Receive, Scope, Send

from assistant.agent import Advisor
from assistant.answer import PLANNER
from ui.api import create_app
from ui.entrance import problem
from ui.entrance.access import Access
from ui.entrance.door import SINGLE, Door
from ui.entrance.headers import SecurityHeaders
from ui.entrance.keys import Keys
from ui.entrance.limits import BodyLimit
from ui.mcp_server import LOOPBACK, http_manager
from ui.serving.mending import mending
from ui.serving.observe import Observed
from ui.slack.mount import PATH as SLACK_PATH
from ui.slack.mount import Mounted
from ui.web import mount

CLOSED = ("/gradio_api/upload", "/gradio_api/proxy", "/gradio_api/component_server", "/gradio_api/call", "/proxy=")
"""What Gradio would offer and the page does not use: files from anybody, requests to elsewhere."""
THREADS = 128
"""Who waits for somebody else's turn, or for the disk, keeps a thread meanwhile; with too few of them those wait whose
answers are remembered."""
REST = ("/v1/", "/healthz", "/readyz", "/metrics", "/docs", "/openapi.json")


def create_site(advisor: Advisor, host: str = "127.0.0.1") -> FastAPI:
    """The whole site over one advisor."""
    sessions = http_manager(lambda: advisor, host)
    slack = Mounted(advisor)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        to_thread.current_default_thread_limiter().total_tokens = THREADS
        async with sessions.run(), slack.lifespan():
            with mending():
                yield

    site = FastAPI(title="GPU Advisor", openapi_url=None, docs_url=None, redoc_url=None, lifespan=lifespan)
    problem.install(site)
    mount(site, advisor)
    site.add_middleware(BodyLimit)
    guarded = advisor.options.auth != "off"
    planned = advisor.engine == PLANNER  # who waits for a language model takes no processor time meanwhile
    rest = create_app(advisor, open_to_uploads=guarded or host in LOOPBACK, bounded=SINGLE if planned else ())
    site.add_middleware(Faces, rest=rest, mcp=sessions.handle_request, slack=slack)
    if planned and guarded:  # inside, so that nobody's many requests are counted against others'
        site.add_middleware(Door, line=advisor.line)
    if guarded:
        site.add_middleware(Access, options=advisor.options, keys=Keys(advisor.options.home))
    site.add_middleware(SecurityHeaders)
    site.add_middleware(Observed)
    if planned and not guarded:
        site.add_middleware(Door, line=advisor.line)
    return site


class Faces:
    """Hands a request to REST, MCP or Slack by its path; the rest is the page's."""

    def __init__(self, app: ASGIApp, rest: ASGIApp, mcp: ASGIApp, slack: ASGIApp) -> None:
        self._page, self._rest, self._mcp, self._slack = app, rest, mcp, slack

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._face(scope)(scope, receive, send)

    def _face(self, scope: Scope) -> ASGIApp:
        if scope["type"] != "http":
            return self._page
        path = scope["path"]
        if path.startswith(CLOSED):
            return _closed
        if path in ("/mcp", "/mcp/"):
            return self._mcp
        if path == SLACK_PATH:
            return self._slack
        return self._rest if path == "/v1" or path.startswith(REST) else self._page


async def _closed(scope: Scope, receive: Receive, send: Send) -> None:
    await problem.problem(404, "not_found", "Not offered here.")(scope, receive, send)

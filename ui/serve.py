"""`gpu-advisor chat`: one process that serves the page, REST and MCP until it is stopped."""

import gc
import logging
import socket
import sys
import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import uvicorn
from fastapi import FastAPI

from kb.base import BadInput, IndexUnavailable, StateUnavailable
from kb.settings import settings, stay_offline

if TYPE_CHECKING:
    from assistant.agent import Advisor
    from assistant.line import Line

BAD_INPUT = 2
FORGET_EVERY_S = 3600.0
SWITCH_S = 0.001
"""How long one thread may keep the interpreter while others wait. A turn that is worked out holds up those that are
remembered, which ask for it anew after every statement to the database and every hop between threads; and they hold it
up, which at a fifth of this took three times its processor time."""
YOUNG_OBJECTS = 50_000
"""Objects more than were freed at which the collector looks for cycles, instead of Python's 700. A turn makes none, so
that nothing was ever found, and the caches that grow with the turns were walked again and again: a tenth of a turn."""
CALM_WITHIN_S, LOOK_S, CALM_LOOKS = 20.0, 0.1, 10
"""How long the start waits at most for a second in which nobody waits for an answer."""
logger = logging.getLogger(__name__)
GRACE_S = 10
"""How long running requests may take to end when the process is told to stop."""


def serve(host: str, port: int) -> int:
    """Prepare the index, serve, and print the address once it answers.

    Raises:
        BadInput: the port is taken or the address is not one of this machine; names the remedy.
    """
    stay_offline()
    sys.setswitchinterval(SWITCH_S)
    listener = listen(host, port)
    gc.disable()  # until `settle` is over: what is being loaded is no garbage, and would be walked hundreds of times
    try:
        print("Preparing the guidance index …", flush=True)
        from ui.mcp_server import LOOPBACK
        from ui.observe import set_up

        set_up(settings())
        from ui.service import advisor  # loads the language and retrieval libraries
        from ui.site import create_site

        service = advisor()
        site = create_site(service, host)
        if settings().retention_days is not None:
            threading.Thread(target=forget_old, args=(service,), name="retention", daemon=True).start()
        is_open = settings().auth == "off" and host not in LOOPBACK
        announce(site, address(host, listener.getsockname()[1]), is_open=is_open)
        warm()
        threading.Thread(target=settle, args=(service.line,), name="settle", daemon=True).start()
        config = uvicorn.Config(
            site, workers=1, timeout_graceful_shutdown=GRACE_S, server_header=False, ws="none", proxy_headers=False,
            log_config=None, access_log=False,
        )  # fmt: skip
        uvicorn.Server(config).run(sockets=[listener])
    finally:
        listener.close()
    return 0


def warm() -> None:
    """Load what the first question would wait a second for, and all who come with it."""
    from assistant.understand import understand
    from kb.search import search

    understand("Can an RTX 4090 run Qwen2.5-7B?")
    search("GPU memory")


def settle(line: "Line", within_s: float = CALM_WITHIN_S) -> None:
    """Load torch, by which every later question is embedded in half the time, once nobody waits for an answer or after
    `within_s`: loading it stops all else for a good part of a second. What is there then stays for good, so that the
    collector need not walk the catalog, the grammars and the index at every full round, which took a third of a
    search's time; and it comes around less often. Nothing is collected before: of a million objects one in a hundred
    is garbage."""
    from kb.embedder import embedder

    until, calm = time.monotonic() + within_s, 0
    while calm < CALM_LOOKS and time.monotonic() < until:
        time.sleep(LOOK_S)
        calm = 0 if line.held else calm + 1
    try:
        embedder().stay()
    except IndexUnavailable as problem:
        logger.warning("questions are embedded without torch: %s", problem)
    finally:
        gc.freeze()
        gc.set_threshold(YOUNG_OBJECTS)
        gc.enable()


def forget_old(service: "Advisor", every_s: float = FORGET_EVERY_S) -> None:
    """Delete, now and from time to time, the conversations that were not used for as long as the setting says."""
    while (days := service.options.retention_days) is not None:
        try:
            service.conversations.forget(unused_days=days)
        except StateUnavailable:
            logger.warning("old conversations could not be deleted; the next try is in %d s", every_s)
        time.sleep(every_s)


def listen(host: str, port: int) -> socket.socket:
    """A socket bound before anything slow happens, so that a taken port is told at once.

    Raises:
        BadInput: naming the field and the remedy.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    if sys.platform != "win32":  # there it would let two servers share a port
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(2048)
    except OverflowError:
        listener.close()
        raise BadInput("port", "is not between 0 and 65535.") from None
    except OSError as problem:
        listener.close()
        raise _refused(host, port, problem) from None
    return listener


def _refused(host: str, port: int, problem: OSError) -> BadInput:
    import errno

    if problem.errno == errno.EADDRINUSE:
        remedy = f"Stop the program that uses it, or choose another: gpu-advisor chat --port {port % 65535 + 1}"
        return BadInput("port", f"{port} is already in use.", remedy)
    if problem.errno == errno.EACCES:
        return BadInput("port", f"{port} needs rights this user has not.", "Choose one above 1023.")
    return BadInput("host", "is not an address of this machine.", "Use 127.0.0.1, or 0.0.0.0 for every network.")


def address(host: str, port: int) -> str:
    """What to type into a browser."""
    shown = "127.0.0.1" if host in ("0.0.0.0", "::", "") else host  # noqa: S104 - compared, not bound
    return f"http://{f'[{shown}]' if ':' in shown else shown}:{port}"


def announce(site: FastAPI, where: str, *, is_open: bool = False) -> None:
    """Print the address when start-up is over, the moment the first request can be answered."""
    started = site.router.lifespan_context

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with started(app):
            print(f"GPU Advisor: {where}   (API: {where}/docs, MCP: {where}/mcp; stop with Ctrl+C)", flush=True)
            if is_open:
                print("Everybody who reaches this port may ask; GPU_ADVISOR_AUTH=keys asks for keys.", flush=True)
            yield

    site.router.lifespan_context = lifespan

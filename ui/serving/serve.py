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

from kb.base import BadInput, StateUnavailable
from kb.settings import settings, stay_offline

if TYPE_CHECKING:
    from assistant.agent import Advisor
    from assistant.apart import Apart

BAD_INPUT = 2
FORGET_EVERY_S = 3600.0
READY_WITHIN_S = 20.0
"""How long the start waits for a process beside it."""
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
    listener = listen(host, port)
    apart: Apart | None = None
    gc.disable()  # until `settle` is over: what is being loaded is no garbage, and would be walked hundreds of times
    try:
        print("Preparing the guidance index …", flush=True)
        from ui.serving.worker import SWITCH_S, beside

        sys.setswitchinterval(SWITCH_S)
        if (apart := beside(settings())) is not None:
            apart.start()  # loads meanwhile
        from ui.mcp_server import LOOPBACK
        from ui.serving.observe import set_up

        set_up(settings())
        from ui.serving.service import advisor  # loads the language and retrieval libraries

        service = advisor()
        if apart is not None:
            service.work_apart(apart)
            apart.go()
        from ui.serving.site import create_site  # loads Gradio, beside what those processes load

        site = create_site(service, host)
        if settings().retention_days is not None:
            threading.Thread(target=forget_old, args=(service,), name="retention", daemon=True).start()
        is_open = settings().auth == "off" and host not in LOOPBACK
        announce(site, address(host, listener.getsockname()[1]), is_open=is_open)
        warm(service)
        threading.Thread(target=settle, args=(service,), name="settle", daemon=True).start()
        config = uvicorn.Config(
            site, workers=1, timeout_graceful_shutdown=GRACE_S, server_header=False, ws="none", proxy_headers=False,
            log_config=None, access_log=False,
        )  # fmt: skip
        uvicorn.Server(config).run(sockets=[listener])
    finally:
        if apart is not None:
            apart.stop()
        listener.close()
    return 0


def warm(service: "Advisor") -> None:
    """Load what the first question would wait a second for, and all who come with it; what only the processes beside
    this one need, here too where none of them is ready in time."""
    from assistant.understand import understand
    from ui.serving.worker import warm as warm_all

    understand("Can an RTX 4090 run Qwen2.5-7B?")
    if service.apart is None or not service.apart.ready(READY_WITHIN_S):
        warm_all()


def settle(service: "Advisor", within_s: float = CALM_WITHIN_S) -> None:
    """What the start leaves for later: the answers to the questions that the page suggests, where this process works
    them out once nobody waits for an answer or after `within_s`, and the library of forecasts; then the collector may
    run."""
    from tools.capacity_forecast import model
    from ui.serving.worker import settled
    from ui.web.frame import EXAMPLES

    suggested = [question for questions in EXAMPLES.values() for question in questions]
    try:
        until, calm = time.monotonic() + within_s, 0
        while not _works_apart(service) and calm < CALM_LOOKS and time.monotonic() < until:
            time.sleep(LOOK_S)
            calm = 0 if service.line.held else calm + 1
        service.prepare(suggested)
        model.load()
    finally:
        settled()


def _works_apart(service: "Advisor") -> bool:
    return service.apart is not None and service.apart.ready()


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

"""`/healthz`, `/readyz`, `/metrics`: what keeps a service running asks these."""

import logging
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fastapi import APIRouter
from fastapi.responses import JSONResponse, PlainTextResponse
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from assistant.agent import Advisor
from assistant.answer import PLANNER
from kb.base import AdvisorError, IndexUnavailable, StateUnavailable
from kb.catalog import gpus, models
from kb.units import MIB, format_bytes
from ui.serving.metrics import LANGUAGE_MODEL_OPEN

logger = logging.getLogger(__name__)
UNREADY: dict[int | str, dict[str, Any]] = {503: {"description": "Conversations cannot be read or kept"}}
PRIVATE = frozenset({"home", "sources"})
"""Paths of this machine, which a visitor need not know."""
LEAST_FREE_BYTES = 64 * MIB


def router(advisor: Advisor) -> APIRouter:
    """Alive, ready, and counted."""
    routes = APIRouter(tags=["state"])

    @routes.get("/healthz", summary="The process is alive")
    async def healthz() -> dict[str, str]:
        return {"status": "ok"}

    @routes.get("/readyz", summary="Questions can be answered, and from how many documents", responses=UNREADY)
    def readyz() -> JSONResponse:
        """`ready`; `degraded` when answers come without documents or the disk is nearly full; or 503 `unready`."""
        faults: dict[str, str] = {}
        known: dict[str, Any] = {"gpus": len(gpus()), "models": len(models())}
        if advisor.engine != PLANNER:
            known["language_model"] = advisor.breaker.state
        unready = _fault(faults, "conversations", advisor.conversations.check)
        _fault(faults, "index", lambda: known.update(index=_index()))
        _fault(faults, "disk", lambda: _disk(advisor.options.home))
        status = "unready" if unready else "degraded" if faults else "ready"
        body = {"status": status, "engine": advisor.engine, **({"faults": faults} if faults else {}), **known}
        return JSONResponse(body, 503 if unready else 200, {"Retry-After": "5"} if unready else None)

    @routes.get("/metrics", response_class=PlainTextResponse, summary="Prometheus metrics")
    async def metrics() -> PlainTextResponse:
        LANGUAGE_MODEL_OPEN.set(advisor.breaker.state != "closed")
        return PlainTextResponse(generate_latest().decode(), media_type=CONTENT_TYPE_LATEST)

    return routes


def _fault(faults: dict[str, str], part: str, check: Callable[[], None]) -> bool:
    """Try one part; what is wrong with it is noted, and told in the words of our own errors only."""
    try:
        check()
    except AdvisorError as problem:
        faults[part] = str(problem)
    except Exception:
        logger.exception("%s cannot be checked", part)
        faults[part] = "cannot be read; the reason was logged"
    return part in faults


def _index() -> dict[str, Any]:
    from ingest.sync import status

    state = {name: value for name, value in status().items() if name not in PRIVATE}
    if not state["index_current"]:
        raise IndexUnavailable("it is being built, or was found damaged and will be.")
    return state


def _disk(home: Path) -> None:
    if (free_bytes := shutil.disk_usage(home).free) < LEAST_FREE_BYTES:
        raise StateUnavailable(f"{format_bytes(free_bytes)} are left on the disk.")

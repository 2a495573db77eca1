"""`/healthz`, `/readyz`, `/metrics`: what keeps a service running asks these."""

from typing import Any

from fastapi import APIRouter
from fastapi.responses import PlainTextResponse
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from assistant.agent import Advisor
from kb.catalog import gpus, models
from ui.metrics import LANGUAGE_MODEL_OPEN


def router(advisor: Advisor) -> APIRouter:
    """Alive, ready, and counted."""
    routes = APIRouter(tags=["state"])

    @routes.get("/healthz", summary="The process is alive")
    async def healthz() -> dict[str, str]:
        return {"status": "ok"}

    @routes.get("/readyz", summary="Questions can be answered, and from how many documents")
    def readyz() -> dict[str, Any]:
        from ingest.sync import status

        known = {"gpus": len(gpus()), "models": len(models())}
        model = {} if advisor.engine == "planner" else {"language_model": advisor.breaker.state}
        return {"status": "ready", "engine": advisor.engine, **model, "index": status(), **known}

    @routes.get("/metrics", response_class=PlainTextResponse, summary="Prometheus metrics")
    async def metrics() -> PlainTextResponse:
        LANGUAGE_MODEL_OPEN.set(advisor.breaker.state != "closed")
        return PlainTextResponse(generate_latest().decode(), media_type=CONTENT_TYPE_LATEST)

    return routes

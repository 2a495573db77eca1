"""Every refusal as RFC 9457 problem JSON: the same words on every face, never an echo of what was sent."""

import logging
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from kb.base import AdvisorError, ConversationBusy, IndexUnavailable, ModelFailed, NothingFits

logger = logging.getLogger(__name__)
STATUS: dict[type[AdvisorError], int] = {
    ConversationBusy: 409,
    IndexUnavailable: 503,
    ModelFailed: 502,
    NothingFits: 200,
}
UNPROCESSABLE = 422
REMEDIES = {
    "extra_forbidden": "Remove it or check its spelling.",
    "json_invalid": "Send valid JSON.",
    "missing": "Add it.",
}


def problem(status: int, title: str, detail: str, **extra: Any) -> JSONResponse:
    """A problem document; `extra` adds members such as `field`."""
    body = {"type": "about:blank", "title": title, "status": status, "detail": detail, **extra}
    headers = {"Retry-After": "2"} if status in {429, 503} else None
    return JSONResponse(body, status, headers, media_type="application/problem+json")


def install(app: FastAPI) -> None:
    """Map the error tree, validation and everything unforeseen onto problem documents."""

    @app.exception_handler(AdvisorError)
    async def refused(request: Request, error: AdvisorError) -> JSONResponse:
        status = next((code for kind, code in STATUS.items() if isinstance(error, kind)), UNPROCESSABLE)
        data = error.data()
        return problem(status, data.pop("code"), data.pop("message"), **data)

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> JSONResponse:
        faults = [
            {
                "field": ".".join(str(part) for part in fault["loc"] if part != "body") or "body",
                "reason": fault["msg"],
                "remedy": REMEDIES.get(fault["type"], ""),
            }
            for fault in error.errors()[:10]
        ]
        first = faults[0]
        detail = f"{first['field']}: {first['reason']}. {first['remedy']}".strip()
        return problem(UNPROCESSABLE, "bad_input", printable(detail), field=printable(first["field"]), errors=[
            {name: printable(text) for name, text in fault.items()} for fault in faults
        ])  # fmt: skip

    @app.exception_handler(HTTPException)
    async def other(request: Request, error: HTTPException) -> JSONResponse:
        return problem(error.status_code, "http_error", str(error.detail))

    @app.exception_handler(Exception)
    async def unforeseen(request: Request, error: Exception) -> JSONResponse:
        logger.exception("unhandled error at %s", request.url.path, exc_info=error)
        return problem(500, "internal_error", "Something failed here; it was logged. Your input was not at fault.")


def printable(text: str) -> str:
    """`text` cut to a line and made encodable: lone surrogates must not turn a refusal into a failure."""
    return text.encode("utf-8", "replace").decode("utf-8")[:300]

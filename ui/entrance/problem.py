"""Every refusal as RFC 9457 problem JSON: the same words on every face, never an echo of what was sent."""

import logging
from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from kb.base import (
    AdvisorError,
    BadInput,
    ConversationBusy,
    IndexUnavailable,
    ModelFailed,
    Overloaded,
    StateUnavailable,
)
from ui.entrance.refusals import reason, told

logger = logging.getLogger(__name__)
UNPROCESSABLE = 422
STATUS: dict[type[AdvisorError], int] = {
    ConversationBusy: 409, IndexUnavailable: 503, StateUnavailable: 503, Overloaded: 503, ModelFailed: 502
}  # fmt: skip
TITLES = {404: "not_found", 405: "method_not_allowed", 400: "bad_request", 415: "unsupported_media_type"}
REMEDIES = {
    "extra_forbidden": "Remove it or check its spelling.",
    "json_invalid": "Send valid JSON.",
    "missing": "Add it.",
}
LONGEST_TEXT = 600


def problem(
    status: int, title: str, detail: str, headers: Mapping[str, str] | None = None, **extra: Any
) -> JSONResponse:
    """A problem document; `extra` adds members such as `field`."""
    body = {"type": "about:blank", "title": title, "status": status, "detail": printable(detail), **clean(extra)}
    more = {"Retry-After": "2"} if status in {429, 503} else {}
    return JSONResponse(body, status, {**more, **(headers or {})}, media_type="application/problem+json")


def of(error: AdvisorError, status: int | None = None, language: str = "en") -> JSONResponse:
    """The problem document of one of our own errors; only its `detail` is in the reader's language."""
    status = status or next((code for kind, code in STATUS.items() if isinstance(error, kind)), UNPROCESSABLE)
    data = error.data()
    title, message = data.pop("code"), data.pop("message")
    return problem(status, title, told(error, "zh") if language == "zh" else message, **data)


def unforeseen() -> JSONResponse:
    """The problem document of a fault of ours, which the log tells more of."""
    return problem(500, "internal_error", "Something failed here; it was logged. Your input was not at fault.")


def reader(request: Request) -> str:
    """The language that comes first in Accept-Language, `zh` or `en`."""
    return "zh" if request.headers.get("accept-language", "").strip().lower().startswith("zh") else "en"


def install(app: FastAPI) -> None:
    """Map the error tree, validation and everything unforeseen onto problem documents."""

    @app.exception_handler(AdvisorError)
    async def refused(request: Request, error: AdvisorError) -> JSONResponse:
        return of(error, language=reader(request))

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> JSONResponse:
        faults = [
            {
                "field": ".".join(str(part) for part in fault["loc"][1:]) or str(fault["loc"][0]),
                "reason": fault["msg"],
                "remedy": REMEDIES.get(fault["type"], ""),
            }
            for fault in error.errors()[:10]
        ]
        first = faults[0]
        detail = f"{first['field']}: {first['reason']}. {first['remedy']}".strip()
        if reader(request) == "zh":
            known = BadInput(first["field"], f"{first['reason'].rstrip('.')}.", first["remedy"])
            detail = told(known, "zh")
        return problem(UNPROCESSABLE, "bad_input", detail, field=first["field"], errors=faults)

    @app.exception_handler(HTTPException)
    async def other(request: Request, error: HTTPException) -> JSONResponse:
        title, detail = TITLES.get(error.status_code, "http_error"), str(error.detail)
        detail = reason(detail) if reader(request) == "zh" else detail
        return problem(error.status_code, title, detail, headers=error.headers)

    @app.exception_handler(Exception)
    async def failed(request: Request, error: Exception) -> JSONResponse:
        logger.exception("unhandled error at %s", request.url.path, exc_info=error)
        return unforeseen()


def clean(value: Any) -> Any:
    """`value` as JSON that can always be encoded."""
    if isinstance(value, dict):
        return {printable(str(name)): clean(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [clean(part) for part in value]
    return value if value is None or isinstance(value, bool | int) else printable(str(value))


def printable(text: str) -> str:
    """`text` cut to a few lines and made encodable: a lone surrogate must not turn a refusal into a failure."""
    return text.encode("utf-8", "replace").decode("utf-8")[:LONGEST_TEXT]

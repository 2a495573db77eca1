"""What an operator sees of a request: an id on it, one log line, one span; never what was asked or a secret."""

import json
import logging
import re
import sys
import time
import uuid
from contextvars import ContextVar
from datetime import UTC, datetime
from importlib import import_module
from typing import TextIO

from opentelemetry import propagate, trace
from opentelemetry.trace import SpanKind
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kb.base import BadInput
from kb.settings import Settings
from ui.serving.metrics import METHODS

request_id: ContextVar[str | None] = ContextVar("request_id", default=None)
logger = logging.getLogger("gpu_advisor.requests")
GIVEN_ID = re.compile(rb"[A-Za-z0-9._-]{1,64}")
SECRETS = re.compile(
    r"\b(?:ga_|sk-|hf_|ghp_|xox[abeprs]-|xapp-)[\w-]{8,}"
    r"|(?<=://)[^/\s:@]+:[^/\s@]+(?=@)"
    r"|(?i:\b(?:bearer|basic)\s+)[\w.~+/=-]{6,}"
    r"|(?i:\b(?:api[_-]?key|token|secret|password)[\"']?\s*[=:]\s*[\"']?)[^\s\"',;]{4,}"
)
"""Keys of this and other services, users and passwords in addresses, and what headers carry them."""
QUIET = frozenset({"/healthz", "/readyz", "/metrics"})
"""Asked every few seconds by what watches a service; counted, not logged."""


class Observed:
    """Gives every request an id (its own, if it is a plain word), which the response, the log and the trace carry."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = dict(scope["headers"]).get(b"x-request-id", b"")
        name = given.decode() if GIVEN_ID.fullmatch(given) else uuid.uuid4().hex
        status, started = 500, time.perf_counter()

        async def noted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)["X-Request-Id"] = name
            await send(message)

        known = request_id.set(name)
        method = scope["method"] if scope["method"] in METHODS else "other"
        carrier = {key.decode("latin-1"): value.decode("latin-1") for key, value in scope["headers"]}
        tracer, parent = trace.get_tracer("gpu-advisor"), propagate.extract(carrier)
        try:
            with tracer.start_as_current_span(f"HTTP {method}", parent, kind=SpanKind.SERVER) as span:
                try:
                    await self._app(scope, receive, noted)
                finally:
                    route = getattr(scope.get("route"), "path", "other")
                    span.set_attributes(
                        {"http.request.method": method, "http.response.status_code": status, "request.id": name}
                    )
                    if scope["path"] not in QUIET:
                        elapsed_s = round(time.perf_counter() - started, 4)
                        fields = {"method": method, "route": route, "status": status, "elapsed_s": elapsed_s}
                        logger.info("request", extra={"fields": fields})
        finally:
            request_id.reset(known)


class Redacted(logging.Filter):
    """Takes secrets out of every line before anything writes it."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Keep the record, with its words made harmless."""
        record.msg, record.args = redact(record.getMessage()), ()
        if record.exc_info:
            record.exc_text = redact(logging.Formatter().formatException(record.exc_info))
            record.exc_info = None
        return True


class Lines(logging.Formatter):
    """One JSON object a line: when, how bad, where from, which request, what."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        line = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "request_id": request_id.get(),
            "message": record.getMessage(),
            **getattr(record, "fields", {}),
        }
        if record.exc_text:
            line["trace"] = record.exc_text
        return json.dumps(line, ensure_ascii=False)


class Plain(logging.Formatter):
    """The same for a person."""

    def format(self, record: logging.LogRecord) -> str:
        """The line, and below it where it failed."""
        fields = " ".join(f"{name}={value}" for name, value in getattr(record, "fields", {}).items())
        words = filter(None, (f"{record.levelname:7}", request_id.get(), record.name, record.getMessage(), fields))
        return " ".join(words) + (f"\n{record.exc_text}" if record.exc_text else "")


def redact(text: str) -> str:
    """`text` without what looks like a secret."""
    return SECRETS.sub("[secret]", text)


def set_up(options: Settings, stream: TextIO | None = None) -> None:
    """Begin to log and to trace as the settings say.

    Raises:
        BadInput: traces are to go to a collector and the exporter is not installed.
    """
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.addFilter(Redacted())
    handler.setFormatter(Lines() if options.log == "json" else Plain())
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(logging.WARNING)
    logger.setLevel(logging.WARNING if options.log == "off" else logging.INFO)
    if options.traces != "off":
        _trace(options)


def _trace(options: Settings) -> None:
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor, ConsoleSpanExporter, SimpleSpanProcessor

    provider = TracerProvider(resource=Resource.create({"service.name": "gpu-advisor"}))
    if options.traces == "console":
        provider.add_span_processor(SimpleSpanProcessor(ConsoleSpanExporter(out=sys.stderr)))
    else:
        try:
            exporter = import_module("opentelemetry.exporter.otlp.proto.grpc.trace_exporter").OTLPSpanExporter
        except ImportError:
            raise BadInput(
                "GPU_ADVISOR_TRACES", "needs the exporter.", "Run: pip install opentelemetry-exporter-otlp-proto-grpc."
            ) from None
        provider.add_span_processor(BatchSpanProcessor(exporter()))  # OTEL_EXPORTER_OTLP_ENDPOINT says where
    trace.set_tracer_provider(provider)

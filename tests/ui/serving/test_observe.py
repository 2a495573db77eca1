"""What an operator sees: ids, lines and spans, and no secret in any of them."""

import io
import json
import logging
import sys
from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from assistant.agent import Advisor
from kb.base import BadInput
from kb.settings import Settings, settings
from ui.serving.observe import redact, set_up

QUESTION = "Does the RTX 6000 Ada support NVLink?"


@pytest.fixture
def lines() -> Iterator[io.StringIO]:
    """What is logged in JSON; the loggers are put back."""
    root, own = logging.getLogger(), logging.getLogger("gpu_advisor.requests")
    before = root.handlers, root.level, own.level
    page = io.StringIO()
    set_up(Settings.model_validate({**settings().model_dump(), "log": "json"}), page)
    yield page
    root.handlers, root.level, own.level = before[0], before[1], before[2]


def test_a_request_has_an_id_which_the_response_and_the_log_carry(site: TestClient, lines: io.StringIO) -> None:
    answer = site.post("/v1/ask", json={"question": QUESTION}, headers={"X-Request-Id": "mine-1"})
    assert answer.headers["x-request-id"] == "mine-1"
    (line,) = [json.loads(text) for text in lines.getvalue().splitlines()]
    assert line["request_id"] == "mine-1"
    assert (line["method"], line["status"], line["level"]) == ("POST", 200, "info")
    assert QUESTION not in lines.getvalue()


@pytest.mark.parametrize("given", ["", "a b", "x" * 65, '"}{', "<b>"])
def test_an_id_that_is_no_plain_word_is_replaced(site: TestClient, given: str) -> None:
    name = site.get("/v1/tools", headers={"X-Request-Id": given}).headers["x-request-id"]
    assert name != given
    assert len(name) == 32


def test_what_watches_the_service_fills_no_log(site: TestClient, lines: io.StringIO) -> None:
    for path in ("/healthz", "/readyz", "/metrics"):
        site.get(path)
    assert lines.getvalue() == ""


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("Authorization: Bearer ga_abcdefghijklmnop", "ga_abcdefghijklmnop"),
        ("Authorization: Basic dXNlcjpnYV9zZWNyZXQ=", "dXNlcjpnYV9zZWNyZXQ="),
        ("key sk-proj-abc123def456", "sk-proj-abc123def456"),
        ("token xoxb-1234-5678-abcdef", "xoxb-1234-5678-abcdef"),
        ("xapp-1-A012-345-abcdef", "xapp-1-A012-345-abcdef"),
        ("hf_abcdefghijkl", "hf_abcdefghijkl"),
        ("connect postgresql://advisor:hunter2secret@db/x", "hunter2secret"),
        ("api_key=abcd1234", "abcd1234"),
        ("{'password': 'correct-horse'}", "correct-horse"),
    ],
)
def test_secrets_do_not_reach_a_line(lines: io.StringIO, text: str, secret: str) -> None:
    assert secret not in redact(text)
    logging.getLogger("anything").warning("failed: %s", text)
    try:
        raise ValueError(text)
    except ValueError:
        logging.getLogger("anything").exception("it broke")
    assert "failed:" in lines.getvalue()
    assert "ValueError" in lines.getvalue()
    assert secret not in lines.getvalue()


@pytest.mark.parametrize(
    "text", ["RTX 4090 at 450 W", "token count: 8192 tokens", "https://example.org/a@b", "显存 24 GB"]
)
def test_plain_words_stay(text: str) -> None:
    assert redact(text) == text


def test_settings_do_not_show_their_secrets() -> None:
    shown = repr(Settings.model_validate({**settings().model_dump(), "llm_api_key": "k1", "database_url": "d1"}))
    assert "k1" not in shown
    assert "d1" not in shown


def test_a_turn_is_traced_step_by_step_without_its_words(advisor: Advisor, monkeypatch: pytest.MonkeyPatch) -> None:
    spans, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(spans))
    monkeypatch.setattr(trace, "get_tracer", provider.get_tracer)
    answer = advisor.ask(QUESTION)
    done = {span.name: span for span in spans.get_finished_spans()}
    turn = done["turn"]
    assert turn.attributes is not None
    assert turn.attributes["advisor.answer"] == answer.id
    steps = [span for span in done.values() if span.parent is not None]
    assert {"understood", "answer"} <= {span.name for span in steps}
    assert {f"result {record.tool}" for record in answer.tool_calls} <= set(done)
    assert all(span.parent.span_id == turn.context.span_id for span in steps if span.parent and turn.context)
    assert QUESTION not in "".join(span.to_json() for span in done.values())
    provider.shutdown()


def test_an_exporter_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch, lines: io.StringIO) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.exporter.otlp.proto.grpc.trace_exporter", None)
    with pytest.raises(BadInput) as refusal:
        set_up(Settings.model_validate({**settings().model_dump(), "traces": "otlp"}), lines)
    assert refusal.value.field == "GPU_ADVISOR_TRACES"

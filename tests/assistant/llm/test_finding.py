"""Models are found on the loopback alone and quickly, whatever answers there; keys are named and never read."""

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from assistant.llm.choosing import finding
from assistant.llm.choosing.finding import Providers, Server, Service, connection, find, on_this_machine, providers
from kb.base import BadInput, UnknownName

OLLAMA = {
    "models": [
        {"name": "qwen3:32b", "size": 20_201_253_588, "details": {"parameter_size": "32.8B", "family": "qwen3"}},
        {"name": "nomic-embed-text:latest", "size": 274_302_450, "details": {"parameter_size": "137M"}},
        {"name": "gemma3:270m", "size": 291_000_000, "details": None},
    ]
}
LLAMA_CPP = {"object": "list", "models": [], "data": [
    {"id": "/models/Qwen3-4B-Q4_K_M.gguf", "object": "model", "owned_by": "llamacpp",
     "meta": {"n_params": 4_022_468_096, "size": 2_491_308_032, "n_ctx_train": 40_960}}
]}  # fmt: skip
VLLM = {"object": "list", "data": [{"id": "Qwen/Qwen3-30B-A3B", "object": "model", "max_model_len": 32_768}]}
ODD: list[Any] = [
    [], {}, None, "models", {"models": {}},
    {"data": [None, 7, {"id": 5}, {"id": ""}, {"id": "a b"}, {"id": "x\x1b[2J"}]},
    {"data": [{"id": "y" * 500}]}, {"data": [{"id": "gpu-advisor"}]},
]  # fmt: skip


class Handler(BaseHTTPRequestHandler):
    """Answers what the test wants, and keeps what it was asked."""

    def do_GET(self) -> None:
        self.server.asked.append((self.path, dict(self.headers)))  # type: ignore[attr-defined]
        body = self.server.body  # type: ignore[attr-defined]
        written = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(written)))
        self.end_headers()
        self.wfile.write(written)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
        """Say nothing."""


@pytest.fixture
def listening(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Server]]:
    """Servers of models on free ports, in the place of those that are looked for."""
    monkeypatch.setattr(finding, "providers", lambda: Providers(servers=tuple(servers), services=providers().services))
    servers: list[Server] = []
    with ExitStack() as stack:

        def start(name: str, body: Any) -> Server:
            running = stack.enter_context(ThreadingHTTPServer(("127.0.0.1", 0), Handler))
            running.body, running.asked = body, []  # type: ignore[attr-defined]
            threading.Thread(target=running.serve_forever, args=(0.01,), daemon=True).start()
            stack.callback(running.shutdown)
            row = next(one for one in providers().servers if one.name == name)
            servers.append(row.model_copy(update={"port": running.server_port}))
            start.asked = running.asked  # type: ignore[attr-defined]
            return servers[-1]

        yield start


def test_what_servers_list_is_found_with_what_they_tell(listening: Callable[..., Server]) -> None:
    listening("ollama", OLLAMA)
    listening("llamacpp", LLAMA_CPP)
    vllm = listening("vllm", VLLM)
    found = {one.name: one for one in find()}
    assert list(found) == [
        "ollama:qwen3:32b", "ollama:gemma3:270m", "llamacpp:/models/Qwen3-4B-Q4_K_M.gguf", "vllm:Qwen/Qwen3-30B-A3B",
    ]  # fmt: skip
    assert (found["ollama:qwen3:32b"].size_bytes, found["ollama:qwen3:32b"].params) == (20_201_253_588, "32.8B")
    assert found["llamacpp:/models/Qwen3-4B-Q4_K_M.gguf"].params == "4.02B"
    assert found["vllm:Qwen/Qwen3-30B-A3B"].context_tokens == 32_768
    assert found["vllm:Qwen/Qwen3-30B-A3B"].base_url == f"http://127.0.0.1:{vllm.port}/v1"


@pytest.mark.parametrize("body", [*ODD, b"", b"<html>", b"[" * 100_000], ids=lambda body: repr(body)[:30])
def test_what_is_no_list_of_models_is_nothing(listening: Callable[..., Server], body: Any) -> None:
    listening("ollama", body)
    listening("vllm", body)
    assert find() == []


def test_a_server_that_says_nothing_is_not_waited_for() -> None:
    rows = list(providers().servers)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        began = time.monotonic()
        assert on_this_machine([one.model_copy(update={"port": port}) for one in rows]) == []
        assert time.monotonic() - began < 1.0


def test_a_proxy_is_not_asked(listening: Callable[..., Server], monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    listening("vllm", VLLM)
    assert len(find()) == 1


def test_a_key_is_named_and_goes_nowhere(listening: Callable[..., Server], monkeypatch: pytest.MonkeyPatch) -> None:
    for service in providers().services:
        monkeypatch.delenv(service.key_variable, raising=False)
    monkeypatch.setenv("DEEPSEEK_API_KEY", "sk-secret-of-a-test")
    listening("vllm", VLLM)
    found = find()
    assert [(one.kind, one.name, one.key_variable) for one in found if one.kind == "key"] == [
        ("key", "deepseek:", "DEEPSEEK_API_KEY")
    ]
    sent = json.dumps(listening.asked)  # type: ignore[attr-defined]
    assert "secret" not in sent + "".join(one.model_dump_json() for one in found)


def test_every_row_is_of_its_own() -> None:
    rows: list[Server | Service] = [*providers().servers, *providers().services]
    assert len({one.name for one in rows}) == len(rows)
    assert len({one.port for one in providers().servers}) == len(providers().servers)
    assert all(one.base_url.startswith("https://") for one in providers().services)


def test_a_model_of_this_machine_is_reached_where_it_is(listening: Callable[..., Server]) -> None:
    row = listening("ollama", OLLAMA)
    reached = connection("ollama:qwen3:32b")
    assert (reached.llm, reached.base_url) == ("openai:qwen3:32b", f"http://127.0.0.1:{row.port}/v1")
    assert reached.key_variable is None
    with pytest.raises(UnknownName) as refusal:
        connection("ollama:qwen3:32")
    assert refusal.value.close[0] == "ollama:qwen3:32b"


def test_a_model_of_a_service_is_reached_with_its_own_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DEEPSEEK_API_KEY", raising=False)
    with pytest.raises(BadInput, match="DEEPSEEK_API_KEY is not set"):
        connection("deepseek:deepseek-chat")
    monkeypatch.setenv("DEEPSEEK_API_KEY", "sk-x")
    reached = connection("deepseek:deepseek-chat")
    assert (reached.llm, reached.base_url) == ("openai:deepseek-chat", "https://api.deepseek.com/v1")
    assert reached.key_variable == "DEEPSEEK_API_KEY"


def test_a_server_elsewhere_is_reached_at_its_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "x")
    reached = connection("openai:qwen3-32b", "http://gpu-7:8000/v1/", "MY_KEY")
    assert (reached.llm, reached.base_url) == ("openai:qwen3-32b", "http://gpu-7:8000/v1")
    assert reached.key_variable == "MY_KEY"


@pytest.mark.parametrize(
    ("name", "more", "field"),
    [
        ("qwen3", {}, "NAME"),
        ("ollama:", {}, "NAME"),
        ("a b:c", {}, "NAME"),
        ("", {}, "NAME"),
        ("openai:x", {"base_url": "ftp://x"}, "--base-url"),
        ("openai:x", {"key_variable": "NO_SUCH_VARIABLE_OF_OURS"}, "--key-variable"),
    ],
)
def test_what_names_no_model_is_refused(name: str, more: dict[str, str], field: str) -> None:
    with pytest.raises(BadInput) as refusal:
        connection(name, **more)
    assert refusal.value.field == field


def test_a_server_that_is_not_there_is_told_how_to_name(listening: Callable[..., Server]) -> None:
    listening("lmstudio", {"data": []})
    with pytest.raises(BadInput, match="LM Studio does not answer"):
        connection("lmstudio:qwen3-8b")

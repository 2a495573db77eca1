"""Models the catalog lacks are read from a hub that answers; here one on this machine."""

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import ClassVar

import pytest

from kb import models
from kb.base import UnknownName
from kb.configs import hub
from kb.configs.hub import hub_config

CONFIG = {
    "model_type": "llama", "hidden_size": 2048, "num_hidden_layers": 16, "num_attention_heads": 32,
    "num_key_value_heads": 8, "intermediate_size": 8192, "vocab_size": 128256, "tie_word_embeddings": True,
    "torch_dtype": "bfloat16", "max_position_embeddings": 131072,
}  # fmt: skip


class Hub(BaseHTTPRequestHandler):
    """Serves one model, one broken one, and counts."""

    asked: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        """Answer like the hub."""
        Hub.asked.append(self.path)
        body = {
            "/who/new-model/resolve/main/config.json": json.dumps(CONFIG),
            "/who/broken/resolve/main/config.json": "{",
        }
        content = body.get(self.path)
        self.send_response(200 if content else 404)
        self.end_headers()
        self.wfile.write((content or "").encode())

    def log_message(self, *arguments: object) -> None:
        """Say nothing."""


@pytest.fixture
def address() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    Hub.asked.clear()
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()
    thread.join()


def test_a_configuration_is_fetched_once_and_kept(address: str) -> None:
    assert hub_config("who/new-model", address=address) == CONFIG
    assert hub_config("who/new-model", address=address) == CONFIG
    assert Hub.asked == ["/who/new-model/resolve/main/config.json"]


@pytest.mark.parametrize("identity", ["who/missing", "who/broken"])
def test_no_such_model_or_a_broken_answer_is_none(address: str, identity: str) -> None:
    assert hub_config(identity, address=address) is None


@pytest.mark.parametrize("identity", ["plain", "../etc/passwd", "a/..", "a/b/c", "a/b?x=1", "", "http://x/y"])
def test_what_is_no_hub_id_is_never_asked_for(address: str, identity: str) -> None:
    assert hub_config(identity, address=address) is None
    assert Hub.asked == []


def test_a_hub_that_does_not_answer_is_none() -> None:
    assert hub_config("who/other-model", address="http://127.0.0.1:9", timeout_s=0.5) is None


def test_a_model_is_read_from_the_hub_only_where_allowed(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub, "ADDRESS", address)
    with pytest.raises(UnknownName):
        models.model("who/new-model")
    assert Hub.asked == []
    monkeypatch.setattr(models, "_HUB", [True])
    found = models.model("who/new-model")
    assert (found.id, found.layers, found.params) == ("who/new-model", 16, 1_235_814_400)

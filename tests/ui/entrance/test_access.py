"""Who may do what: keys, a proxy's word, limits, and conversations that are one's own."""

import base64
import stat
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import openai
import pytest
from fastapi.testclient import TestClient
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from assistant.agent import Advisor
from kb.base import BadInput, UnknownName
from kb.settings import Settings
from ui.cli import main
from ui.entrance.access import CALLER, Allowances, Caller, may, needed, networks
from ui.entrance.keys import SCOPES, Key, Keys
from ui.serving.site import create_site

ORIGIN = "http://127.0.0.1:7860"
QUESTION = {"question": "Does the RTX 6000 Ada support NVLink?"}
PROXY = {"X-Forwarded-User": "ann@example.org"}


class Doors:
    """The site as it stands where keys are asked for, and where a proxy is believed."""

    def __init__(self, advisor: Advisor, stack: ExitStack) -> None:
        self._advisor, self._stack = advisor, stack

    def open(self, address: str = "127.0.0.1", **options: Any) -> TestClient:
        """A client of a site with these settings, calling from `address`."""
        before = self._advisor.options
        self._advisor.options = Settings.model_validate({**before.model_dump(), **options})
        self._stack.callback(setattr, self._advisor, "options", before)
        site = create_site(self._advisor)
        client = TestClient(site, base_url=ORIGIN, client=(address, 50_000), raise_server_exceptions=False)
        return self._stack.enter_context(client)


@pytest.fixture
def doors(advisor: Advisor) -> Iterator[Doors]:
    """Sites with doors; the advisor's settings are put back."""
    with ExitStack() as stack:
        yield Doors(advisor, stack)


@pytest.fixture
def keys(advisor_home: Path) -> Iterator[Keys]:
    """The keys of this home, without those of other tests."""
    (advisor_home / "keys.sqlite").unlink(missing_ok=True)
    held = Keys(advisor_home)
    yield held
    held.close()


def bearer(secret: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {secret}"}


def test_without_a_key_only_the_state_and_the_documentation_are_open(doors: Doors, keys: Keys) -> None:
    site = doors.open(auth="keys")
    for path in ("/healthz", "/readyz", "/docs", "/openapi.json"):
        assert site.get(path).status_code == 200
    for path in ("/", "/metrics", "/v1/tools", "/v1/catalog/gpus", "/v1/models", "/v1/conversations/x", "/config"):
        refused = site.get(path)
        assert refused.status_code == 401, path
        assert refused.headers["content-type"] == "application/problem+json"
        assert refused.headers["x-content-type-options"] == "nosniff"
    assert site.post("/v1/ask", json=QUESTION).headers["www-authenticate"] == "Bearer"
    assert site.get("/").headers["www-authenticate"].startswith("Basic")
    assert site.post("/mcp", json={}).status_code == 401
    assert site.post("/gradio_api/queue/join", json={}).status_code == 401


def test_a_key_opens_what_its_scopes_cover(doors: Doors, keys: Keys) -> None:
    site = doors.open(auth="keys")
    asking, _ = keys.create("asking", ("ask",))
    tooling, _ = keys.create("tooling", ("tools",))
    assert site.post("/v1/ask", json=QUESTION, headers=bearer(asking)).status_code == 200
    assert site.post("/v1/ask", json=QUESTION, headers={"X-API-Key": asking}).status_code == 200
    refused = site.get("/v1/tools", headers=bearer(asking))
    assert refused.status_code == 403
    assert refused.json()["scope"] == "tools"
    assert site.get("/v1/tools", headers=bearer(tooling)).status_code == 200
    assert site.post("/v1/ask", json=QUESTION, headers=bearer(tooling)).status_code == 403
    assert site.post("/mcp", json={}, headers=bearer(tooling)).status_code == 403
    assert site.delete("/v1/kb/documents/x", headers=bearer(tooling)).status_code == 403


def test_documents_are_taken_only_from_who_may(doors: Doors, keys: Keys) -> None:
    site = doors.open(auth="keys")
    editor, _ = keys.create("editor", ("tools", "ingest"))
    admin, _ = keys.create("admin", ("admin",))
    assert site.delete("/v1/kb/documents/none.md", headers=bearer(editor)).status_code == 404
    assert site.delete("/v1/kb/documents/none.md", headers=bearer(admin)).status_code == 404
    assert site.get("/v1/tools", headers=bearer(admin)).status_code == 200


def test_a_browser_asks_for_the_key_as_a_password(doors: Doors, keys: Keys) -> None:
    site = doors.open(auth="keys")
    secret, _ = keys.create("page", ("ask",))
    basic = base64.b64encode(f"anybody:{secret}".encode()).decode()
    assert site.get("/", headers={"Authorization": f"Basic {basic}"}).status_code == 200
    assert site.get("/", headers={"Authorization": "Basic !!"}).status_code == 401


@pytest.mark.parametrize("secret", ["", "ga_", "ga_" + "x" * 43, "ga_" + "x" * 5000, "x" * 46, "ga_\xff"])
def test_a_wrong_key_opens_nothing(doors: Doors, keys: Keys, secret: str) -> None:
    site = doors.open(auth="keys")
    headers: Any = [(b"authorization", b"Bearer " + secret.encode("latin-1"))]
    assert site.get("/v1/tools", headers=headers).status_code == 401


def test_a_revoked_or_expired_key_opens_nothing(doors: Doors, keys: Keys, monkeypatch: pytest.MonkeyPatch) -> None:
    site = doors.open(auth="keys")
    lasting, _ = keys.create("lasting", ("tools",))
    short, _ = keys.create("short", ("tools",), days=1)
    assert site.get("/v1/tools", headers=bearer(lasting)).status_code == 200
    keys.revoke("lasting")
    assert site.get("/v1/tools", headers=bearer(lasting)).status_code == 401
    assert site.get("/v1/tools", headers=bearer(short)).status_code == 200
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 2 * 86_400)
    assert site.get("/v1/tools", headers=bearer(short)).status_code == 401


def test_a_key_may_ask_so_often_and_is_told_when_again(doors: Doors, keys: Keys) -> None:
    site = doors.open(auth="keys")
    slow, _ = keys.create("slow", ("tools", "ask"), per_minute=3)
    other, _ = keys.create("other", ("tools",), per_minute=3)
    statuses = [site.get("/v1/tools", headers=bearer(slow)).status_code for _ in range(4)]
    assert statuses == [200, 200, 200, 429]
    refused = site.get("/v1/tools", headers=bearer(slow))
    assert 1 <= int(refused.headers["retry-after"]) <= 20
    assert site.get("/v1/tools", headers=bearer(other)).status_code == 200
    batch = {"requests": [{"request": {}}] * 4}
    assert site.post("/v1/tools/find_gpus/batch", json=batch, headers=bearer(other)).status_code == 429


def test_an_allowance_fills_steadily(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    bucket, caller = Allowances(), Caller("a", frozenset(), 60)
    assert [bucket.wait_s(caller) for _ in range(60)] == [0.0] * 60
    assert bucket.wait_s(caller) == pytest.approx(1.0)
    assert bucket.wait_s(caller, 30) == pytest.approx(30.0)
    now = 10.0
    assert [bucket.wait_s(caller) for _ in range(10)] == [0.0] * 10
    assert bucket.wait_s(caller) > 0


def test_a_conversation_belongs_to_who_began_it(doors: Doors, keys: Keys) -> None:
    site = doors.open(auth="keys")
    ann, _ = keys.create("ann", ("ask",))
    bob, _ = keys.create("bob", ("ask",))
    admin, _ = keys.create("root", ("admin",))
    name = site.post("/v1/ask", json=QUESTION, headers=bearer(ann)).json()["conversation_id"]
    address = f"/v1/conversations/{name}"
    assert site.get(address, headers=bearer(ann)).status_code == 200
    assert site.get(address, headers=bearer(bob)).status_code == 404
    assert site.delete(address, headers=bearer(bob)).status_code == 404
    taken = site.post("/v1/ask", json=QUESTION | {"conversation_id": name}, headers=bearer(bob))
    assert taken.json()["field"] == "conversation_id"
    streamed = site.post("/v1/ask/stream", json=QUESTION | {"conversation_id": name}, headers=bearer(bob))
    assert "event: error" in streamed.text
    assert site.get(address, headers=bearer(admin)).status_code == 200
    assert site.delete(address, headers=bearer(ann)).status_code == 204


def test_a_proxy_vouches_for_people_and_their_roles(doors: Doors, keys: Keys) -> None:
    site = doors.open(auth="proxy", editors="writers", admins="root@example.org")
    assert site.get("/v1/tools").status_code == 401
    assert site.get("/v1/tools", headers=PROXY).status_code == 200
    assert site.get("/", headers=PROXY).status_code == 200
    assert site.delete("/v1/kb/documents/x.md", headers=PROXY).status_code == 403
    writer = PROXY | {"X-Forwarded-Groups": "readers, writers"}
    assert site.delete("/v1/kb/documents/x.md", headers=writer).status_code == 404
    root = {"X-Forwarded-User": "root@example.org"}
    assert site.delete("/v1/kb/documents/x.md", headers=root).status_code == 404
    secret, _ = keys.create("program", ("tools",))
    assert site.get("/v1/tools", headers=bearer(secret)).status_code == 200


def test_only_the_trusted_address_is_believed(doors: Doors, keys: Keys) -> None:
    assert doors.open("203.0.113.9", auth="proxy").get("/v1/tools", headers=PROXY).status_code == 401
    trusted = doors.open("203.0.113.9", auth="proxy", trusted_proxies="203.0.113.0/24", user_header="X-User")
    assert trusted.get("/v1/tools", headers=PROXY).status_code == 401
    assert trusted.get("/v1/tools", headers={"X-User": "ann"}).status_code == 200
    twice: Any = [(b"X-User", b"ann"), (b"X-User", b"root")]
    assert trusted.get("/v1/tools", headers=twice).status_code == 401


def test_the_proxys_word_counts_for_nothing_where_keys_are_asked_for(doors: Doors, keys: Keys) -> None:
    assert doors.open(auth="keys").get("/v1/tools", headers=PROXY).status_code == 401


def test_networks_that_are_none_are_refused() -> None:
    with pytest.raises(BadInput) as refusal:
        networks("10.0.0.0/8, here")
    assert refusal.value.field == "GPU_ADVISOR_TRUSTED_PROXIES"


@pytest.mark.parametrize(
    ("method", "path", "rights"),
    [
        ("GET", "/", {"ask"}),
        ("POST", "/gradio_api/queue/join", {"ask"}),
        ("POST", "/v1/ask/batch", {"ask"}),
        ("POST", "/v1/chat/completions", {"ask"}),
        ("POST", "/v1/tools/configure", {"tools"}),
        ("POST", "/v1/kb/check", {"tools"}),
        ("GET", "/v1/kb/documents", {"tools"}),
        ("POST", "/v1/kb/documents", {"ingest"}),
        ("DELETE", "/v1/kb/documents/a.md", {"ingest"}),
        ("POST", "/mcp", {"ask", "tools"}),
        ("POST", "/mcp/", {"ask", "tools"}),
        ("GET", "/v1/nowhere", {"ask"}),
    ],
)
def test_every_address_needs_a_right(method: str, path: str, rights: set[str]) -> None:
    assert needed(method, path) == rights


def test_where_nobody_is_asked_everybody_may() -> None:
    assert may({}, "ingest")
    assert not may({CALLER: Caller("a", frozenset({"ask"}), 1)}, "ingest")


def test_the_openai_client_sends_its_key_and_hears_why_it_is_refused(doors: Doors, keys: Keys) -> None:
    site = doors.open(auth="keys")
    secret, _ = keys.create("chat client", ("ask",))
    good = openai.OpenAI(base_url=f"{ORIGIN}/v1", api_key=secret, http_client=site, max_retries=0)
    assert [model.id for model in good.models.list()] == ["gpu-advisor"]
    bad = openai.OpenAI(base_url=f"{ORIGIN}/v1", api_key="ga_wrong", http_client=site, max_retries=0)
    with pytest.raises(openai.AuthenticationError) as refusal:
        bad.chat.completions.create(model="gpu-advisor", messages=[{"role": "user", "content": "4090?"}])
    assert refusal.value.code == "invalid_api_key"


def test_mcp_is_spoken_with_a_key(doors: Doors, keys: Keys) -> None:
    secret, _ = keys.create("agent", ("ask", "tools"))
    site = doors.open(auth="keys")

    async def run() -> list[str]:
        transport = httpx.ASGITransport(site.app)
        async with (
            httpx.AsyncClient(transport=transport, base_url=ORIGIN, headers=bearer(secret)) as http,
            Client(streamable_http_client(f"{ORIGIN}/mcp", http_client=http)) as client,
        ):
            return [tool.name for tool in (await client.list_tools()).tools]

    assert site.portal is not None
    assert "ask" in site.portal.call(run)


def test_keys_are_made_listed_and_revoked_on_the_command_line(
    keys: Keys, advisor_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["keys", "create", "ci", "--scope", "tools", "--per-minute", "5", "--days", "30"]) == 0
    secret = capsys.readouterr().out.split()[0]
    found = keys.find(secret)
    assert found is not None
    assert (found.name, found.scopes, found.per_minute) == ("ci", ("tools",), 5)
    assert main(["keys", "list"]) == 0
    listed = capsys.readouterr().out
    assert "ci: tools; 5 a minute, until" in listed
    assert secret not in listed
    assert not any(secret.encode() in path.read_bytes() for path in advisor_home.glob("keys.sqlite*"))
    assert stat.S_IMODE((advisor_home / "keys.sqlite").stat().st_mode) == 0o600
    assert main(["keys", "revoke", "ci"]) == 0
    assert keys.find(secret) is None
    assert main(["keys", "revoke", "none"]) == 2
    assert main(["keys", "create", "ci"]) == 2
    assert main(["keys", "create", "\n"]) == 2
    assert main(["keys", "create", "x", "--per-minute", "0"]) == 2


def test_a_revoked_key_says_so_and_close_names_are_told(keys: Keys) -> None:
    keys.create("dashboard", SCOPES)
    key: Key = keys.revoke("dashboard")
    assert key.state == "revoked"
    with pytest.raises(UnknownName) as refusal:
        keys.revoke("dashbord")
    assert refusal.value.close == ["dashboard"]

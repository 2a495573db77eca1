"""The file of the local model comes from a hub as hubs behave: redirected, in parts, broken off, wrong, refused."""

import hashlib
import random
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import date
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import pytest

from assistant.llm.local import local_model
from assistant.llm.local.files import BLOCK_BYTES, HubFile, default, fetched, shown
from kb.base import ModelFailed
from kb.settings import Settings, hub_address

CONTENT = random.Random(7).randbytes(3 * BLOCK_BYTES + 12_345)
FILE = HubFile(
    title="A file",
    repo="somebody/some-model-GGUF",
    revision="a" * 40,
    file="some-model-Q4_K_M.gguf",
    size_bytes=len(CONTENT),
    sha256=hashlib.sha256(CONTENT).hexdigest(),
    licence="Apache-2.0",
    context_tokens=1024,
    read_on=date(2026, 1, 1),
)
SIGNATURE_USES = 1
"""A signed address is good for one transfer; whoever comes back has to ask the hub for a new one."""


@dataclass
class Hub:
    """What the hub holds, how its storage misbehaves, and what it was asked."""

    content: bytes = CONTENT
    told_sha256: str = FILE.sha256
    status: int = 302
    """Of the hub's own reply."""
    breaks: list[int] = field(default_factory=list)
    """Bytes after which each transfer breaks off, in turn; then none does."""
    statuses: list[int] = field(default_factory=list)
    """What the storage replies instead, in turn."""
    ranges: bool = True
    """Whether the storage gives parts."""
    asked: list[str] = field(default_factory=list)
    """Paths with the range they were asked for."""
    signed: int = 0
    used: set[str] = field(default_factory=set)


class Server(ThreadingHTTPServer):
    """Hub and storage in one, as their addresses tell them apart."""

    daemon_threads = True
    hub: Hub


class Handler(BaseHTTPRequestHandler):
    """One request."""

    server: Server
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        hub, span = self.server.hub, self.headers.get("Range", "")
        hub.asked.append(f"{self.path.partition('?')[0]} {span}".strip())
        if self.path.startswith("/storage/"):
            self._stored(hub, span)
        elif self.path != f"/{FILE.repo}/resolve/{FILE.revision}/{FILE.file}":
            self._head(404, {"X-Error-Code": "EntryNotFound", "Content-Length": "0"})
        elif hub.status != 302:
            self._head(hub.status, {"Content-Length": "0"})
        else:
            hub.signed += 1
            where = f"http://127.0.0.1:{self.server.server_port}/storage/{FILE.sha256}?Signature={hub.signed}"
            told = {"X-Repo-Commit": FILE.revision, "X-Linked-Size": str(FILE.size_bytes),
                    "X-Linked-Etag": f'"{hub.told_sha256}"', "Accept-Ranges": "bytes"}  # fmt: skip
            self._head(302, {**told, "Location": where, "Content-Length": "0"})

    def _stored(self, hub: Hub, span: str) -> None:
        if self.path in hub.used:
            self._head(403, {"Content-Length": "0"})
            return
        hub.used.add(self.path)
        if hub.statuses:
            self._head(hub.statuses.pop(0), {"Content-Length": "0"})
            return
        size = len(hub.content)
        begin = int(span.removeprefix("bytes=").rstrip("-")) if span and hub.ranges else 0
        if begin >= size:
            self._head(416, {"Content-Range": f"bytes */{size}", "Content-Length": "0"})
            return
        body = hub.content[begin:]
        told = {"Content-Length": str(len(body)), "ETag": '"not-a-checksum"'}
        partial = {"Content-Range": f"bytes {begin}-{size - 1}/{size}"} if begin else {}
        self._head(206 if begin else 200, {**told, **partial})
        if hub.breaks:
            body = body[: hub.breaks.pop(0)]
            self.close_connection = True
        self.wfile.write(body)

    def _head(self, status: int, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
        """Say nothing."""


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with Server(("127.0.0.1", 0), Handler) as running:
        thread = threading.Thread(target=running.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield running
        running.shutdown()
        thread.join(5)


@pytest.fixture
def fetch(server: Server, tmp_path: Path) -> Callable[..., Path]:
    """Fetch the file from a hub."""

    def run(hub: Hub, told: Callable[[str, int, int], None] = lambda doing, done, total: None) -> Path:
        server.hub = hub
        return fetched(FILE, tmp_path, f"http://127.0.0.1:{server.server_port}", told, pause_s=0.0)

    return run


def part(home: Path) -> Path:
    """What is kept of an unfinished file."""
    return home / "models" / f"{FILE.file}.part"


def test_it_is_fetched_once_and_told_of(fetch: Callable[..., Path], tmp_path: Path) -> None:
    hub, told = Hub(), []
    file = fetch(hub, lambda *each: told.append(each))
    assert file.read_bytes() == CONTENT
    assert file == tmp_path / "models" / FILE.file
    assert not part(tmp_path).exists()
    assert {doing for doing, _, _ in told} == {"fetching", "checking"}
    assert all(later >= earlier for (a, earlier, _), (b, later, _) in pairwise(told) if a == b)
    assert told[-1][1:] == (FILE.size_bytes, FILE.size_bytes)
    before = len(hub.asked)
    assert fetch(hub) == file
    assert len(hub.asked) == before


def test_a_transfer_that_breaks_is_taken_up_where_it_broke(fetch: Callable[..., Path]) -> None:
    hub = Hub(breaks=[1_000_000, 0, 700_000])
    assert fetch(hub).read_bytes() == CONTENT
    spans = [asked.partition(" ")[2] for asked in hub.asked if asked.startswith("/storage/")]
    assert spans == ["", "bytes=1000000-", "bytes=1000000-", "bytes=1700000-"]


def test_an_interrupted_process_goes_on_the_next_day(fetch: Callable[..., Path], tmp_path: Path) -> None:
    part(tmp_path).parent.mkdir()
    part(tmp_path).write_bytes(CONTENT[:2_000_000])
    hub = Hub()
    assert fetch(hub).read_bytes() == CONTENT
    assert hub.asked[-1].endswith("bytes=2000000-")


def test_a_storage_without_parts_begins_anew(fetch: Callable[..., Path]) -> None:
    assert fetch(Hub(breaks=[500_000], ranges=False)).read_bytes() == CONTENT


@pytest.mark.parametrize("status", [403, 429, 500, 503])
def test_a_storage_that_refuses_for_a_moment_is_asked_again(fetch: Callable[..., Path], status: int) -> None:
    assert fetch(Hub(statuses=[status, status])).read_bytes() == CONTENT


def test_a_part_that_is_too_long_is_thrown_away(fetch: Callable[..., Path], tmp_path: Path) -> None:
    part(tmp_path).parent.mkdir()
    part(tmp_path).write_bytes(CONTENT + b"more")
    with pytest.raises(ModelFailed, match="more than"):
        fetch(Hub())
    assert fetch(Hub()).read_bytes() == CONTENT


def test_a_storage_that_holds_less_than_was_kept_is_given_up(fetch: Callable[..., Path], tmp_path: Path) -> None:
    part(tmp_path).parent.mkdir()
    part(tmp_path).write_bytes(CONTENT[:-10])
    hub = Hub(content=CONTENT[:1000])
    with pytest.raises(ModelFailed, match="could not be fetched"):
        fetch(hub)
    assert not (tmp_path / "models" / FILE.file).exists()


@pytest.mark.parametrize(
    ("hub", "said"),
    [
        pytest.param(Hub(content=CONTENT[:-1] + b"x"), "broken", id="another last byte"),
        pytest.param(Hub(told_sha256="0" * 64), "another", id="the hub names another checksum"),
        pytest.param(Hub(content=CONTENT + b"x"), "more than", id="longer"),
        pytest.param(Hub(status=404), "status 404", id="no such file"),
        pytest.param(Hub(status=401), "status 401", id="behind a licence"),
        pytest.param(Hub(status=503), "status 503", id="the hub is down"),
        pytest.param(Hub(breaks=[0] * 50), "could not be fetched", id="the storage gives nothing"),
    ],
)
def test_what_cannot_be_had_is_said_and_leaves_no_file(
    fetch: Callable[..., Path], tmp_path: Path, hub: Hub, said: str
) -> None:
    with pytest.raises(ModelFailed, match=said):
        fetch(hub)
    assert not (tmp_path / "models" / FILE.file).exists()


def test_a_wrong_file_is_not_kept_for_the_next_try(fetch: Callable[..., Path], tmp_path: Path) -> None:
    with pytest.raises(ModelFailed, match="broken"):
        fetch(Hub(content=bytes(FILE.size_bytes)))
    assert not part(tmp_path).exists()
    assert fetch(Hub()).read_bytes() == CONTENT


def test_nobody_at_the_address_is_said(tmp_path: Path) -> None:
    with pytest.raises(ModelFailed, match="HF_ENDPOINT"):
        fetched(FILE, tmp_path, "http://127.0.0.1:9", lambda *told: None, pause_s=0.0)


def test_a_full_disk_is_said_before_anything_comes(fetch: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda path: SimpleNamespace(free=1000))
    hub = Hub()
    with pytest.raises(ModelFailed, match="free"):
        fetch(hub)
    assert hub.asked == []


def test_two_at_once_fetch_it_once(fetch: Callable[..., Path]) -> None:
    hub, files = Hub(), []
    both = [threading.Thread(target=lambda: files.append(fetch(hub))) for _ in range(2)]
    for each in both:
        each.start()
    for each in both:
        each.join(30)
    assert [file.read_bytes() == CONTENT for file in files] == [True, True]
    assert sum(asked.startswith("/storage/") for asked in hub.asked) == 1


def test_the_progress_is_a_few_lines_where_nobody_watches(capsys: pytest.CaptureFixture[str]) -> None:
    for done in range(BLOCK_BYTES, 500 * BLOCK_BYTES + 1, BLOCK_BYTES):
        shown("fetching", done, 500 * BLOCK_BYTES)
    out, err = capsys.readouterr()
    assert out == ""
    assert len(err.splitlines()) == 10
    assert err.splitlines()[-1].endswith("100 %")


def test_the_default_model_is_whole_and_fits_eight_gigabytes() -> None:
    model = default()
    assert len(model.sha256) == 64
    assert len(model.revision) == 40
    assert model.file.endswith(".gguf")
    cache_bytes = model.context_tokens * 36 * 2 * 8 * 128 * 2
    assert model.size_bytes + cache_bytes < 6e9


def test_a_mirror_is_asked_where_the_environment_names_one(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("xllamacpp")
    server.hub = Hub()
    monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{server.server_port}/")
    monkeypatch.setattr("assistant.llm.local.files.default", lambda: FILE)
    model = local_model("local", Settings(home=tmp_path))
    assert model.path.read_bytes() == CONTENT
    assert model.context_tokens == FILE.context_tokens
    monkeypatch.delenv("HF_ENDPOINT")
    assert hub_address() == "https://huggingface.co"

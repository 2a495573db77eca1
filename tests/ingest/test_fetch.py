"""Fetching: public addresses only, the checked address only, within bounds; no test reaches a network."""

import socket
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import SplitResult

import pytest

from ingest import fetch as module
from ingest.fetch import fetch, is_public, is_url
from kb.base import BadDocument

PUBLIC = "93.184.215.14"


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "127.8.8.8", "0.0.0.0", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1",
        "192.0.2.1", "198.18.0.1", "224.0.0.1", "240.0.0.1", "255.255.255.255", "::1", "::", "fe80::1", "fe80::1%eth0",
        "fc00::1", "ff02::1", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "64:ff9b::7f00:1", "2002:7f00:1::", "2001:db8::1",
        "::7f00:1", "2001:0:1::", "no address", "",
    ],
)  # fmt: skip
def test_an_address_of_a_private_or_odd_kind_is_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", [PUBLIC, "8.8.8.8", "2606:2800:21f:cb07:6820:80da:af6b:8b2c"])
def test_an_ordinary_address_is_public(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize(
    "url",
    [
        pytest.param("ftp://example.org/a", id="scheme"),
        pytest.param("file:///etc/passwd", id="file"),
        pytest.param("http://user:word@example.org/", id="user"),
        pytest.param("http://example.org:22/", id="port"),
        pytest.param("http://example.org:99999/", id="port-out-of-range"),
        pytest.param("http://", id="no-host"),
        pytest.param("http://[::1", id="broken-brackets"),
        pytest.param("http://example.org/" + "a" * 3000, id="long"),
        pytest.param("http://example.org/a\r\nHost: b", id="header-injection"),
    ],
)
def test_an_address_that_is_no_plain_web_address_is_refused_unasked(url: str) -> None:
    def never(host: str, port: int) -> list[str]:
        raise AssertionError("resolved")

    with pytest.raises(BadDocument):
        fetch(url, resolve=never)


@pytest.mark.parametrize("host", ["2130706433", "0x7f000001", "127.1", "localhost"])
def test_a_host_in_disguise_is_refused_by_what_it_resolves_to(host: str) -> None:
    with pytest.raises(BadDocument, match="not a public address"):
        fetch(f"http://{host}/", resolve=lambda host, port: ["127.0.0.1"])


def test_one_private_address_among_public_ones_refuses_the_name() -> None:
    with pytest.raises(BadDocument, match="not a public address"):
        fetch("https://example.org/", resolve=lambda host, port: [PUBLIC, "10.0.0.1"])


class Site(BaseHTTPRequestHandler):
    """Answers by its path."""

    def do_GET(self) -> None:
        kind, _, rest = self.path.strip("/").partition("/")
        headers, body, status = {"Content-Type": "text/html; charset=utf-8"}, b"<p>An L4 has 24 GB.</p>", 200
        if kind == "to":
            status, headers["Location"] = 302, rest if "://" in rest else f"/{rest}"
        elif kind == "image":
            headers["Content-Type"] = "image/png"
        elif kind == "packed":
            headers["Content-Encoding"] = "gzip"
        elif kind == "declared":
            headers["Content-Length"] = "999999999999"
        elif kind == "endless":
            body = b"x" * 300_000
        elif kind == "missing":
            status = 404
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments: object) -> None:
        pass


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """A web server that stands in for every public address; yields the addresses that were dialled."""
    server = HTTPServer(("127.0.0.1", 0), Site)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    dialled: list[str] = []

    def dial(parts: SplitResult, address: str) -> socket.socket:
        dialled.append(address)
        return socket.create_connection(server.server_address[:2], timeout=5)

    monkeypatch.setattr(module, "_dial", dial)
    yield dialled
    server.shutdown()
    thread.join()
    server.server_close()


def names(**known: str) -> Callable[[str, int], list[str]]:
    return lambda host, port: [known.get(host.split(".")[0], PUBLIC)]


def test_a_page_is_fetched_from_the_address_that_was_checked(site: list[str]) -> None:
    found = fetch("http://example.org/page", resolve=names())
    assert (found.content, found.suffix, site) == (b"<p>An L4 has 24 GB.</p>", ".html", [PUBLIC])


def test_redirects_are_followed(site: list[str]) -> None:
    assert fetch("http://example.org/to/to/page", resolve=names()).suffix == ".html"
    assert len(site) == 3


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        pytest.param("to/http://inner.example/", "not a public address", id="redirect-into-the-house"),
        pytest.param("to/file:///etc/passwd", "not an http", id="redirect-to-a-file"),
        pytest.param("to/" * 9, "more than 5", id="redirect-loop"),
        pytest.param("image", "image/png", id="type"),
        pytest.param("packed", "compressed", id="encoding"),
        pytest.param("declared", "999,999,999,999", id="declared-size"),
        pytest.param("endless", "larger than", id="size"),
        pytest.param("missing", "404", id="status"),
    ],
)
def test_what_is_out_of_bounds_is_refused_with_its_reason(
    site: list[str], monkeypatch: pytest.MonkeyPatch, path: str, reason: str
) -> None:
    monkeypatch.setattr(module, "SIZE_MAX", 100_000)
    with pytest.raises(BadDocument, match=reason):
        fetch(f"http://example.org/{path}", resolve=names(inner="192.168.0.1"))


def test_a_page_that_drips_is_given_up(site: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WALL_MAX_S", -1.0)
    with pytest.raises(BadDocument, match="longer than"):
        fetch("http://example.org/page", resolve=names())


def test_proxy_variables_are_not_read(site: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    fetch("http://example.org/page", resolve=names())
    assert site == [PUBLIC]


def test_an_address_is_told_from_a_path() -> None:
    assert [is_url(text) for text in ("https://example.org/a", "FTP://x", "notes/https.md", "C:\\notes")] == [
        True,
        True,
        False,
        False,
    ]

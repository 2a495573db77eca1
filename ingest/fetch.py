"""A page of the public web, fetched when a person asks for it, and nothing else that an address may point to.

Names are resolved once; every address they stand for must be public, and the connection goes to the very address that
was checked, so that a name cannot change its mind in between. Redirects are followed by hand and checked alike. Proxy
variables are not read: a proxy would resolve the name anew.
"""

import http.client
import ipaddress
import re
import socket
import ssl
import time
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import SplitResult, urljoin, urlsplit

from kb.base import BadDocument

SIZE_MAX = 20_000_000
WALL_MAX_S, STEP_MAX_S = 30.0, 10.0
"""Time for all of it, and for one answer of the network."""
REDIRECTS_MAX = 5
URL_MAX = 2000
PORTS = {"http": 80, "https": 443}
SUFFIXES = {
    "text/html": ".html",
    "application/xhtml+xml": ".xhtml",
    "text/plain": ".txt",
    "text/markdown": ".md",
    "text/x-markdown": ".md",
    "text/csv": ".csv",
    "application/pdf": ".pdf",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": ".docx",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": ".pptx",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": ".xlsx",
}
TRANSLATED = tuple(map(ipaddress.IPv6Network, ("64:ff9b::/96", "64:ff9b:1::/48", "2002::/16", "2001::/32", "::/96")))
"""IPv6 ranges that carry an IPv4 address (NAT64, 6to4, Teredo, compatible), which may be private."""
_AGENT = "gpu-advisor (fetches a page its user names)"

Resolve = Callable[[str, int], list[str]]


@dataclass(frozen=True)
class Fetched:
    """A page as it came."""

    content: bytes
    suffix: str


def is_url(text: str) -> bool:
    """Whether a path on the command line is an address of the web."""
    return bool(re.match(r"[a-z][a-z0-9+.\-]*://", text, re.IGNORECASE))


def resolve(host: str, port: int) -> list[str]:
    """Every address of a name."""
    return list(dict.fromkeys(str(one[4][0]) for one in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)))


def fetch(url: str, *, resolve: Resolve = resolve) -> Fetched:
    """The page at a public address.

    Raises:
        BadDocument: the address is not public or cannot be reached, or the page is too large, too slow or of a type
            that is not read.
    """
    deadline = time.monotonic() + WALL_MAX_S
    place = url
    for _ in range(REDIRECTS_MAX + 1):
        parts = _parts(place, url)
        found = _ask(parts, url, _public(parts, url, resolve), deadline)
        if isinstance(found, Fetched):
            return found
        place = urljoin(place, found)
    raise BadDocument(url, f"redirects more than {REDIRECTS_MAX} times.")


def is_public(address: str) -> bool:
    """Whether an address belongs to the open internet, whatever form it is written in."""
    try:
        found = ipaddress.ip_address(address.split("%")[0])
    except ValueError:
        return False
    if isinstance(found, ipaddress.IPv6Address) and (found.ipv4_mapped or any(found in one for one in TRANSLATED)):
        return False
    return found.is_global and not found.is_multicast and not found.is_reserved


def _parts(place: str, url: str) -> SplitResult:
    try:
        parts = urlsplit(place)
        port = parts.port
    except ValueError:
        raise BadDocument(url, "is no valid address.") from None
    if parts.scheme not in PORTS or not parts.hostname or len(place) > URL_MAX or not place.isprintable():
        raise BadDocument(url, "is not an http or https address.")
    if parts.username is not None or parts.password is not None:
        raise BadDocument(url, "carries a user name; leave it out.")
    if port not in {None, PORTS[parts.scheme]}:
        raise BadDocument(url, "names a port; only the usual ones of http and https are used.")
    return parts


def _public(parts: SplitResult, url: str, resolve: Resolve) -> str:
    """The address to connect to; one private address among several refuses the name."""
    host = parts.hostname or ""
    try:
        addresses = resolve(host.encode("idna").decode(), PORTS[parts.scheme])
    except (OSError, UnicodeError):
        raise BadDocument(url, f"{host} cannot be resolved.") from None
    if not addresses or not all(map(is_public, addresses)):
        raise BadDocument(url, f"{host} is not a public address.")
    return addresses[0]


def _ask(parts: SplitResult, url: str, address: str, deadline: float) -> Fetched | str:
    """One request: the page, or where it has moved."""
    connection = http.client.HTTPConnection(parts.hostname or "", PORTS[parts.scheme], timeout=STEP_MAX_S)
    try:
        connection.sock = _dial(parts, address)
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        connection.request(
            "GET", _ascii(target), headers={"User-Agent": _AGENT, "Accept-Encoding": "identity", "Accept": "*/*"}
        )
        answer = connection.getresponse()
        if answer.status in {301, 302, 303, 307, 308} and (place := answer.headers.get("Location")):
            return place
        if answer.status != 200:
            raise BadDocument(url, f"answers with status {answer.status}.")
        return Fetched(_body(answer, url, deadline), _suffix(answer, url))
    except (OSError, http.client.HTTPException, ValueError) as problem:
        raise BadDocument(url, f"cannot be fetched: {problem or type(problem).__name__}.") from problem
    finally:
        connection.close()


def _ascii(target: str) -> str:
    return "".join(sign if "!" <= sign <= "~" else "".join(f"%{byte:02X}" for byte in sign.encode()) for sign in target)


def _dial(parts: SplitResult, address: str) -> socket.socket:
    """A connection to the address that was checked; the certificate must be that of the name."""
    plain = socket.create_connection((address, PORTS[parts.scheme]), timeout=STEP_MAX_S)
    if parts.scheme == "http":
        return plain
    try:
        return ssl.create_default_context().wrap_socket(plain, server_hostname=parts.hostname)
    except BaseException:
        plain.close()
        raise


def _body(answer: http.client.HTTPResponse, url: str, deadline: float) -> bytes:
    if answer.headers.get("Content-Encoding", "identity").lower() != "identity":
        raise BadDocument(url, "is sent compressed though it was asked for plain.")
    declared = answer.headers.get("Content-Length", "")
    if declared.isascii() and declared.isdigit() and int(declared[:20]) > SIZE_MAX:
        raise BadDocument(url, f"is {int(declared[:20]):,} bytes; at most {SIZE_MAX:,} are fetched.")
    content = bytearray()
    while piece := answer.read1(65_536):
        content += piece
        if len(content) > SIZE_MAX:
            raise BadDocument(url, f"is larger than {SIZE_MAX:,} bytes.")
        if time.monotonic() > deadline:
            raise BadDocument(url, f"takes longer than {WALL_MAX_S:g} s.")
    return bytes(content)


def _suffix(answer: http.client.HTTPResponse, url: str) -> str:
    kind = answer.headers.get_content_type()
    if kind not in SUFFIXES:
        raise BadDocument(url, f"is of the type {kind[:60]}, which is not read.")
    return SUFFIXES[kind]

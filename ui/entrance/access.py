"""Who may do what: keys and a trusted proxy's word, the same for REST, MCP and the page; off unless it is set."""

import base64
import binascii
import ipaddress
import math
import threading
import time
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Receive, Scope, Send

from assistant.conversations import owner
from kb.base import BadInput
from kb.settings import Settings
from ui.entrance.hold import Hold
from ui.entrance.keys import PER_MINUTE, SCOPES, Keys
from ui.entrance.problem import problem

OPEN = ("/healthz", "/readyz", "/docs", "/openapi.json", "/slack/events")
"""What anybody may see: that the process lives, and how to call it."""
CALLER = "gpu_advisor.caller"
"""Where the scope of a request holds its Caller; missing where everybody may do everything."""
EVERYBODY = frozenset({"ask", "tools"})
MOST_CALLERS = 10_000
LONGEST_NAME = 200


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks, what they may do and how often."""

    name: str
    scopes: frozenset[str]
    per_minute: int

    def may(self, scope: str) -> bool:
        """Whether they may do what `scope` covers."""
        return scope in self.scopes or "admin" in self.scopes


class Allowances:
    """A bucket a caller: it holds a minute's requests and fills steadily."""

    def __init__(self) -> None:
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._access = threading.Lock()

    def wait_s(self, caller: Caller, cost: int = 1) -> float:
        """Take `cost` from the bucket and return 0, or leave it and say how long until there is enough."""
        now, rate = time.monotonic(), caller.per_minute / 60
        with self._access:
            left, at = self._left.pop(caller.name, (float(caller.per_minute), now))
            left = min(float(caller.per_minute), left + (now - at) * rate)
            enough = left >= cost
            self._left[caller.name] = (left - cost if enough else left, now)
            if len(self._left) > MOST_CALLERS:
                self._left.popitem(last=False)
        return 0.0 if enough else (min(cost, caller.per_minute) - left) / rate


class Access:
    """Turns away who is not known (401), may not (403) or asks too often (429); lets the rest in by name."""

    def __init__(self, app: ASGIApp, options: Settings, keys: Keys) -> None:
        self._app, self._options, self._keys = app, options, keys
        self._proxies = networks(options.trusted_proxies)
        self._editors, self._admins = _names(options.editors), _names(options.admins)
        self._allowances, self._hold = Allowances(), Hold()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
            return
        if scope["type"] != "http" or scope["path"] in OPEN:
            await self._app(scope, receive, send)
            return
        headers = _single(scope["headers"])
        caller = self._by_proxy(scope, headers) or self._by_key(headers)
        if caller is None:
            await _unknown(scope["path"])(scope, receive, send)
            return
        if missing := [right for right in sorted(needed(scope["method"], scope["path"])) if not caller.may(right)]:
            detail = f"This needs the right “{missing[0]}”, which {caller.name} has not. Ask who runs this service."
            await problem(403, "forbidden", detail, scope=missing[0])(scope, receive, send)
            return
        if _counts(scope) and (wait_s := self._allowances.wait_s(caller)) > 0:
            await self._hold.breathe()
            await _too_often(caller, wait_s)(scope, receive, send)
            return
        known = owner.set(None if caller.may("admin") else caller.name)
        try:
            await self._app({**scope, CALLER: caller, f"{CALLER}.allowances": self._allowances}, receive, send)
        finally:
            owner.reset(known)

    def _by_proxy(self, scope: Scope, headers: Mapping[str, str]) -> Caller | None:
        if self._options.auth != "proxy" or not self._is_trusted(scope.get("client")):
            return None
        name = headers.get(self._options.user_header.lower(), "").strip()
        if not name or len(name) > LONGEST_NAME or not name.isprintable():
            return None
        known_as = {name} | _names(headers.get(self._options.groups_header.lower(), ""))
        scopes = set(EVERYBODY)
        if known_as & self._editors:
            scopes.add("ingest")
        if known_as & self._admins:
            scopes |= set(SCOPES)
        return Caller(f"user:{name}", frozenset(scopes), PER_MINUTE)

    def _is_trusted(self, client: Sequence[Any] | None) -> bool:
        try:
            address = ipaddress.ip_address(str(client[0]).partition("%")[0]) if client else None
        except ValueError:
            return False
        return address is not None and any(address in network for network in self._proxies)

    def _by_key(self, headers: Mapping[str, str]) -> Caller | None:
        kind, _, value = headers.get("authorization", "").partition(" ")
        secret = value.strip()
        if kind.lower() == "basic":  # what a browser sends when it asks the person: the key is the password
            try:
                secret = base64.b64decode(secret, validate=True).decode().partition(":")[2]
            except (binascii.Error, UnicodeDecodeError):
                return None
        elif kind.lower() != "bearer":
            secret = headers.get("x-api-key", "").strip()
        key = self._keys.find(secret) if secret else None
        return Caller(f"key:{key.name}", frozenset(key.scopes), key.per_minute) if key else None


def needed(method: str, path: str) -> frozenset[str]:
    """The rights a request needs."""
    if path.rstrip("/") == "/mcp":
        return frozenset({"ask", "tools"})
    if path.startswith("/v1/kb/documents") and method not in {"GET", "HEAD"}:
        return frozenset({"ingest"})
    if path.startswith(("/v1/tools", "/v1/catalog", "/v1/kb")):
        return frozenset({"tools"})
    return frozenset() if path == "/metrics" else frozenset({"ask"})


def may(scope: Mapping[str, Any], right: str) -> bool:
    """Whether who sent this request may do that; everybody may where nobody is asked who they are."""
    caller = scope.get(CALLER)
    return caller is None or caller.may(right)


def spend(scope: Mapping[str, Any], cost: int) -> None:
    """Count what a request costs beyond itself.

    Raises:
        HTTPException: 429 when that is more than the caller has left.
    """
    caller = scope.get(CALLER)
    if caller is None or cost <= 0:
        return
    if (wait_s := scope[f"{CALLER}.allowances"].wait_s(caller, cost)) > 0:
        raise HTTPException(429, _often(caller), {"Retry-After": str(math.ceil(wait_s))})


def networks(text: str) -> list[ipaddress.IPv4Network | ipaddress.IPv6Network]:
    """Addresses and networks, with commas.

    Raises:
        BadInput: one is neither.
    """
    try:
        return [ipaddress.ip_network(part) for part in sorted(_names(text))]
    except ValueError:
        raise BadInput(
            "GPU_ADVISOR_TRUSTED_PROXIES", "holds what is no address.", "Write 10.0.0.5,10.1.0.0/16."
        ) from None


def _counts(scope: Scope) -> bool:
    """What the page loads to show itself is free."""
    return scope["method"] not in {"GET", "HEAD", "OPTIONS"} or scope["path"].startswith(("/v1", "/mcp"))


def _names(text: str) -> set[str]:
    return {part.strip() for part in text.split(",") if part.strip()}


def _single(headers: Sequence[tuple[bytes, bytes]]) -> dict[str, str]:
    """Headers by name; one that is sent twice counts as none, so that no caller can slip one past a proxy."""
    found: dict[str, str] = {}
    twice: set[str] = set()
    for name, value in headers:
        key = name.decode("latin-1").lower()
        if key in found:
            twice.add(key)
        found[key] = value.decode("latin-1")
    return {key: value for key, value in found.items() if key not in twice}


def _unknown(path: str) -> ASGIApp:
    api = path.startswith(("/v1", "/mcp", "/metrics"))
    challenge = "Bearer" if api else 'Basic realm="GPU Advisor: your key is the password", charset="UTF-8"'
    detail = "Send a valid key: Authorization: Bearer ga_…. `gpu-advisor keys create` makes one."
    refusal = {"message": detail, "type": "unauthorized", "param": None, "code": "invalid_api_key"}
    extra = {"error": refusal} if path.startswith(("/v1/chat", "/v1/models")) else {}
    return problem(401, "unauthorized", detail, {"WWW-Authenticate": challenge}, **extra)


def _often(caller: Caller) -> str:
    return f"More than the {caller.per_minute} requests a minute that {caller.name} may send. Try again later."


def _too_often(caller: Caller, wait_s: float) -> ASGIApp:
    return problem(429, "too_many_requests", _often(caller), {"Retry-After": str(math.ceil(wait_s))})

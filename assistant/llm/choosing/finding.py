"""What language models are there: servers of this machine that answer, and keys that lie in the environment."""

import json
import re
import threading
from collections.abc import Iterator, Sequence
from functools import lru_cache
from http.client import HTTPConnection, HTTPException
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

import yaml
from rapidfuzz import process

from kb.base import BadInput, Frozen, UnknownName
from kb.settings import are_set

WITHIN_S = 0.3
"""How long a server of this machine is waited for."""
REPLY_BYTES_MAX = 2**20
MODELS_MAX = 200
LOCAL = "local"
NOT_FOR_TALK = re.compile(r"embed|rerank|whisper|\bbge\b|gpu-advisor", re.IGNORECASE)
"""Names of models that turn text into vectors, order passages or hear, and our own; they cannot answer."""
NAMED = re.compile(r"[^\s\x00-\x1f\x7f]{1,200}")


class Server(Frozen):
    """A program that serves models on this machine."""

    name: str
    """What its models' names begin with."""
    title: str
    """What people call it."""
    port: int
    """Where it listens unless told otherwise."""
    list: str
    """Path that lists its models."""


class Service(Frozen):
    """A service elsewhere."""

    name: str
    """What its models' names begin with."""
    title: str
    """What people call it."""
    key_variable: str
    """Environment variable that holds its key."""
    base_url: str
    """Where it speaks OpenAI's protocol."""
    package: str | None = None
    """LangChain's package for its own protocol, preferred where installed."""


class Providers(Frozen):
    """The rows of `providers.yaml`."""

    servers: tuple[Server, ...]
    services: tuple[Service, ...]


class Found(Frozen):
    """A model, or a service that has some."""

    kind: Literal["server", "key"]
    """A model that a server of this machine holds, or the key of a service whose models were not asked for."""
    name: str
    """What `gpu-advisor model choose` takes; of a service, what its models' names begin with."""
    title: str
    """Who serves it."""
    base_url: str
    """Where."""
    key_variable: str | None = None
    """Environment variable that holds the key."""
    size_bytes: int | None = None
    """Of its weights, where told."""
    params: str | None = None
    """Parameters as the server writes them, `8.2B`."""
    context_tokens: int | None = None
    """Longest context, where told."""


class Connection(Frozen):
    """How a model is reached."""

    name: str
    """As the person names it."""
    llm: str
    """As the settings name it: `provider:model` of LangChain, or `local…`."""
    base_url: str | None = None
    """Address of its server; none = the provider's own."""
    key_variable: str | None = None
    """Environment variable that holds its key."""


@lru_cache(maxsize=1)
def providers() -> Providers:
    """Every server and service that is looked for."""
    text = (Path(__file__).parent / "providers.yaml").read_text(encoding="utf-8")
    return Providers.model_validate(yaml.safe_load(text))


def find(within_s: float = WITHIN_S) -> list[Found]:
    """The models that servers of this machine list, then the services whose key is set; in the order of the data.

    Only this machine is asked. A key is neither read nor sent.
    """
    listed = on_this_machine(providers().servers, within_s)
    keys = set(are_set(service.key_variable for service in providers().services))
    held = [
        Found(kind="key", name=f"{one.name}:", title=one.title, base_url=one.base_url, key_variable=one.key_variable)
        for one in providers().services
        if one.key_variable in keys
    ]
    return [*listed, *held]


def on_this_machine(servers: Sequence[Server], within_s: float = WITHIN_S) -> list[Found]:
    """What these servers list, all asked at once; one that is not there or says something else has nothing."""
    told: dict[str, list[Found]] = {}

    def ask(server: Server) -> None:
        told[server.name] = list(models_of(server, _get(server, within_s)))

    threads = [threading.Thread(target=ask, args=(one,), name=f"find-{one.name}", daemon=True) for one in servers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(within_s)
    return [one for server in servers for one in told.get(server.name, ())]


def connection(name: str, base_url: str | None = None, key_variable: str | None = None) -> Connection:
    """How the model of this name is reached.

    Args:
        name: `server:model` of this machine, `service:model`, `local`, `local:FILE.gguf`, or LangChain's
            `provider:model`.
        base_url: the address of an OpenAI-compatible server, where it is another than the known one.
        key_variable: the environment variable that holds its key.

    Raises:
        BadInput: no such form of name, or the key is not set.
        UnknownName: its server does not list it.
    """
    if not NAMED.fullmatch(name) or (":" not in name and name != LOCAL) or name.endswith(":"):
        raise BadInput("NAME", "is no provider:model.", "`gpu-advisor model` lists them; e.g. ollama:qwen3:8b.")
    if base_url is not None and not re.fullmatch(r"https?://[^\s/]+[^\s]*", base_url):
        raise BadInput("--base-url", "is no address.", "Write http://host:port/v1.")
    if key_variable is not None and not are_set([key_variable]):
        raise BadInput("--key-variable", f"{key_variable} is not set.", f"Set it first: export {key_variable}=…")
    maker, _, model = name.partition(":")
    if maker == LOCAL:
        return Connection(name=name, llm=name)
    if base_url is not None:
        llm = name if find_spec(f"langchain_{maker}") else f"openai:{model}"
        return Connection(name=name, llm=llm, base_url=base_url.rstrip("/"), key_variable=key_variable)
    for server in providers().servers:
        if server.name == maker:
            return _served(server, name)
    for service in providers().services:
        if service.name == maker:
            return _of_service(service, name, key_variable)
    return Connection(name=name, llm=name, key_variable=key_variable)


def _served(server: Server, name: str) -> Connection:
    listed = [one.name for one in on_this_machine([server], 10 * WITHIN_S)]
    if not listed:
        raise BadInput(
            "NAME", f"{server.title} does not answer on port {server.port}, or holds no model.",
            f"Start it, or give its address: --base-url http://127.0.0.1:{server.port}/v1.",
        )  # fmt: skip
    if name not in listed:
        close = [found for found, *_ in process.extract(name, listed, limit=3)]
        raise UnknownName("language model", name, close)
    return Connection(name=name, llm=f"openai:{name.partition(':')[2]}", base_url=_address(server))


def _of_service(service: Service, name: str, key_variable: str | None) -> Connection:
    key = key_variable or service.key_variable
    if not are_set([key]):
        raise BadInput("NAME", f"{service.title} needs a key, and {key} is not set.", f"Set it first: export {key}=…")
    if key == service.key_variable and service.package and find_spec(service.package):
        return Connection(name=name, llm=name)
    model = name.partition(":")[2]
    return Connection(name=name, llm=f"openai:{model}", base_url=service.base_url, key_variable=key)


def models_of(server: Server, reply: Any) -> Iterator[Found]:
    """The models in a server's list: Ollama's, or OpenAI's with what llama.cpp and vLLM add."""
    rows = reply.get("models" if server.name == "ollama" else "data") if isinstance(reply, dict) else None
    for row in (rows if isinstance(rows, list) else [])[:MODELS_MAX]:
        name = (row.get("name") if server.name == "ollama" else row.get("id")) if isinstance(row, dict) else None
        if not isinstance(name, str) or not NAMED.fullmatch(name) or NOT_FOR_TALK.search(name):
            continue
        more = {**_dict(row.get("details")), **_dict(row.get("meta")), **row}
        params = more.get("parameter_size") or _billions(more.get("n_params"))
        yield Found(
            kind="server",
            name=f"{server.name}:{name}",
            title=server.title,
            base_url=_address(server),
            size_bytes=_count(more.get("size")),
            params=params if isinstance(params, str) else None,
            context_tokens=_count(more.get("max_model_len")) or _count(more.get("n_ctx")),
        )


def _get(server: Server, within_s: float) -> Any:
    """What the server lists, or None. Other than httpx and urllib, this never asks a proxy."""
    connection = HTTPConnection("127.0.0.1", server.port, timeout=within_s)
    try:
        connection.request("GET", server.list, headers={"Accept": "application/json"})
        response = connection.getresponse()
        return json.loads(response.read(REPLY_BYTES_MAX)) if response.status == 200 else None
    except (OSError, HTTPException, ValueError, RecursionError):
        return None
    finally:
        connection.close()


def _address(server: Server) -> str:
    return f"http://127.0.0.1:{server.port}/v1"


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


def _billions(params: Any) -> str | None:
    count = _count(params)
    return f"{count / 1e9:.3g}B" if count else None

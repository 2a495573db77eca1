"""llama.cpp in this process: one model at a time, one request at a time, each within its time."""

import atexit
import json
import os
import queue
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import cached_property
from http.client import HTTPConnection
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from weakref import WeakSet

from kb.base import BadInput, ModelFailed

BATCH_TOKENS = 256
"""Tokens of a prompt worked off at once; after each batch the time is looked at."""
LEAVE_WITHIN_S = 30.0
"""How long the end of the process waits for a batch that is being worked off."""
_ENDED = object()


class Engine:
    """One loaded model. Requests of several threads take turns.

    The library also listens on a port of the loopback; a key that nobody learns keeps others out of it.

    Args:
        path: a GGUF file.
        context_tokens: longest prompt and reply together.
        template: a chat template in the place of the file's own.

    Raises:
        BadInput: the library is not installed.
        ModelFailed: the file cannot be loaded.
    """

    def __init__(self, path: Path, context_tokens: int, template: str | None = None) -> None:
        check_installed()
        import xllamacpp

        self._key, self._turn = secrets.token_hex(32), threading.Lock()
        params = xllamacpp.CommonParams()
        params.model.path, params.n_ctx, params.n_parallel = str(path), context_tokens, 1
        params.n_batch = params.n_ubatch = BATCH_TOKENS
        params.cpuparams.n_threads, params.cpuparams_batch.n_threads = threads()
        params.n_threads_http, params.warmup, params.verbosity = 1, False, -1
        params.ui, params.endpoint_slots, params.api_keys = False, False, [self._key]
        params.cache_ram_mib, params.n_ctx_checkpoints = 0, 0
        if template is not None:
            params.chat_template = template
        try:
            self._server = xllamacpp.Server(params)
        except (RuntimeError, ValueError) as problem:
            raise ModelFailed(f"{path.name} could not be loaded: {problem}") from None
        _alive.add(self)

    @cached_property
    def calls_tools(self) -> bool:
        """Whether the model's chat template has a form for tools."""
        address = urlsplit(self._server.listening_address)
        connection = HTTPConnection(str(address.hostname), address.port, timeout=10)
        try:
            connection.request("GET", "/props", headers={"Authorization": f"Bearer {self._key}"})
            said = json.loads(connection.getresponse().read())
        except (OSError, ValueError):
            return False
        finally:
            connection.close()
        return bool(said.get("chat_template_caps", {}).get("supports_tool_calls"))

    def chunks(self, request: dict[str, Any], within_s: float) -> Iterator[dict[str, Any]]:
        """The reply to a request of OpenAI's chat completions, piece by piece.

        Whoever stops reading stops the model.

        Raises:
            ModelFailed: it did not end in time, the prompt is too long, or the library refuses the request.
        """
        until_s = time.monotonic() + within_s
        if not self._turn.acquire(timeout=max(0.0, within_s)):
            raise ModelFailed("the local model is busy with another question.")
        pieces: queue.SimpleQueue[Any] = queue.SimpleQueue()
        stopped = threading.Event()

        def heard(chunk: dict[str, Any]) -> bool:
            pieces.put(chunk)
            return stopped.is_set() or _leaving.is_set() or time.monotonic() > until_s

        def work() -> None:
            try:
                whole = {**request, "stream": True, "return_progress": True, "stream_options": {"include_usage": True}}
                self._server.handle_chat_completions(whole, heard)
                pieces.put(_ENDED)
            except Exception as problem:  # whatever the library raises belongs to the thread that waits
                pieces.put(ModelFailed(str(problem)[:300]))
            finally:
                self._turn.release()

        threading.Thread(target=work, name="local-model", daemon=True).start()
        try:
            while (piece := self._next(pieces, until_s)) is not _ENDED:
                yield piece
        finally:
            stopped.set()

    @staticmethod
    def _next(pieces: "queue.SimpleQueue[Any]", until_s: float) -> Any:
        try:
            piece = pieces.get(timeout=max(0.0, until_s - time.monotonic()))
        except queue.Empty:
            raise ModelFailed("the local model did not end in time.") from None
        if isinstance(piece, ModelFailed):
            raise piece
        if isinstance(piece, dict) and "error" in piece:
            raise ModelFailed(str(piece["error"].get("message", piece["error"]))[:300])
        return piece

    def close(self, within_s: float = -1) -> None:
        """Free its memory, once the request that runs has ended; at once where none does."""
        if self._turn.acquire(timeout=within_s):
            with suppress(AttributeError):
                del self._server
            self._turn.release()


def grammar(schema: dict[str, Any]) -> str:
    """What holds a reply to a JSON schema, without idle white space, in which a small model loses itself.

    A request could carry the schema itself, but then the library takes an older way that drops patterns.

    Raises:
        ModelFailed: the library knows no grammar for the schema.
    """
    import xllamacpp

    try:
        return str(xllamacpp.json_schema_to_grammar({**schema, "x-guidance": {"whitespace_flexible": False}}))
    except (RuntimeError, ValueError) as problem:
        raise ModelFailed(f"no reply can be held to this schema: {str(problem)[:200]}") from None


def check_installed() -> None:
    """Refuse before anything is fetched for it.

    Raises:
        BadInput: the library is not installed.
    """
    if find_spec("xllamacpp") is None:
        remedy = "pip install 'gpu-advisor[local]'"
        raise BadInput("GPU_ADVISOR_LLM", "local needs the package xllamacpp.", remedy)


_alive: WeakSet[Engine] = WeakSet()
_leaving = threading.Event()


@atexit.register
def _leave() -> None:
    """Stop what is being written: a thread that the end of Python meets inside the library takes the process down."""
    _leaving.set()
    for each in list(_alive):
        each.close(LEAVE_WITHIN_S)


_loading = threading.Lock()
_loaded: dict[tuple[Path, int, str | None], Engine] = {}


def engine(path: Path, context_tokens: int, template: str | None = None) -> Engine:
    """The engine of a file; a model that was loaded before is let go first, so that two never share the memory."""
    wanted = (path, context_tokens, template)
    with _loading:
        if wanted not in _loaded:
            while _loaded:
                _loaded.popitem()[1].close()
            _loaded[wanted] = Engine(path, context_tokens, template)
        return _loaded[wanted]


def unload() -> None:
    """Let go what is loaded."""
    with _loading:
        while _loaded:
            _loaded.popitem()[1].close()


def threads() -> tuple[int, int]:
    """Threads for writing and for reading the prompt. Writing waits for memory, and one thread more than there are
    free cores stops all the others at every layer."""
    affinity = getattr(os, "sched_getaffinity", None)
    cores = len(affinity(0)) if affinity else os.cpu_count() or 1
    return max(1, cores // 2), max(1, cores - 1)

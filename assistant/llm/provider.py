"""What stands between the agent and a language model's provider: a deadline, a bound on bytes, a circuit breaker."""

import contextvars
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from typing import Any, Literal, TypeVar

from kb.base import AdvisorError

Result = TypeVar("Result")
State = Literal["closed", "open", "half_open"]

FAILURES_MAX = 5
"""Calls that fail in a row before the provider is left alone."""
COOL_DOWN_S = 30.0
"""How long it is left alone; then one call tries it again."""
CALLS_AT_ONCE_MAX = 32
"""Threads that may wait for the provider, those included that nobody waits for any more."""
REPLY_BYTES_MAX = 4 * 2**20
"""A reply is a few kilobytes; what is larger is no answer."""
WAITED_FOR: contextvars.ContextVar[float] = contextvars.ContextVar("waited_for", default=float("inf"))
"""Until when, on the monotonic clock, somebody waits for the call that is being made."""


class ProviderUnavailable(AdvisorError):
    """The provider was not asked, or not waited for any longer."""

    code = "provider_unavailable"


class Breaker:
    """Counts failures in a row and opens after `failures_max`: from then on nobody waits for a provider that is down.

        closed ──failures──► open ──cool-down──► half open ──success──► closed
                               ▲─────────failure──────┘

    Half open lets one call through at a time. Safe between threads.
    """

    def __init__(
        self,
        failures_max: int = FAILURES_MAX,
        cool_down_s: float = COOL_DOWN_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._failures_max, self._cool_down_s, self._clock = failures_max, cool_down_s, clock
        self._access = threading.Lock()
        self._failures = 0
        self._opened_s: float | None = None
        self._trying = False

    @property
    def state(self) -> State:
        """Where it stands now."""
        with self._access:
            return self._state()

    def allows(self) -> bool:
        """Whether the provider may be asked now; a True must be followed by `succeeded` or `failed`."""
        with self._access:
            state = self._state()
            if state == "closed":
                return True
            if state == "half_open" and not self._trying:
                self._trying = True
                return True
            return False

    def succeeded(self) -> None:
        """The provider answered, whatever it said."""
        with self._access:
            self._failures, self._opened_s, self._trying = 0, None, False

    def failed(self) -> None:
        """The provider did not answer."""
        with self._access:
            self._failures += 1
            if self._trying or self._failures >= self._failures_max:
                self._opened_s = self._clock()
            self._trying = False

    def _state(self) -> State:
        if self._opened_s is None:
            return "closed"
        return "half_open" if self._clock() - self._opened_s >= self._cool_down_s else "open"


class Deadline:
    """Runs calls that may hang, each in a thread of its own, and waits for each no longer than it may take.

    A thread cannot be stopped, so one that hangs lives on until its own time-outs end it; `at_once` bounds how many
    do. The caller's context variables are seen inside.
    """

    def __init__(self, at_once: int = CALLS_AT_ONCE_MAX) -> None:
        self._places = threading.BoundedSemaphore(at_once)

    def run(self, call: Callable[[], Result], within_s: float) -> Result:
        """What `call` returns or raises.

        Raises:
            ProviderUnavailable: it took longer than `within_s`, or too many calls hang already.
        """
        if within_s <= 0:
            raise ProviderUnavailable("out of time")
        if not self._places.acquire(blocking=False):
            raise ProviderUnavailable("too many calls are waiting")
        done: Future[Result] = Future()
        context = contextvars.copy_context()
        context.run(WAITED_FOR.set, time.monotonic() + within_s)

        def work() -> None:
            try:
                done.set_result(context.run(call))
            except BaseException as problem:  # whatever it is belongs to the thread that waits
                done.set_exception(problem)
            finally:
                self._places.release()

        threading.Thread(target=work, name="language-model", daemon=True).start()
        try:
            return done.result(within_s)
        except TimeoutError:
            if done.done():  # the call's own time-out
                raise
            raise ProviderUnavailable("out of time") from None


def bounded_client(within_s: float, most_bytes: int = REPLY_BYTES_MAX) -> Any:
    """An `httpx.Client` whose replies end after `within_s` and `most_bytes`, however slowly or richly they drip.

    httpx's own read time-out begins anew with every byte. A compressed reply is refused: its size says nothing of
    what it becomes. A provider's client repeats a request that timed out; once nobody waits for the call any more
    (`Deadline`), the repetition is not sent.
    """
    import httpx

    class Body(httpx.SyncByteStream):
        def __init__(self, inner: Any, until_s: float) -> None:
            self._inner, self._until_s = inner, until_s

        def __iter__(self) -> Iterator[bytes]:
            size = 0
            for part in self._inner:
                size += len(part)
                if size > most_bytes:
                    raise httpx.ReadError(f"the reply is larger than {most_bytes:,} bytes")
                if time.monotonic() > self._until_s:
                    raise httpx.ReadTimeout("the reply did not end in time")
                yield part

        def close(self) -> None:
            self._inner.close()

    class Transport(httpx.HTTPTransport):
        def handle_request(self, request: httpx.Request) -> httpx.Response:
            if time.monotonic() >= WAITED_FOR.get():
                raise httpx.ConnectTimeout("nobody waits for this request any more", request=request)
            request.headers["Accept-Encoding"] = "identity"
            until_s = time.monotonic() + within_s
            response = super().handle_request(request)
            if response.headers.get("Content-Encoding", "identity") != "identity":
                response.close()
                raise httpx.DecodingError("the reply is compressed, which was not asked for")
            response.stream = Body(response.stream, until_s)
            return response

    return httpx.Client(transport=Transport(), timeout=within_s)

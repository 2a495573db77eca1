"""Documents that are being taken in or removed: on a thread, waited for a moment, told by a number afterwards.

A vector index is built anew and looked at in a child, which takes seconds; a request shall not.
"""

import json
import logging
import re
import secrets
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, Literal

from kb.base import AdvisorError, Frozen, IndexUnavailable
from ui.entrance import problem
from ui.serving.uploads import Added

WAIT_S, WAIT_MAX_S = 0.7, 60
"""How long a request waits for the end, unless it prefers otherwise; at most."""
RUNNING_MAX = 8
KEPT = 256
_WAIT = re.compile(r"(?:^|[,;\s])wait\s*=\s*(\d{1,4})(?!\d)", re.I)
_log = logging.getLogger(__name__)


class Taking(Frozen):
    """How far it is with a document."""

    id: str
    name: str
    state: Literal["running", "done", "failed"]
    added: Added | None = None
    """What became of one that was added."""
    problem: dict[str, Any] | None = None
    """Why it failed, as the refusal of a request says it."""


class Job:
    """Work on one document."""

    def __init__(self, name: str) -> None:
        self.id = secrets.token_hex(8)
        self.name = name
        self.future: Future[Added | None] = Future()

    def taking(self, language: str = "en") -> Taking:
        """How far it is; the refusal is in this language."""
        if not self.future.done():
            return Taking(id=self.id, name=self.name, state="running")
        if (failure := self.future.exception()) is None:
            return Taking(id=self.id, name=self.name, state="done", added=self.future.result())
        told = problem.of(failure, language=language) if isinstance(failure, AdvisorError) else problem.unforeseen()
        return Taking(id=self.id, name=self.name, state="failed", problem=json.loads(bytes(told.body)))


class Jobs:
    """Those under way, and the latest that ended. Safe between threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: dict[str, Job] = {}

    def begin(self, name: str, work: Callable[[], Added | None]) -> Job:
        """Start work on a document.

        Raises:
            IndexUnavailable: too much is under way.
        """
        job = Job(name)
        with self._lock:
            if sum(not one.future.done() for one in self._known.values()) >= RUNNING_MAX:
                raise IndexUnavailable("too many documents are being taken in; try again in a moment.")
            ended = [one.id for one in self._known.values() if one.future.done()]
            for key in ended[: max(0, len(self._known) + 1 - KEPT)]:
                del self._known[key]
            self._known[job.id] = job
        threading.Thread(target=_run, args=(job, work), name="taking", daemon=True).start()
        return job

    def find(self, key: str) -> Job | None:
        """The work of this number."""
        return self._known.get(key)


def _run(job: Job, work: Callable[[], Added | None]) -> None:
    try:
        job.future.set_result(work())
    except AdvisorError as refusal:
        job.future.set_exception(refusal)
    except Exception as failure:  # the thread's own border
        _log.exception("a document could not be taken in")
        job.future.set_exception(failure)


def waits_s(prefer: str | None) -> float:
    """How long to wait by a `Prefer: wait=…` header (RFC 7240)."""
    asked = _WAIT.search(prefer or "")
    return min(int(asked[1]), WAIT_MAX_S) if asked else WAIT_S

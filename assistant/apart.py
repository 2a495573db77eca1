"""Turns worked out in processes of their own, so that those that are remembered need not wait for the interpreter.

One thread computes at a time in a Python process: a new turn and the remembered ones that come while it is worked out
hold each other up until both take twice as long. Beside a second process each keeps a core to itself. What goes over is
the question and its reading; what comes back is the answer as it is remembered. Where no process is there, still
loading, or ends, turns are worked out here, as without it.
"""

import logging
import queue
import socket
import subprocess
import threading
import time
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING

from kb.child import environment
from kb.settings import settings

if TYPE_CHECKING:  # a server starts the processes before it loads all that
    from assistant.compose.before import Look
    from assistant.step import Step
    from assistant.told import Kept
    from assistant.work import Job, Worked

PLACES = 2
"""Turns one process works on at once: a long one does not hold up a short one."""
LOADS_WITHIN_S = 120.0
ANSWERS_WITHIN_S = 60.0
"""A process that says nothing for so long hangs, and is ended."""
REST_S, LONGEST_REST_S = 1.0, 300.0
"""Between its end and the next start; twice as long after each start that did not hold."""
HELD_S = 60.0
"""A process that ran this long did hold."""
GO, READY = "go", "ready"
"""What this process says once there is an index, and what the other says once it can work."""
logger = logging.getLogger(__name__)


class Missing(Exception):
    """No process could work it out."""


@dataclass(frozen=True)
class Order:
    """What goes over."""

    job: "Job"
    steps: bool
    """Whether somebody wants to hear of each step."""


@dataclass(frozen=True)
class Done:
    """What comes back last."""

    kept: "Kept"
    looks: "tuple[Look, ...]"
    recurs: bool


@dataclass(frozen=True)
class Wire:
    """A connection to a process, for one turn at a time."""

    connection: Connection
    process: "subprocess.Popen[bytes]"

    def said(self) -> "Step | Done | None":
        """What comes next; nothing where the process failed at the turn.

        Raises:
            EOFError, OSError: the process ended.
        """
        if not self.connection.poll(ANSWERS_WITHIN_S):
            raise EOFError
        return self.connection.recv()  # type: ignore[no-any-return]


class Apart:
    """The processes beside this one; each is started anew where it ends. Safe between threads.

    Args:
        command: what starts one; the numbers of its sockets are put behind.
        processes: how many.
        places: turns each may work on at once.
    """

    def __init__(self, command: Sequence[str], processes: int = 1, places: int = PLACES) -> None:
        self._command, self._processes, self._each = tuple(command), processes, places
        self._environment = environment(GPU_ADVISOR_HOME=str(settings().home))
        self._free: queue.SimpleQueue[Wire] = queue.SimpleQueue()
        self._running: set[subprocess.Popen[bytes]] = set()
        self._go, self._over = threading.Event(), threading.Event()
        self._tried, self._ready = threading.Event(), threading.Event()

    @property
    def places(self) -> int:
        """Turns they may work on at once."""
        return self._processes * self._each

    @property
    def pids(self) -> list[int]:
        """Their numbers."""
        return [one.pid for one in tuple(self._running)]

    def start(self) -> None:
        """Start them, and see to them from now on. They load, and wait to be told that there is an index."""
        for _ in range(self._processes):
            threading.Thread(target=self._see_to_one, name="apart", daemon=True).start()

    def go(self) -> None:
        """Tell them that the index is as it should be."""
        self._go.set()

    def ready(self, within_s: float = 0) -> bool:
        """Wait until one was ready, or failed to get so, for the first time; whether one was ready."""
        self._tried.wait(within_s)
        return self._ready.is_set()

    def stop(self) -> None:
        """End them for good."""
        self._over.set()
        self._go.set()
        for process in tuple(self._running):
            process.kill()

    def work(self, job: "Job", started: float, *, steps: bool) -> "Generator[Step, None, Worked]":
        """What `assistant.work.work` does, in another process.

        Raises:
            Missing: none is there, it failed, or it ended over this turn. Steps may have been told by then.
        """
        from assistant.finish import since
        from assistant.work import Worked

        line = self._taken()
        try:
            line.connection.send(Order(job, steps))
            while not isinstance(said := line.said(), Done | None):
                yield said
        except (EOFError, OSError) as problem:
            line.process.kill()
            raise Missing("it ended over a turn") from problem
        except GeneratorExit:  # nobody listens any more; what it still says must not be taken for the next answer
            line.process.kill()
            raise
        self._free.put(line)
        if said is None:
            raise Missing("it failed at a turn")
        told = said.kept.again(job.conversation_id, since(started))
        return Worked(told, said.kept.requests, said.looks, said.recurs)

    def _taken(self) -> Wire:
        while True:
            try:
                line = self._free.get_nowait()
            except queue.Empty:
                raise Missing("none is there") from None
            if line.process.poll() is None:
                return line
            line.connection.close()

    def _see_to_one(self) -> None:
        rest_s = REST_S
        while not self._over.is_set():
            began = time.monotonic()
            try:
                self._run_one()
            except OSError as problem:
                self._tried.set()
                logger.warning("no process could be started to work turns out: %s", problem)
            if self._over.is_set():
                return
            held = time.monotonic() - began >= HELD_S
            rest_s = REST_S if held else min(2 * rest_s, LONGEST_REST_S)
            logger.warning("a process that works turns out ended; the next starts in %g s", rest_s)
            self._over.wait(rest_s)

    def _run_one(self) -> None:
        """From its start to its end."""
        pairs = [socket.socketpair() for _ in range(self._each)]
        theirs = [there.fileno() for _, there in pairs]
        try:
            process = subprocess.Popen(  # noqa: S603 - our own command
                [*self._command, *map(str, theirs)],
                stdin=subprocess.DEVNULL,
                pass_fds=theirs,
                env=self._environment,
            )
        finally:
            for _, there in pairs:
                there.close()
        lines = [Wire(Connection(here.detach()), process) for here, _ in pairs]
        self._running.add(process)
        try:
            self._go.wait()
            if not self._over.is_set() and _is_ready(lines[0].connection):
                for line in lines:
                    self._free.put(line)
                self._ready.set()
                self._tried.set()
                process.wait()
        finally:
            self._tried.set()
            process.kill()
            process.wait()
            self._running.discard(process)


def _is_ready(connection: Connection) -> bool:
    """Whether a process that is told to go gets ready in time."""
    try:
        connection.send(GO)
        return connection.poll(LOADS_WITHIN_S) and connection.recv() == READY
    except (EOFError, OSError):
        return False

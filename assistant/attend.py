"""What a process that works turns out does (`assistant/apart.py`): one turn at a time on each of its connections."""

import logging
import threading
import time
from collections.abc import Iterable, Sequence
from multiprocessing.connection import Connection

from assistant.apart import Done, Order
from assistant.told import Kept
from assistant.understand import understand
from assistant.work import Job, Worked, work
from kb.settings import settings

logger = logging.getLogger(__name__)


def attend(connections: Sequence[Connection]) -> None:
    """Work out what comes over these connections, until the other side is gone."""
    threads = [threading.Thread(target=_attend, args=(one,), name="turn", daemon=True) for one in connections]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def rehearse(questions: Iterable[str]) -> None:
    """Work turns out for nobody, so that what the first one loads is there."""
    for question in questions:
        for _ in work(Job(question, understand(question), history=_learned()), time.perf_counter()):
            pass


def _learned() -> tuple[()] | None:
    return () if settings().reading == "learned" else None


def _attend(connection: Connection) -> None:
    try:
        while True:
            order: Order = connection.recv()
            connection.send(_done(order, connection))
    except (EOFError, OSError):  # whoever asked is gone
        return


def _done(order: Order, connection: Connection) -> Done | None:
    """What became of a turn; null where it failed, which was logged: the other side works it out then."""
    running = work(order.job, time.perf_counter())
    while True:
        try:
            step = next(running)
        except StopIteration as end:
            worked: Worked = end.value
            return Done(Kept.of(worked.told, worked.requests), worked.looks, worked.recurs)
        except Exception:  # the process's own border
            logger.exception("a turn failed")
            return None
        if order.steps:
            connection.send(step)

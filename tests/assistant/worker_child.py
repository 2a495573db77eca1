"""What stands beside a test's advisor: works turns out as a server's second process does, fails or hangs when asked to.

`python worker_child.py SOCKET…`
"""

import sys
import time
from collections.abc import Generator
from multiprocessing.connection import Connection
from typing import Any

import assistant.attend
from assistant.apart import GO, READY
from assistant.work import Job, work


def working(job: Job, started: float) -> Generator[Any, None, Any]:
    """`work`, with accidents."""
    if "fail" in job.question:
        raise ValueError("as asked")
    if "hang" in job.question:
        time.sleep(60)
    return (yield from work(job, started))


assistant.attend.work = working  # type: ignore[attr-defined]
connections = [Connection(int(one)) for one in sys.argv[1:]]
if connections[0].recv() == GO:
    connections[0].send(READY)
    assistant.attend.attend(connections)

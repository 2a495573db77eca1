"""A process that works turns out for the server beside it (`assistant/apart.py`); ends when the server does.

`python -m ui.serving.worker SOCKET…`, the numbers of sockets it was started with.
"""

import gc
import logging
import os
import signal
import sys
from collections.abc import Sequence
from multiprocessing.connection import Connection

from assistant.apart import GO, READY, Apart
from kb.base import IndexUnavailable
from kb.settings import Settings, settings, stay_offline

COMMAND = (sys.executable, "-m", "ui.serving.worker")
SWITCH_S = 0.001
"""How long one thread may keep the interpreter while others wait. A turn that is worked out holds up those that are
remembered, which ask for it anew after every statement to the database and every hop between threads; and they hold it
up, which at a fifth of this took three times its processor time."""
YOUNG_OBJECTS = 50_000
"""Objects more than were freed at which the collector looks for cycles, instead of Python's 700. A turn makes none, so
that nothing was ever found, and the caches that grow with the turns were walked again and again: a tenth of a turn."""
REHEARSED = ("Can 2×RTX 4090 run Qwen2.5-32B for 20 users?", "预算 10 万元，跑 Qwen2.5-14B，买什么卡？")
"""Turns worked out for nothing before the first: it would take six times as long as the third."""
logger = logging.getLogger(__name__)


def beside(options: Settings) -> Apart | None:
    """The processes that the settings ask for besides the server's own, not started yet; none with a language model,
    which the server waits for without computing."""
    if options.llm is not None or sys.platform == "win32":  # where a child cannot be handed a socket
        return None
    processes = options.processes or min(2, os.cpu_count() or 1)
    return Apart(COMMAND, processes - 1) if processes > 1 else None


def warm() -> None:
    """Load what the first question would wait a second for, and all who come with it."""
    from assistant.understand import understand
    from kb.retrieval.search import search

    understand("Can an RTX 4090 run Qwen2.5-7B?")
    try:
        search("GPU memory")
    except IndexUnavailable as problem:
        logger.warning("answers come without documents: %s", problem)


def settled() -> None:
    """Let the collector run, and pass by what is there: the catalog, the grammars and the index stay for good, and to
    walk them at every full round took a third of a search's time. Nothing need be collected before: of a million
    objects one in a hundred is garbage."""
    gc.freeze()
    gc.set_threshold(YOUNG_OBJECTS)
    gc.enable()


def main(arguments: Sequence[str]) -> None:
    """Load, get ready once there is an index, then work out what comes."""
    gc.disable()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C reaches both; the server ends its running turns first
    stay_offline()
    from assistant.attend import attend, rehearse
    from ui.serving.observe import set_up

    sys.setswitchinterval(SWITCH_S)
    set_up(settings())
    connections = [Connection(int(one)) for one in arguments]
    try:
        if connections[0].recv() != GO:
            return
        warm()
        rehearse(REHEARSED)
        settled()
        connections[0].send(READY)
    except (EOFError, OSError):  # the server is gone
        return
    attend(connections)


if __name__ == "__main__":
    main(sys.argv[1:])

"""The child process in which a format is parsed: little memory, little time, no network, no files.

A kilobyte of PDF, Office or HTML can cost its parser gigabytes or minutes, so none is ever parsed in the process that
serves. Reads bytes from standard input, prints JSON. Imports nothing of the advisor but the one reader it needs.
"""

import contextlib
import importlib
import json
import os
import socket
import sys
import threading
import time
from typing import Any

MEMORY_MAX_BYTES = 512 * 2**20
CPU_MAX_S = 14
WATCH_S = 0.02
REFUSED, TOO_MUCH = 3, 4
"""Exit codes: a reason was printed; memory ran out."""
READERS = {
    "html": "ingest.html",
    "pdf": "ingest.pdf",
    "docx": "ingest.office",
    "pptx": "ingest.office",
    "xlsx": "ingest.sheets",
    "csv": "ingest.sheets",
}
CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000


class Refused(Exception):
    """The document cannot be read, for the reason given: a sentence's end, like `is encrypted`."""


def main(kind: str) -> int:
    """Parse standard input as `kind`; prints `{title, date, lines}` or `{refused}`."""
    bound()
    try:
        found: dict[str, Any] = importlib.import_module(READERS[kind]).read(sys.stdin.buffer.read(), kind)
    except Refused as problem:
        found = {"refused": str(problem)}
    except (MemoryError, RecursionError):
        return TOO_MUCH
    sys.stdout.buffer.write(json.dumps(found).encode())
    return REFUSED if "refused" in found else 0


def bound() -> None:
    """Give up memory, time, files and the network for the rest of this process, as far as the system allows.

    Address space is limited where that works (Linux); elsewhere a thread watches the resident size. A network
    namespace of its own needs a kernel that grants it; sockets are refused in Python in any case.
    """
    socket.socket = _NoSocket  # type: ignore[misc]
    if sys.platform == "win32":
        return
    import resource

    for what, limit in (
        (resource.RLIMIT_AS, MEMORY_MAX_BYTES), (resource.RLIMIT_CPU, CPU_MAX_S), (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):  # fmt: skip
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(what, (limit, limit))
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            import ctypes

            ctypes.CDLL(None).unshare(CLONE_NEWUSER | CLONE_NEWNET)
    else:
        threading.Thread(target=_watch, daemon=True).start()


def _watch() -> None:
    """End the process when it has ever held more than it may; macOS does not enforce a limit of address space."""
    import resource

    while resource.getrusage(resource.RUSAGE_SELF).ru_maxrss <= MEMORY_MAX_BYTES:  # bytes there
        time.sleep(WATCH_S)
    os._exit(TOO_MUCH)


class _NoSocket(socket.socket):
    def __init__(self, *arguments: object, **options: object) -> None:
        raise OSError("a document reaches no network")


if __name__ == "__main__":
    # As `__main__` this module is a second one, whose `Refused` no reader raises.
    sys.exit(importlib.import_module("ingest.child").main(sys.argv[1]))

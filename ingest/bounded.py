"""Bytes of a format → its text lines, parsed in a child process (`child.py`) that a hostile file may ruin."""

import subprocess
import sys
import tempfile

from pydantic import ValidationError

from ingest.child import REFUSED
from kb.base import BadDocument, Frozen
from kb.child import environment

WALL_MAX_S = 15.0
TEXT_MAX = 12_000_000
"""Bytes of text, as JSON, that a document may turn into: some 4,000 pages."""
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "2"}
"""Every thread's stack and arena counts against the address space."""


class Extract(Frozen):
    """What a reader made of a document."""

    title: str = ""
    date: str | None = None
    lines: tuple[tuple[int, str, int | None], ...] = ()
    """Number of the line, its text, and the page, slide or sheet it stands on."""
    refused: str | None = None


def extract(kind: str, data: bytes, name: str) -> Extract:
    """The text of a document, or the reason why there is none.

    Raises:
        BadDocument: the reader refuses it, or ran out of memory or time.
    """
    # A folder of its own, so that whatever a parser leaves behind goes with it; the child itself may not write.
    with tempfile.TemporaryDirectory(prefix="gpu-advisor-") as scratch:
        try:
            child = subprocess.run(  # noqa: S603 - our own module, and a kind from a fixed list
                [sys.executable, "-B", "-m", "ingest.child", kind],
                input=data,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                timeout=WALL_MAX_S,
                env=environment(**ONE_THREAD, TMPDIR=scratch),
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise BadDocument(name, f"takes longer than {WALL_MAX_S:g} s to parse.") from None
    if child.returncode not in {0, REFUSED}:
        raise BadDocument(name, "needs more memory or time to parse than a document may, or is damaged.")
    if len(child.stdout) > TEXT_MAX:
        raise BadDocument(name, f"holds more than {TEXT_MAX:,} bytes of text.")
    try:
        found = Extract.model_validate_json(child.stdout)
    except ValidationError:
        raise BadDocument(name, "could not be read: its text is damaged.") from None
    if found.refused is not None:
        raise BadDocument(name, found.refused)
    return found

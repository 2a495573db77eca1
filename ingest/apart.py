"""Ingestion in a process of its own: what a server takes in leaves its memory and its turn on the processor alone.

The model that embeds passages in bulk, the building of a vector index and a document's own text take hundreds of
megabytes, which a process that has held them does not give back; questions are embedded without any of it.
"""

import json
import logging
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ingest.sync import SyncReport, ensure_bundled, is_ready, sync
from kb.base import BadDocument, BadInput, Frozen, IndexUnavailable
from kb.child import environment
from kb.index.archive import Library
from kb.settings import settings

COMMAND = (sys.executable, "-m", "ingest.apart")
WAIT_S = 900.0
"""How long a sync may take before its child is ended; what it has committed stays."""
_log = logging.getLogger(__name__)


class Apart(Frozen):
    """What a child did."""

    report: SyncReport = SyncReport()
    findings: tuple[dict[str, Any], ...] = ()
    """Claims of the document to judge, judged, and where they contradict each other."""
    unavailable: str | None = None
    """Why the index could not be written."""


def ensure_bundled_apart() -> None:
    """Have the bundled guidance in a sound index, as `ensure_bundled` does; the work is done in a child process.

    Raises:
        IndexUnavailable: the index cannot be written.
    """
    if is_ready():
        return
    done = subprocess.run(COMMAND, env=_environment(), stdin=subprocess.DEVNULL, check=False)  # noqa: S603 - our own command
    if done.returncode:
        _log.warning("the index could not be built apart (%d); building it here", done.returncode)
    ensure_bundled()  # a few hashes when the child did its work; else it says why not


def sync_apart(paths: Sequence[Path], judge: Path | None = None) -> Apart:
    """Bring the library up to date with files and folders, as `sync` does, in a child process.

    With `judge` the child also judges the claims of that document.

    Raises:
        IndexUnavailable: the library cannot be written, or the child took too much memory or time.
    """
    task = json.dumps({"paths": [str(path) for path in paths], "judge": str(judge) if judge else None})
    try:
        done = subprocess.run(  # noqa: S603 - our own command
            [*COMMAND, "sync"], env=_environment(), input=task.encode(), stdout=subprocess.PIPE, check=False,
            timeout=WAIT_S,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise IndexUnavailable(f"taking the documents in took longer than {WAIT_S:g} s.") from None
    except OSError as problem:
        raise IndexUnavailable(f"no process could be started to take the documents in: {problem}") from problem
    try:
        found = Apart.model_validate_json(done.stdout.splitlines()[-1] if done.stdout else b"")
    except ValueError:
        raise IndexUnavailable("taking the documents in failed, for want of memory or by a logged fault.") from None
    if found.unavailable is not None:
        raise IndexUnavailable(found.unavailable)
    return found


def mend_apart() -> bool:
    """Look whether the index is sound and, where it is not, have a child make it anew; says whether it is sound now.

    A home that may not be written is left as it is.

    Raises:
        IndexUnavailable: the index cannot be written.
    """
    library = Library()
    if not os.access(library.folder.parent, os.W_OK):
        return True
    if not _is_sound(library):
        _log.warning("the library is damaged; it is made anew from its documents")
        subprocess.run([*COMMAND, "mend"], env=_environment(), stdin=subprocess.DEVNULL, check=False)  # noqa: S603
    ensure_bundled_apart()
    return is_ready()


def _is_sound(library: Library) -> bool:
    library.afresh()
    try:
        return library.is_sound()
    except IndexUnavailable:
        return False


def _environment() -> dict[str, str]:
    return environment(GPU_ADVISOR_HOME=str(settings().home))


def _sync(task: dict[str, Any]) -> Apart:
    """What the child of `sync_apart` does."""
    from ingest.claims import check

    try:
        report = sync(task["paths"])
    except IndexUnavailable as problem:
        return Apart(unavailable=problem.reason)
    findings: tuple[dict[str, Any], ...] = ()
    if task["judge"] is not None:
        try:
            findings = tuple(one.model_dump(mode="json") for one in check([task["judge"]]))
        except (BadDocument, BadInput):  # the report says so, too; or it was taken away meanwhile
            findings = ()
    return Apart(report=report, findings=findings)


def main(arguments: Sequence[str]) -> None:
    """Build the first index, set a damaged one aside and build it anew, or do the sync that standard input asks for."""
    if arguments == ["mend"]:
        with Library().writer():  # the first thing a writer does is to look at every page
            pass
        ensure_bundled()
    elif arguments:
        sys.stdout.write(_sync(json.load(sys.stdin)).model_dump_json() + "\n")
    else:
        ensure_bundled()


if __name__ == "__main__":
    main(sys.argv[1:])

"""Ingest where it cannot go well: from several processes at once, on a full disk, into a home that may not be written.

    python tests/bench/reliability/index.py --processes 4

Afterwards every document must be in the index once, search must have answered all along, and what could not be written
must have been said in the words of our own errors, without a traceback. Kills and damaged files are measured by
`tests/bench/bench_ingest.py kill damage`.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from server import prepared, without_rights

INGEST = """
import sys
from ingest.sync import sync
from kb.base import AdvisorError
try:
    report = sync(sys.argv[1:])
except AdvisorError as problem:
    sys.exit(f"{problem.code}: {problem}")
print(len(report.added), len(report.failed))
"""
SEARCH = "from kb.retrieval.search import search; print(len(search('memory bandwidth of cards')))"
HELD = """
from kb.index.archive import Library
from kb.vectors.embedder import embedder
from kb.index.store import Store
from collections import Counter
names = Counter(document.path for document in Library().documents().values() if document.trust == "user")
print(len(names), max(names.values(), default=0), Store(Library(), embedder()).is_current())
"""


def documents(folder: Path, count: int) -> Path:
    """Short documents, each about something of its own."""
    folder.mkdir(parents=True)
    for number in range(count):
        text = f"# Card {folder.name}-{number}\n\nIts memory bandwidth is {300 + number} GB/s, as note {number} says.\n"
        (folder / f"{number}.md").write_text(text)
    return folder


def child(home: Path, code: str, *given: str, before: Callable[[], None] | None = None) -> "subprocess.Popen[str]":
    """A line of Python over this home."""
    known = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("GPU_ADVISOR_") or name == "GPU_ADVISOR_TODAY"
    }
    return subprocess.Popen(
        [sys.executable, "-c", code, *given], env=known | {"GPU_ADVISOR_HOME": str(home)}, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=before,
    )  # fmt: skip


def ended(process: "subprocess.Popen[str]") -> tuple[int, str]:
    """How a child ended, and its last words."""
    out, problem = process.communicate(timeout=600)
    words = (out if process.returncode == 0 else problem).strip().splitlines()
    return process.returncode, words[-1] if words else ""


def together(home: Path, folder: Path, processes: int, each: int) -> tuple[bool, str]:
    """So many processes ingest folders of their own at once, while others search."""
    known = _documents(home)
    folders = [documents(folder / f"set-{number}", each) for number in range(processes)]
    running = [child(home, INGEST, str(one)) for one in folders]
    searches = [ended(child(home, SEARCH)) for _ in range(2)]
    reports = [ended(one) for one in running]
    held = ended(child(home, HELD))[1]
    answered = sum(code == 0 and words != "0" for code, words in searches)
    written = sum(words == f"{each} 0" for _, words in reports)
    good = written == processes and answered == len(searches) and held == f"{known + processes * each} 1 True"
    told = f"{processes} processes at once: {written} wrote all of theirs, {answered}/{len(searches)} searches answered"
    return good, f"{told}; documents, copies of one, index current: {held}"


def hampered(
    home: Path, folder: Path, name: str, before: Callable[[], None], again: Callable[[], None] = lambda: None
) -> tuple[bool, str]:
    """An ingestion that cannot write, searches then and later, and the same ingestion when it can."""
    given = str(documents(folder / name.replace(" ", "-"), 5))
    held = _documents(home)
    refused, words = ended(child(home, INGEST, given, before=before))
    during = ended(child(home, SEARCH, before=before))
    again()
    after, found = ended(child(home, INGEST, given)), ended(child(home, SEARCH))
    told = refused != 0 and "index_unavailable" in words
    whole = after[0] == 0 and after[1].endswith(" 0") and _documents(home) == held + 5
    good = told and whole and all(code == 0 and said != "0" for code, said in (during, found))
    return good, (
        f"{name}: ingesting said “{words[:110]}”; search found {during[1]} then, {found[1]} later; again: {after[1]}"
    )


def _documents(home: Path) -> int:
    """Documents of people that the index holds."""
    return int(ended(child(home, HELD))[1].split()[0])


def no_larger() -> None:
    """No file may grow beyond 64 KiB, as on a disk that is all but full."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (65_536, 65_536))


def closed(home: Path) -> None:
    """Everybody may read, nobody may write."""
    for path in [home, *home.rglob("*")]:
        path.chmod(0o555 if path.is_dir() else 0o444)


def opened(home: Path) -> None:
    """The owner may write again."""
    for path in [home, *home.rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)


def measure(folder: Path, processes: int, each: int) -> Iterator[tuple[bool, str]]:
    """Whether each went well, and what it came to; the home lies in `folder`."""
    home = folder / "home"
    yield together(home, folder, processes, each)
    yield hampered(home, folder, "disk full", before=no_larger)
    closed(home)
    try:
        yield hampered(home, folder, "read-only home", without_rights, again=lambda: opened(home))
    finally:
        opened(home)


def main() -> int:
    """Print what each came to; fail when anything was lost or unsaid."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--each", type=int, default=10, help="documents a process")
    options = parser.parse_args()
    fine = True
    with tempfile.TemporaryDirectory() as name:
        home = prepared(Path(name) / "home")
        ended(child(home, "from ingest.sync import ensure_bundled; ensure_bundled()"))
        for good, told in measure(Path(name), options.processes, options.each):
            fine = fine and good
            print(told, flush=True)
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())

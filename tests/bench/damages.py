"""Every file of the index damaged in every way, one after the other: chat answers, and the next sync makes it whole.

    python tests/bench/damages.py [--piece 2/4] [--only chroma.sqlite3]

Each line says what search found at once (as before, other, none, refused, and whether it told so), how the assistant
answered, and what a sync and a search came to. The library, the index and everything else under the home's index folder
are damaged; the documents are not.
"""

import argparse
import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

DOCUMENTS = 8
WAIT_S = 240.0
ROOT = Path(__file__).resolve().parents[2]
KIB = 1024
QUERIES = ("memory bandwidth of cards", "how hot may a rack get", "which precision to serve a model in")
GENERATION = "generation"
"""Stands for the number in the directory of the Chroma index."""
FIND = f"""
import json
from kb.retrieval.search import search
print(json.dumps([[(one.document, one.line_start) for one in search(query)] for query in {QUERIES!r}]))
"""
ANSWER = """
from assistant.agent import Advisor
from kb.settings import settings
print(Advisor(settings()).ask("Can 4×3090 run Qwen2.5-72B?").verdict)
"""
MEND = """
import sys
from ingest.sync import sync
from kb.index.archive import Library
from kb.vectors.embedder import embedder
from kb.index.store import Store
report = sync([sys.argv[1]], only=True)
print(len(report.failed), Store(Library(), embedder()).is_current())
"""
DAMAGES: dict[str, Callable[[bytes], bytes | None]] = {
    "empty": lambda data: b"",
    "half": lambda data: data[: len(data) // 2],
    "zeroed third": lambda data: data[: len(data) // 3] + bytes(len(data) // 3) + data[2 * (len(data) // 3) :],
    "zeroed end": lambda data: data[: -(len(data) // 4 or 1)] + bytes(len(data) // 4 or 1),
    "garbage at its head": lambda data: bytes(byte ^ 0x5A for byte in data[: 4 * KIB]) + data[4 * KIB :],
    "garbage everywhere": lambda data: bytes(byte ^ 0x5A for byte in data),
    "one byte": lambda data: (
        data[: len(data) // 2]
        + bytes(byte ^ 0x10 for byte in data[len(data) // 2 : len(data) // 2 + 1])
        + data[len(data) // 2 + 1 :]
    ),
    "longer": lambda data: data + b"\xa5" * 64 * KIB,
    "missing": lambda data: None,
}
"""What becomes of a file's bytes; nothing for a file that goes."""
Found = list[list[list[str | int]]]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one damage did."""

    name: str
    at_once: str
    """`as before`, `other`, `none`, `refused` (in our own words), or how the process ended."""
    told: bool
    """Whether a warning was logged."""
    verdict: str
    mended: bool
    note: str

    @property
    def good(self) -> bool:
        """Answered at once, nothing wrong in silence, and whole afterwards."""
        answered = self.at_once == "as before" or (self.at_once in {"other", "none", "refused"} and self.told)
        return answered and self.verdict == "fits_with_changes" and self.mended

    def __str__(self) -> str:
        told = ", told" if self.told else ""
        mended = "whole" if self.mended else f"NOT WHOLE: {self.note}"
        return f"{'ok ' if self.good else 'BAD'} {self.name}: at once {self.at_once}{told}; {self.verdict}; {mended}"


def damages(folder: Path, piece: tuple[int, int] = (1, 1), only: str = "") -> Iterator[Outcome]:
    """Outcomes in the order of the files; the home and its documents lie in `folder`, and are made there."""
    from kb.index.archive import Library
    from kb.index.store import current

    documents = folder / "documents"
    index = Library().folder
    _child(MEND, documents)
    sound, _ = _found()
    kept = folder / "kept"
    shutil.rmtree(kept, ignore_errors=True)
    shutil.copytree(index, kept)
    generation = current(kept)
    directory = generation.directory if generation else ""
    files = sorted(str(path.relative_to(kept)) for path in kept.rglob("*") if path.is_file())
    files = [name for name in files if not name.endswith((".lock", ".new", ".set-aside"))]
    cases = [(name, way) for name in files for way in DAMAGES] + [(directory, "missing"), (".", "missing")]
    cases = [case for case in cases if only in " ".join(case)]
    for name, way in islice(cases, piece[0] - 1, None, piece[1]):
        shutil.rmtree(index)
        shutil.copytree(kept, index)
        spoil(index / name, way)
        found, told = _found()
        verdict = _child(ANSWER)[0]
        mended, _ = _child(MEND, documents)
        again, _ = _found()
        yield Outcome(
            f"{Path(name).name} {way}", compared(found, sound), told, verdict, mended == "0 True" and again == sound,
            f"sync {mended!r}, then {compared(again, sound)}",
        )  # fmt: skip


def spoil(path: Path, way: str) -> None:
    """Damage a file, or take a folder away."""
    if path.is_dir():
        shutil.rmtree(path)
        return
    made = DAMAGES[way](path.read_bytes())
    if made is None:
        path.unlink()
    else:
        path.write_bytes(made)


def compared(found: Found | str, sound: Found | str) -> str:
    """What a search came to beside what it comes to in a sound index."""
    if isinstance(found, str):
        return found
    return "as before" if found == sound else "other" if any(found) else "none"


def _found() -> tuple[Found | str, bool]:
    """What search finds, or how it ended; and whether it warned."""
    said, warnings = _child(FIND)
    try:
        found: Found = json.loads(said)
    except ValueError:
        return ("refused" if "IndexUnavailable: " in said else said), bool(warnings)
    return found, bool(warnings)


def _child(code: str, *given: Path) -> tuple[str, str]:
    """What a line of Python prints, or how it ended, and what it logged; a damaged index may crash it."""
    try:
        done = subprocess.run(
            [sys.executable, "-c", code, *map(str, given)], cwd=ROOT, capture_output=True, text=True, check=False,
            timeout=WAIT_S,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return f"takes longer than {WAIT_S:g} s", ""
    said = done.stdout.strip() if done.returncode == 0 else f"exit {done.returncode}: {done.stderr.strip()[-200:]}"
    return said, done.stderr.strip()


def measure(folder: Path, piece: tuple[int, int] = (1, 1), only: str = "") -> bool:
    """Print each outcome as it is known, and what they come to."""
    outcomes = []
    for one in damages(folder, piece, only):
        outcomes.append(one)
        print(one, flush=True)
    good = sum(one.good for one in outcomes)
    ways = {way: sum(one.at_once == way for one in outcomes) for way in ("as before", "other", "none", "refused")}
    print(f"{len(outcomes)} damages, piece {piece[0]} of {piece[1]}: {good} good; at once {ways}, "
          f"whole after a sync {sum(one.mended for one in outcomes)}")  # fmt: skip
    return bool(outcomes) and good == len(outcomes)


def parts(text: str) -> tuple[int, int]:
    """`2/4` as the second of four pieces."""
    number, _, of = text.partition("/")
    piece = int(number), int(of or 1)
    if not 1 <= piece[0] <= piece[1]:
        raise argparse.ArgumentTypeError(f"{text} is no piece: write 2/4 for the second of four")
    return piece


def main() -> int:
    """Run one piece in a home of its own; fail when a damage did harm."""
    from bench_ingest import corpus, home

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--piece", type=parts, default=(1, 1), help="such as 2/4; every fourth damage from the second")
    parser.add_argument("--only", default="", help="those whose name holds this")
    options = parser.parse_args()
    with home() as place:
        corpus(place / "documents", DOCUMENTS)
        return 0 if measure(place, options.piece, options.only) else 1


if __name__ == "__main__":
    sys.exit(main())

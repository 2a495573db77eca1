"""Keep a server busy and watch what it holds: memory, descriptors, threads and temporary files must not grow.

    python tests/bench/reliability/soak.py --minutes 30

First new questions, then the same talk, in a hurry, so that the caches, which are bounded, are full: some thousand
turns fill that of whole ones. Then samples every second; growth is the slope of a straight line through the samples
after a third of the time. Also prints the time from start to ready and to the first answer.
"""

import argparse
import json
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from load import Tally, drive, turns
from questions import novel, recurring
from server import Server, prepared, serving

MEBIBYTE = 2**20
WARMING = 4
"""Clients that fill the caches before."""
PLACES = 2
"""Those who ask what is new meanwhile: as many as are answered at once."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One look at the server."""

    at_s: float
    memory_bytes: int
    descriptors: int
    threads: int
    files: int
    """Temporary files of the server."""


def sample(server: Server, started: float, scratch: Path) -> Sample:
    """What the server holds now."""
    files = sum(1 for _ in scratch.rglob("*"))
    return Sample(time.monotonic() - started, server.anonymous_bytes(), server.descriptors(), server.threads(), files)


def slope(samples: list[Sample], what: str) -> float:
    """Growth a second, by least squares."""
    times, values = [one.at_s for one in samples], [float(getattr(one, what)) for one in samples]
    middle, mean = sum(times) / len(times), sum(values) / len(values)
    spread = sum((moment - middle) ** 2 for moment in times)
    together = sum((moment - middle) * (value - mean) for moment, value in zip(times, values, strict=True))
    return together / max(spread, 1e-9)


def watch(server: Server, scratch: Path, seconds: float, clients: int) -> tuple[list[Sample], Tally]:
    """Load for so long, with a sample every second."""
    samples: list[Sample] = []
    over = threading.Event()
    started = time.monotonic()

    def look() -> None:
        while not over.wait(1.0):
            samples.append(sample(server, started, scratch))

    watcher = threading.Thread(target=look, daemon=True)
    watcher.start()
    tally, _ = drive(server.port, "/v1/ask", turns(recurring, 99, continued=True), clients, seconds, think_s=1.0)
    over.set()
    watcher.join()
    return samples, tally


def main() -> int:
    """Print first, last and growth of each; fail when something grew."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=0.5)
    parser.add_argument("--clients", type=int, default=2)
    parser.add_argument(
        "--warm-s", type=float, default=None, help="seconds of hurry before; a tenth of the time if unsaid"
    )
    options = parser.parse_args()
    options.warm_s = min(options.minutes * 6, 180) if options.warm_s is None else options.warm_s
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder) / "tmp"
        scratch.mkdir()
        with serving(prepared(Path(folder) / "home"), {"TMPDIR": str(scratch)}) as server:
            asked = time.monotonic()
            server.post("/v1/ask", json.dumps({"question": "Can 4×3090 run Qwen2.5-72B?"}).encode())
            first_s = time.monotonic() - asked
            print(f"ready after {server.started_s:.1f} s, first answer {first_s:.1f} s later")
            if options.warm_s:
                drive(server.port, "/v1/ask", turns(novel, 7), PLACES, options.warm_s * 3 / 4)
                drive(server.port, "/v1/ask", turns(recurring, 7, continued=True), WARMING, options.warm_s / 4)
                print(f"{server.memory_bytes() / MEBIBYTE:.0f} MiB when warm")
            samples, tally = watch(server, scratch, options.minutes * 60, options.clients)
    settled = samples[len(samples) // 3 :]
    minutes = max(options.minutes * 2 / 3, 1e-9)
    print(f"{len(tally.times_s)} turns, statuses {tally.statuses}")
    grew = {}
    for what, unit in (("memory_bytes", MEBIBYTE), ("descriptors", 1), ("threads", 1), ("files", 1)):
        first, last = (getattr(one, what) / unit for one in (settled[0], settled[-1]))
        grew[what] = slope(settled, what) * 600 / unit
        print(f"{what:14} {first:9.1f} → {last:9.1f}   {grew[what]:+8.2f} in 10 minutes")
    # A short run measures warming up, not growth: only what is counted in pieces is judged there.
    steady = grew["memory_bytes"] <= 1.0 if minutes >= 10 else True
    counted = ("descriptors", "threads", "files")
    pieces = all(getattr(settled[-1], what) <= getattr(settled[0], what) + 8 for what in counted)
    return 0 if steady and pieces and set(tally.statuses) == {200} else 1


if __name__ == "__main__":
    sys.exit(main())

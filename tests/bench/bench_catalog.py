"""Times of the catalog: each table read in a process of its own, each look-up warm.

Run with: python tests/bench/bench_catalog.py. It prints the median and the worst of every measure beside its limit, and
ends with status 1 when a median is over it: 150 ms to read a table, 1 ms to look a name up.
"""

import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
READ_S, LOOK_UP_S = 0.150, 0.001
READS, ROUNDS = 5, 200
TABLES = {
    "GPUs": "from kb.catalog import gpus as read",
    "offers": "from kb.catalog import offers as read",
    "servers": "from kb.catalog import servers as read",
    "parts": "from kb.market.components import components as read",
    "models": "from kb.models import models as read",
}
TIMED = "import time; {read}; start = time.perf_counter(); read(); print(time.perf_counter() - start)"


def main() -> int:
    """Print every measure; 1 when a median is over its limit."""
    late = 0
    for name, read in TABLES.items():
        late += told(f"read {name}", [read_once(read) for _ in range(READS)], READ_S)
    for name, look_up in look_ups().items():
        look_up()
        late += told(name, [timed(look_up) for _ in range(ROUNDS)], LOOK_UP_S)
    return int(late > 0)


def read_once(read: str) -> float:
    """Seconds to read one table in a fresh process, imports apart."""
    done = subprocess.run(
        [sys.executable, "-c", TIMED.format(read=read)], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return float(done.stdout)


def timed(look_up: Callable[[], object]) -> float:
    start = time.perf_counter()
    look_up()
    return time.perf_counter() - start


def told(name: str, taken: list[float], limit: float) -> bool:
    """Print one row; whether its median is over the limit."""
    middle = statistics.median(taken)
    print(f"{name:44}{middle * 1000:9.3f} ms{max(taken) * 1000:9.3f} ms   limit {limit * 1000:g} ms")
    return middle > limit


def look_ups() -> dict[str, Callable[[], object]]:
    """One look-up of each kind, with names as people write them."""
    from kb.catalog import gpu, gpu_ids, server
    from kb.market.components import component
    from kb.market.offers import current_offers
    from kb.models import model
    from tools.offer_match import instances

    return {
        "gpu: id": lambda: gpu("h100-sxm-80gb"),
        "gpu: as written": lambda: gpu("微星 RTX 4090 超龙"),
        "gpu: of several": lambda: gpu_ids("A100"),
        "model: id": lambda: model("Qwen/Qwen2.5-7B-Instruct"),
        "model: as written": lambda: model("llama 3.1 70b"),
        "server": lambda: server("DGX H100"),
        "part": lambda: component("EPYC 9354P"),
        "instance": lambda: instances("p5.48xlarge", current_offers()),
    }


if __name__ == "__main__":
    sys.exit(main())

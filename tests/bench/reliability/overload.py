"""Ask far more than can be worked out: whoever is let in is answered soon, the rest is told at once to come again.

    python tests/bench/reliability/overload.py --clients 300 --seconds 30

Ever new sizing questions, each client asking again as soon as it hears, refused or not. Only 200, 429 and 503 may come
back, the refusals with Retry-After, and what was answered within a second at p99 (judged on an otherwise idle machine:
`--within` sets another bound). Afterwards a question must be answered as fast as before.
"""

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path

from load import drive, turns
from questions import novel
from server import Server, prepared, serving

WITHIN_S = 1.0
QUESTION = json.dumps({"question": "Can 4×3090 run Qwen2.5-72B?"}).encode()


def calm_s(server: Server) -> float:
    """How long a recurring question takes, at the best of five."""
    times = []
    for _ in range(5):
        started = time.monotonic()
        server.post("/v1/ask", QUESTION)
        times.append(time.monotonic() - started)
    return min(times)


def main() -> int:
    """Print what came back; fail when anything else than an answer or a refusal did, or too late."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clients", type=int, default=300)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--within", type=float, default=WITHIN_S)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, serving(prepared(Path(folder) / "home")) as server:
        drive(server.port, "/v1/ask", turns(novel, 7), 2, min(options.seconds, 5))
        before = calm_s(server)
        tally, elapsed_s = drive(server.port, "/v1/ask", turns(novel, 1000), options.clients, options.seconds, 0.05)
        after = calm_s(server)
    print(f"{'':46} {'1/s':>8} {'p50 ms':>8} {'p95 ms':>8} {'p99 ms':>8} {'other':>6}")
    print(tally.line(f"{options.clients} clients that do not wait", elapsed_s))
    good = sorted(tally.times_s)
    slowest = good[int(0.99 * (len(good) - 1))] if good else float("inf")
    print(f"statuses {tally.statuses}, refusals without Retry-After {tally.hurried}")
    print(f"a recurring question before and after: {before * 1e3:.1f} and {after * 1e3:.1f} ms")
    told = set(tally.statuses) <= {200, 429, 503} and not tally.hurried
    return 0 if told and slowest <= options.within and after <= max(3 * before, 0.1) else 1


if __name__ == "__main__":
    sys.exit(main())

"""Ask far more than can be worked out: whoever is let in is answered soon, the rest is told to come again.

    python tests/bench/reliability/overload.py --clients 300 --seconds 30
    python tests/bench/reliability/overload.py --seconds 3        in short

Ever new sizing questions, each client asking again as soon as it hears, refused or not. Only 200, 429 and 503 may come
back, the refusals with Retry-After, and what was answered within a second at p99 (judged on an otherwise idle machine:
`--within` sets another bound). Refusing may not take the processor from answering: per second of the server's
processor time about as many are answered as when one client asks alone, which holds on a busy machine too. Afterwards
a question must be answered as fast as before.
"""

import argparse
import json
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path

from load import drive, turns
from questions import novel
from server import Server, prepared, serving

WITHIN_S = 1.0
LEAST_RATIO = 0.5
"""Of the answers a second of processor time; the rest reads and refuses."""
QUESTION = json.dumps({"question": "Can 4×3090 run Qwen2.5-72B?"}).encode()
ASK = "/v1/ask"


def calm_s(server: Server) -> float:
    """How long a recurring question takes, at the best of five."""
    times = []
    for _ in range(5):
        started = time.monotonic()
        server.post(ASK, QUESTION)
        times.append(time.monotonic() - started)
    return min(times)


def main() -> int:
    """Print what came back; fail when anything else than an answer or a refusal did, too late or at too high a cost."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clients", type=int, default=300)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--within", type=float, default=WITHIN_S)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, serving(prepared(Path(folder) / "home")) as server:
        drive(server.port, ASK, turns(novel, 7), 2, min(options.seconds, 5))
        before, used = calm_s(server.settled()), [server.processor_s()]
        alone, alone_s = drive(server.port, ASK, turns(novel, 500), 1, options.seconds)
        used.append(server.processor_s())
        tally, elapsed_s = drive(server.port, ASK, turns(novel, 1000), options.clients, options.seconds, 0.05)
        used.append(server.processor_s())
        after = calm_s(server)
    print(f"{'':46} {'1/s':>8} {'p50 ms':>8} {'p95 ms':>8} {'p99 ms':>8} {'other':>6}")
    print(alone.line("1 client", alone_s))
    print(tally.line(f"{options.clients} clients that do not wait", elapsed_s))
    good = sorted(tally.times_s)
    slowest = good[int(0.99 * (len(good) - 1))] if good else float("inf")
    print(f"statuses {tally.statuses}, refusals without Retry-After {tally.hurried}")
    spent = [max(end - start, 0.01) for start, end in pairwise(used)]
    rates = [len(row.times_s) / each for row, each in zip((alone, tally), spent, strict=True)]
    print(f"answered a second of processor time: {rates[0]:.1f} alone, {rates[1]:.1f} overloaded")
    print(f"a recurring question before and after: {before * 1e3:.1f} and {after * 1e3:.1f} ms")
    told = set(tally.statuses) <= {200, 429, 503} and not tally.hurried
    soon = slowest <= options.within and after <= max(3 * before, 0.1)
    return 0 if told and soon and rates[1] >= LEAST_RATIO * rates[0] else 1


if __name__ == "__main__":
    sys.exit(main())

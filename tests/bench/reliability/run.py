"""Run every measurement of reliability, each in a process of its own and within its time.

make reliability               in short: a smoke test of each, minutes in all
make reliability ARGS=--long   the figures of docs/performance.md and docs/operations.md: some two hours
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

FOLDER = Path(__file__).parent
INGEST = "../bench_ingest.py"
MEASUREMENTS: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...] = (
    ("faults.py", ("--times", "1", "--only", "4"), ("--times", "25")),
    ("fuzz.py", ("--cases", "120", "--raw", "300"), ("--cases", "10000", "--raw", "2500")),
    ("injection.py", ("--attacks", "48", "--twins", "8"), ("--attacks", "420", "--twins", "100")),
    ("survive.py", ("--kills", "1"), ("--kills", "50")),
    ("index.py", ("--processes", "2", "--each", "3"), ("--processes", "4")),
    (INGEST, ("kill", "--kills", "1"), ("kill", "damage", "--kills", "50")),
    ("workers.py", ("--conversations", "2", "--turns", "2"), ()),
    ("workers.py", ("--postgres", "--conversations", "2", "--turns", "2"), ("--postgres",)),
    (
        "load.py",
        ("--seconds", "2", "--conversations", "10", "--think", "1"),
        ("--seconds", "20", "--conversations", "50", "500"),
    ),
    ("overload.py", ("--seconds", "3"), ("--seconds", "30")),
    ("soak.py", ("--minutes", "0.15"), ("--minutes", "30")),
)
"""Script, what it is given in short and in long."""
SHORT_S, LONG_S = 150.0, 3600.0
"""After so long a measurement is ended and counts as failed."""


def main() -> int:
    """Run them one after another; fail when one did."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--only", default="", help="those whose name holds this")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        index(Path(folder))
        failed = measure(options)
    print(f"failed: {', '.join(failed)}" if failed else "all good")
    return 1 if failed else 0


def index(folder: Path) -> None:
    """Build the index of the packaged guidance once for all of them."""
    os.environ["GPU_ADVISOR_HOME"] = str(folder)
    from ingest.sync import ensure_bundled

    ensure_bundled()
    os.environ["RELIABILITY_INDEX"] = str(folder / "index")


def measure(options: argparse.Namespace) -> list[str]:
    """Those that failed."""
    failed = []
    for script, short, long in MEASUREMENTS:
        if options.only not in script:
            continue
        arguments = long if options.long else short
        print(f"── {script} {' '.join(arguments)}", flush=True)
        started = time.monotonic()
        try:
            command = [sys.executable, str(FOLDER / script), *arguments]
            code = subprocess.run(command, timeout=LONG_S if options.long else SHORT_S, check=False).returncode
        except subprocess.TimeoutExpired:
            code = 124
        if code:
            failed.append(script)
        print(f"   {'failed' if code else 'good'} in {time.monotonic() - started:.0f} s", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())

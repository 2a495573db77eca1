"""Deliberate faults in the solvers, one at a time: how many of them the tests of each room notice.

    python tests/bench/mutate_tools.py                                     216 faults over six rooms
    python tests/bench/mutate_tools.py --rooms cost power --each 60 --to found.jsonl
    python tests/bench/mutate_tools.py --again found.jsonl                 those that survived, with today's tests

The tree is copied to a temporary folder. One run of a room's tests there notes which test enters which function and how
long it takes; then every fault of a seeded sample is made alone, and the tests that enter its function are run until
the first failure, the shortest first and no more than fit into `--most-s` seconds. A fault that makes them take far
longer than they do counts as noticed. Each run
is a fork of this process, which has read the libraries and the facts already. `--whole` tries what survived against all
tests of its room, as a result that is remembered hides from later tests what it rests on.
"""

import argparse
import compileall
import json
import math
import os
import random
import shutil
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import asdict
from itertools import accumulate
from pathlib import Path
from py_compile import PycInvalidationMode

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests" / "bench"))

from mutating.code import Fault, faults  # noqa: E402 - found through the path above
from mutating.forked import Run, in_fork, warmed  # noqa: E402

ROOMS = ("ways_to_run", "ways_to_train", "cost", "memory", "speed", "observation")
COPIED = ("assistant", "ingest", "kb", "tools", "ui", "tests", "pyproject.toml")
EACH, SEED = 36, 24
LEAST_S, TIMES = 20.0, 4.0
"""A run is stopped after so many seconds, or so many times what its tests take without a fault."""
EVERY_S = 300.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Print what each fault came to, then a table by room."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rooms", nargs="*", default=ROOMS)
    parser.add_argument("--each", type=int, default=EACH, help="faults in each room")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--most-s", type=float, default=math.inf, help="seconds of tests for one fault")
    parser.add_argument("--to", type=Path, help="a file for one line of JSON a fault")
    parser.add_argument("--again", type=Path, help="such a file: only what survived in it")
    parser.add_argument("--whole", action="store_true", help="try what survives against all tests of the room")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as made:
        folder = _copied(Path(made))
        warmed(folder)
        wanted = _survivors(options.again) if options.again else None
        rooms = sorted({file.split("/")[1] for file, *_ in wanted}) if wanted is not None else options.rooms
        rows = []
        for room in rooms:
            chosen = _sample(folder, room, options.each, options.seed, wanted)
            rows += _tried(folder, room, chosen, options)
    _table(rows)
    return 0


def _copied(folder: Path) -> Path:
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, folder / name)
    # Compiled files are held to the text of their source, not to its time: a fault may keep both time and length.
    for name in ("kb", "tools", "assistant", "ingest"):
        compileall.compile_dir(folder / name, quiet=2, invalidation_mode=PycInvalidationMode.CHECKED_HASH)
    sys.dont_write_bytecode = True
    return folder


def _survivors(path: Path) -> list[tuple[str, str, str, str]]:
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    return [(one["file"], one["within"], one["before"], one["after"]) for one in rows if one["outcome"] == "survived"]


def _sample(
    folder: Path, room: str, each: int, seed: int, wanted: list[tuple[str, str, str, str]] | None
) -> list[tuple[Fault, str]]:
    """So many faults of a room, drawn evenly over all its places, or those that are wanted."""
    every = []
    for path in sorted((folder / "tools" / room).rglob("*.py")):
        every += faults(str(path.relative_to(folder)), path.read_text())
    if wanted is not None:
        left = Counter(wanted)
        return [one for one in every if left[one[0].key] > 0 and not left.subtract([one[0].key])]
    return random.Random(f"{seed}{room}").sample(every, min(each, len(every)))


def _tried(
    folder: Path, room: str, chosen: list[tuple[Fault, str]], options: argparse.Namespace
) -> list[tuple[Fault, str]]:
    tests = f"tests/tools/{room}"
    seen = in_fork(Run(folder, [tests], trace=f"{folder}/tools/{room}/"), limit_s=1800)
    if seen.outcome != "passed":
        raise SystemExit(f"the tests of {room} fail without any fault:\n{seen.told[-2000:]}")
    entered: dict[tuple[str, str], set[str]] = defaultdict(set)
    for test, places in seen.entered.items():
        for place in places:
            entered[tuple(place)].add(test)
    print(f"{room}: {len(seen.took)} tests in {sum(seen.took.values()):.0f} s, {len(chosen)} faults", flush=True)
    rows = []
    for fault, code in chosen:
        began = time.monotonic()
        covering = set(seen.took) if not fault.within else entered[fault.file, fault.within.rpartition(".")[2]]
        outcome, by = _tried_one(folder, fault, code, _within(covering, seen.took, options.most_s), seen.took)
        if outcome == "survived" and options.whole and set(seen.took) - covering:
            outcome, by = _tried_one(folder, fault, code, set(seen.took) - covering, seen.took)
        rows.append((fault, outcome))
        where = f"{fault.file}:{fault.line} {fault.within} {fault.kind}"
        took_s = time.monotonic() - began
        print(f"  {outcome:<9}{took_s:5.0f} s  {where}: {fault.before!r} → {fault.after!r}  {by}", flush=True)
        if options.to is not None:
            with options.to.open("a") as out:
                out.write(json.dumps({**asdict(fault), "outcome": outcome, "by": by}, ensure_ascii=False) + "\n")
    return rows


def _within(tests: set[str], took: dict[str, float], most_s: float) -> set[str]:
    """The shortest of these tests that together take at most `most_s` seconds, one at the least."""
    order = sorted(tests, key=took.__getitem__)
    ends = list(accumulate(took[one] for one in order))
    return {one for one, end in zip(order, ends, strict=True) if end <= most_s or one == order[0]}


def _tried_one(folder: Path, fault: Fault, code: str, tests: set[str], took: dict[str, float]) -> tuple[str, str]:
    """killed, survived, or uncovered where no test enters the function."""
    if not tests:
        return "survived", "no test enters it"
    path = folder / fault.file
    right = path.read_text()
    path.write_text(code)
    try:
        usual = sum(took[one] for one in tests)
        order = sorted(tests, key=took.__getitem__)
        done = in_fork(Run(folder, order), limit_s=min(EVERY_S, max(LEAST_S, TIMES * usual)))
    finally:
        path.write_text(right)
    if done.outcome == "passed":
        return "survived", f"{len(tests)} tests"
    return "killed", done.first or done.outcome


def _table(rows: list[tuple[Fault, str]]) -> None:
    for title, of in (("room", lambda one: one.file.split("/")[1]), ("kind of fault", lambda one: one.kind)):
        tally: dict[str, Counter[str]] = defaultdict(Counter)
        for fault, outcome in rows:
            tally[of(fault)][outcome] += 1
        print(f"\n{title:<18}{'faults':>8}{'killed':>8}{'survived':>10}{'share':>8}")
        for name, found in (*sorted(tally.items()), ("all", sum(tally.values(), Counter()))):
            many = sum(found.values())
            share = found["killed"] / many if many else 0
            print(f"{name:<18}{many:>8}{found['killed']:>8}{found['survived']:>10}{share:>8.0%}")


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    sys.exit(main())

"""Score whole turns on the questions of tests/cases: what was understood, whether every number is traced, how long.

    make eval                     every question
    make eval ARGS="--only 3090"  those whose text holds "3090"

Prints one row a group (all, by language, by intent): slots right, intent right, groundedness, lines removed for an
untraced number, and the median time of reading and of a whole planner turn, retrieval included.
"""

import argparse
import importlib.util
import os
import sys
import tempfile
import time
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from types import ModuleType
from typing import Any

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Row:
    """One question's outcome."""

    right: int
    wanted: int
    intent: bool | None
    numbers: int
    grounded: int
    removed: bool
    reading_s: float
    turn_s: float
    wrong: tuple[str, ...]


def expectations() -> ModuleType:
    """The module that knows how an expected slot is compared; the tests use the same."""
    path = ROOT / "tests" / "assistant" / "understand" / "test_questions.py"
    spec = importlib.util.spec_from_file_location("expectations", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run(case: dict[str, Any], advisor: Any, know: ModuleType) -> Row:
    """Ask one question and compare."""
    from assistant.understand import understand

    started = time.perf_counter()
    read = understand(case["q"])
    reading_s = time.perf_counter() - started
    answer = advisor.ask(case["q"])
    wrong = []
    for slot, value in case.get("need", {}).items():
        try:
            know.check({"need": {slot: value}, "unknown": case.get("unknown", []), **scope(case)}, read)
        except AssertionError as problem:
            wrong.append(f"{slot}: {str(problem).splitlines()[0] if str(problem) else value}")
    intents = case.get("intent")
    accepted = intents if isinstance(intents, list) else [intents]
    return Row(
        right=len(case.get("need", {})) - len(wrong),
        wanted=len(case.get("need", {})),
        intent=None if intents is None else read.need.intent in accepted,
        numbers=answer.grounding.numbers,
        grounded=answer.grounding.grounded,
        removed=any("could not be traced" in warning for warning in answer.warnings),
        reading_s=reading_s,
        turn_s=answer.elapsed_s,
        wrong=tuple(wrong),
    )


def scope(case: dict[str, Any]) -> dict[str, Any]:
    """What the comparison needs beside the one slot."""
    return {"out_of_scope": case.get("out_of_scope", False)}


def line(name: str, rows: list[Row]) -> str:
    """One group of the table."""
    wanted, intents = sum(row.wanted for row in rows), [row.intent for row in rows if row.intent is not None]
    numbers = sum(row.numbers for row in rows)
    cells = [
        f"{len(rows):5d}",
        f"{sum(row.right for row in rows) / wanted:8.1%}" if wanted else "       –",
        f"{sum(intents) / len(intents):8.1%}" if intents else "       –",
        f"{sum(row.grounded for row in rows) / numbers:9.1%}" if numbers else "        –",
        f"{sum(row.removed for row in rows):8d}",
        f"{median(row.reading_s for row in rows) * 1e3:9.1f}",
        f"{median(row.turn_s for row in rows) * 1e3:8.1f}",
    ]
    return f"{name:24}" + "".join(cells)


def main() -> int:
    """Run, print, and fail when something is ungrounded."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="only questions that hold this text")
    parser.add_argument("--wrong", action="store_true", help="list the slots that were misread")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        os.environ["GPU_ADVISOR_HOME"] = home
        sys.path.insert(0, str(ROOT))
        from ui.service import advisor

        know = expectations()
        groups: dict[str, list[Row]] = defaultdict(list)
        for case in know.load("questions.yaml"):
            if options.only not in case["q"]:
                continue
            row = run(case, advisor(), know)
            intent = case.get("intent")
            for group in (
                "all",
                f"language {case['lang']}",
                f"intent {intent[0] if isinstance(intent, list) else intent}",
            ):
                groups[group].append(row)
            if options.wrong and row.wrong:
                print(f"{case['q'][:90]}\n    " + "; ".join(row.wrong))
        print(f"{'':24}{'n':>5}{'slots':>8}{'intent':>8}{'grounded':>9}{'removed':>8}{'read ms':>9}{'turn ms':>8}")
        for name in sorted(groups, key=lambda key: (key != "all", key)):
            print(line(name, groups[name]))
        whole = groups["all"]
        return int(sum(row.numbers for row in whole) != sum(row.grounded for row in whole))


if __name__ == "__main__":
    sys.exit(main())

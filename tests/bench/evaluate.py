"""Score whole turns on the questions of tests/cases: what was understood, decided and traced, and how long it took.

    make eval                             every question
    make eval ARGS="--only 3090 --wrong"  those whose text holds "3090", listing what went wrong
    make eval ARGS="--file questions_last.yaml"

Prints one row a group (all, by language, by intent): slot F1, and the shares of questions with the right intent, the
right verdict and key figure, the tools called that had to be, a question asked back where one is due, nothing
forbidden said; numbers traced to a source; the median time of reading and of a whole planner turn, retrieval included.
"""

import argparse
import os
import sys
import tempfile
import time
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from expectations import FILES, Judgement, judge, language, load, turns

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class Row:
    """One question's outcome."""

    judged: Judgement
    numbers: int
    grounded: int
    removed: bool
    """Whether a line was taken out because a number of it could not be traced."""
    reading_s: float
    turn_s: float


def run(case: dict[str, Any], advisor: Any) -> Row:
    """Ask the question, turn by turn, and hold the last answer against what is expected."""
    from assistant.phrases import phrases
    from assistant.understand import understand
    from assistant.understand.dialogue import fold

    needs: list[Any] = []
    removed = False
    conversation, answer, read, seconds = None, None, None, 0.0
    for turn in turns(case):
        answer = advisor.ask(turn, conversation)
        told = phrases(answer.language)("state.removed", numbers="")[:5]
        removed = removed or any(warning.startswith(told) for warning in answer.warnings)
        previous = needs[-1] if needs else None
        started = time.perf_counter()
        fold(turn, previous)
        seconds = time.perf_counter() - started
        read = understand(turn, previous, needs[:-1])
        needs.append(read.need)
        conversation = answer.conversation_id
    assert answer is not None
    return Row(
        judge(case, read, answer),
        answer.grounding.numbers,
        answer.grounding.grounded,
        removed,
        seconds,
        answer.elapsed_s,
    )


def f1(rows: list[Row]) -> float | None:
    """Slots right among those wanted; a slot read wrongly is both missed and invented."""
    right, wanted = sum(row.judged.right for row in rows), sum(row.judged.wanted for row in rows)
    return 2 * right / (2 * right + 2 * (wanted - right)) if wanted else None


def share(rows: list[Row], field: str) -> float | None:
    """Share of the rows of which the field is expected that meet it."""
    values = [value for row in rows if (value := getattr(row.judged, field)) is not None]
    return sum(values) / len(values) if values else None


def line(name: str, rows: list[Row]) -> str:
    """One group of the table."""
    numbers = sum(row.numbers for row in rows)
    shares = (
        f1(rows),
        *(share(rows, field) for field in ("intent", "verdict", "tools", "clarify")),
        1 - sum(row.judged.forbidden for row in rows) / len(rows),
        sum(row.grounded for row in rows) / numbers if numbers else None,
    )
    cells = [f"{value:9.1%}" if value is not None else f"{'–':>9}" for value in shares]
    times = [f"{median(getattr(row, field) for row in rows) * 1e3:9.1f}" for field in ("reading_s", "turn_s")]
    return f"{name:24}{len(rows):5d}" + "".join(cells + times)


HEADINGS = ("slot F1", "intent", "verdict", "tools", "ask back", "clean", "grounded", "read ms", "turn ms")


def main() -> int:
    """Run, print, and fail when something is ungrounded or forbidden."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="only questions that hold this text")
    parser.add_argument("--file", action="append", help="only the cases of this file")
    parser.add_argument("--wrong", action="store_true", help="list what went wrong")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        os.environ["GPU_ADVISOR_HOME"] = home
        sys.path.insert(0, str(ROOT))
        from ui.serving.service import advisor

        groups: dict[str, list[Row]] = defaultdict(list)
        for case in load(tuple(options.file or FILES)):
            asked = " → ".join(turns(case))
            if options.only not in asked:
                continue
            row = run(case, advisor())
            intent = case.get("intent", "scope" if case.get("out_of_scope") else "any")
            main_intent = intent[0] if isinstance(intent, list) else intent
            for group in ("all", f"language {language(case)}", f"intent {main_intent}"):
                groups[group].append(row)
            if row.removed:
                print(f"a line was removed: {asked[:110]!r}")
            if options.wrong and (row.judged.wrong or row.numbers != row.grounded):
                print(f"{asked[:110]!r}\n    " + "; ".join(row.judged.wrong))
        print(f"{'':24}{'n':>5}" + "".join(f"{heading:>9}" for heading in HEADINGS))
        for name in sorted(groups, key=lambda key: (key != "all", key)):
            print(line(name, groups[name]))
        whole = groups["all"]
        return int(any(row.numbers != row.grounded or row.removed or row.judged.forbidden for row in whole))


if __name__ == "__main__":
    sys.exit(main())

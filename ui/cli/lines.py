"""JSON lines in, JSON lines out."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kb.base import BadInput

LONGEST_LINE = 2_000_000
"""Characters a batch line may have."""


def read_lines(source: str) -> Iterator[dict[str, Any]]:
    """The objects of a JSON-lines file, `-` for standard input; blank lines are passed over.

    A line that is no object is answered at once with an error in its place, and the rest still runs. NaN and
    infinity are let through: the tool that is asked names the field they stand in.

    Raises:
        BadInput: the file cannot be read.
    """
    try:
        text = sys.stdin.read() if source == "-" else Path(source).read_text(encoding="utf-8")
    except OSError as problem:
        raise BadInput("--batch", f"cannot read {source}: {problem.strerror or problem}.") from None
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            yield _object(line, number)
        except BadInput as problem:
            write_line({"id": None, "line": number, "error": problem.data()})


def write_line(value: dict[str, Any]) -> None:
    """One object on one line, at once, so that a pipe sees it."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False) + "\n")
    sys.stdout.flush()


def _object(line: str, number: int) -> dict[str, Any]:
    if len(line) > LONGEST_LINE:
        raise BadInput("--batch", f"line {number} is longer than {LONGEST_LINE:,} characters.", "Split it.")
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        raise BadInput("--batch", f"line {number} is not valid JSON.", 'Write {"id": …, …} on each line.') from None
    if not isinstance(value, dict):
        raise BadInput("--batch", f"line {number} is not a JSON object.", 'Write {"id": …, …} on each line.')
    return value

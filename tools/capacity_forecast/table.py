"""A usage table from its text: times and columns of numbers, or a clear complaint."""

import csv
import io
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from kb.base import BadInput

FIELD = "usage_csv"
ROWS_MAX = 200_000
COLUMNS_MAX = 8
_EPOCH_MS = 10**11
"""Larger whole numbers count milliseconds."""
_YEARS = range(1990, 2100)
_CHINESE = re.compile(r"(\d{4})年(\d{1,2})月(\d{1,2})日?")
_SLASHED = re.compile(r"^(\d{4})[/.](\d{1,2})[/.](\d{1,2})")
_MISSING = {"", "-", "na", "n/a", "nan", "null", "none"}


@dataclass
class Usage:
    """Rows in order of time."""

    times: list[datetime]
    columns: dict[str, list[float]]
    """NaN where there was no reading."""
    notes: list[str]
    """What was mended, for the reader."""


def read_usage(text: str, wanted: str | None) -> Usage:
    """The table of a text.

    Raises:
        BadInput: naming the line and what to write there.
    """
    rows = _rows(text)
    head, body = _head(rows)
    if not body:
        raise BadInput(FIELD, "it holds no rows of data.", "Give lines such as 2026-11-21T10:00,37.")
    names = _names(head, len(body[0][1]))
    chosen = _chosen(names, wanted)
    times: list[datetime] = []
    columns: dict[str, list[float]] = {name: [] for name in chosen}
    for number, row in body:
        times.append(_time(row[0], number))
        for name, at in chosen.items():
            columns[name].append(_number(row[at] if at < len(row) else "", number, name))
    if wanted is None:
        columns = {name: values for name, values in columns.items() if not all(map(math.isnan, values))}
    if not columns or any(all(map(math.isnan, values)) for values in columns.values()):
        raise BadInput(FIELD, "a column holds no number.", "Check the column's name and the separators.")
    return _ordered(times, columns)


def _rows(text: str) -> list[tuple[int, list[str]]]:
    lines = text.lstrip("\ufeff").replace("\x00", "").splitlines()
    if len(lines) > ROWS_MAX:
        raise BadInput(FIELD, f"{len(lines):,} lines are too many.", f"Send at most {ROWS_MAX:,}, or hourly averages.")
    first = next((line for line in lines if line.strip()), "")
    mark = max("\t;,", key=first.count)
    try:
        parsed = list(csv.reader(io.StringIO("\n".join(lines)), delimiter=mark))
    except csv.Error:
        raise BadInput(FIELD, "it is no table of separated values.", "Use commas, semicolons or tabs.") from None
    return [
        (number, [cell.strip() for cell in row]) for number, row in enumerate(parsed, 1) if any(map(str.strip, row))
    ]


def _head(rows: list[tuple[int, list[str]]]) -> tuple[list[str] | None, list[tuple[int, list[str]]]]:
    """The heading, when the first row begins with no time."""
    if not rows:
        return None, []
    if any(len(row) < 2 for _, row in rows[:1]):
        raise BadInput(FIELD, "there is only one column.", "Give a time and at least one number a line.")
    number, first = rows[0]
    try:
        _time(first[0], number)
    except BadInput:
        return first, rows[1:]
    return None, rows


def _names(head: list[str] | None, width: int) -> list[str]:
    found = head or ["time", *(f"column {at}" for at in range(1, width))]
    names: list[str] = []
    for at, name in enumerate(found):
        label = name[:80] or f"column {at}"
        names.append(label if label not in names else f"{label} ({at})")
    return names


def _chosen(names: Sequence[str], wanted: str | None) -> dict[str, int]:
    there = {name: at for at, name in enumerate(names) if at > 0}
    if wanted is None:
        return dict(list(there.items())[:COLUMNS_MAX])
    folded = {name.casefold(): name for name in there}
    name = folded.get(wanted.strip().casefold())
    if name is None:
        raise BadInput("column", "there is no such column.", f"Choose one of: {', '.join(list(there)[:COLUMNS_MAX])}.")
    return {name: there[name]}


def _time(text: str, line: int) -> datetime:
    """A time; one without a zone is taken as UTC."""
    cell = _SLASHED.sub(_dashed, _CHINESE.sub(_dashed, text.strip())).strip().replace("Z", "+00:00")
    found: datetime | None
    try:
        if re.fullmatch(r"\d{9,13}(?:\.\d{1,9})?", cell):
            seconds = float(cell) / (1000 if float(cell) >= _EPOCH_MS else 1)
            found = datetime.fromtimestamp(seconds, UTC)
        else:
            found = datetime.fromisoformat(cell)
    except (ValueError, OverflowError, OSError):
        found = None
    if found is None or found.year not in _YEARS:
        remedy = "Write 2026-11-21, 2026-11-21T10:00 or seconds since 1970."
        raise BadInput(FIELD, f"line {line} does not begin with a time.", remedy)
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)


def _dashed(match: re.Match[str]) -> str:
    return f"{match[1]}-{int(match[2]):02d}-{int(match[3]):02d}"


def _number(text: str, line: int, name: str) -> float:
    cell = text.replace(",", "").removesuffix("%").strip()
    if cell.casefold() in _MISSING:
        return math.nan
    try:
        value = float(cell)
    except ValueError:
        raise BadInput(FIELD, f"line {line}, column “{name}”, holds no number.", "Leave it empty if unknown.") from None
    if math.isinf(value) or abs(value) > 1e15:
        raise BadInput(FIELD, f"line {line}, column “{name}”, is out of bounds.", "Leave it empty if unknown.")
    if value < 0:
        raise BadInput(FIELD, f"line {line}, column “{name}”, is negative.", "Use cannot be less than nothing.")
    return value


def _ordered(times: list[datetime], columns: dict[str, list[float]]) -> Usage:
    notes = []
    order = sorted(range(len(times)), key=lambda at: times[at])
    if order != list(range(len(times))):
        notes.append("The times were not in order: the rows were sorted.")
    twice = len(times) - len(set(times))
    if twice:
        notes.append(f"{twice} rows repeat a time: the larger reading counts.")
    sorted_columns = {name: [values[at] for at in order] for name, values in columns.items()}
    return Usage([times[at] for at in order], sorted_columns, notes)

"""Artifacts rebuilt from public threads: how each is compared with what must be read of it."""

import re
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from kb.artifacts import Fact, find_artifacts

FOLDER = Path(__file__).parents[2] / "cases" / "artifacts"
UNITS = {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "KB": 10**3, "MB": 10**6, "GB": 10**9}
_SIZE = re.compile(r"^(-?\d+(?:\.\d+)?) (B|KiB|MiB|GiB|KB|MB|GB)$")


class Outcome(NamedTuple):
    """How one case came out."""

    id: str
    kind_right: bool
    right: int
    expected: int
    missed: list[str]
    wrong: list[str]
    """Facts of expected names that nothing expected."""


def cases(half: str) -> list[dict[str, Any]]:
    """Cases of a half: "seen" or "left_out"."""
    return [one for path in sorted(FOLDER.glob(f"{half}_*.yaml")) for one in yaml.safe_load(path.read_text("utf-8"))]


def outcome(case: dict[str, Any]) -> Outcome:
    """The case compared with what is found in its text."""
    found = find_artifacts(case["text"])
    facts = [fact for one in found.artifacts for fact in one.facts]
    wanted = [
        (line, of, name, value) for line, of, values in case["facts"] for name, value in values.items()
    ]  # fmt: skip
    missed = [f"{one}" for one in wanted if not any(_same(one, fact) for fact in facts)]
    names = {name for _, _, name, _ in wanted}
    lines = {line for line, *_ in wanted}
    wrong = [
        f"{fact.line} {fact.of} {fact.name}={fact.value}"
        for fact in facts
        if fact.name in names and fact.line in lines and fact.name != "error"
        and any(name == fact.name and line == fact.line for line, _, name, _ in wanted)
        and not any(_same(one, fact) for one in wanted)
    ]  # fmt: skip
    kind = any(one.kind == case["kind"] for one in found.artifacts)
    return Outcome(case["id"], kind, len(wanted) - len(missed), len(wanted), missed, wrong)


def _same(wanted: tuple[int, str | None, str, Any], fact: Fact) -> bool:
    line, of, name, value = wanted
    return (fact.line, fact.of, fact.name) == (line, of, name) and _equal(value, fact.value)


def _equal(wanted: Any, found: Any) -> bool:
    match = _SIZE.match(wanted) if isinstance(wanted, str) else None
    if match is not None:
        wanted = float(match[1]) * UNITS[match[2]]
    if isinstance(wanted, bool) or isinstance(found, bool) or isinstance(wanted, str):
        return str(wanted) == str(found) if isinstance(wanted, str) else wanted is found
    return isinstance(found, int | float) and abs(found - wanted) <= max(1e-9, abs(wanted) * 1e-6)

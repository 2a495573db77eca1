"""Set-ups that are known to run, and faulty ones of public threads."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from tools.check_setup import SetupRequest, check_setup

CASES = Path(__file__).parents[2] / "cases" / "setups"
FALSE_MOST, FOUND_LEAST = 0.03, 0.8


def rows(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = yaml.safe_load((CASES / f"{name}.yaml").read_text(encoding="utf-8"))
    return found


def found_in(row: dict[str, Any]) -> set[str]:
    asked = {key: row[key] for key in ("text", "cards") if key in row}
    return {one.rule for one in check_setup(SetupRequest.model_validate(asked)).findings}


def test_what_is_known_to_run_is_left_alone() -> None:
    good = rows("good")
    assert len(good) >= 60
    assert all(check_setup(SetupRequest(text=row["text"])).programs for row in good)
    assert sum(bool(found_in(row)) for row in good) / len(good) <= FALSE_MOST


@pytest.mark.parametrize("half", ["seen", "left_out"])
def test_faults_of_threads_are_found(half: str) -> None:
    faulty = rows(f"faulty_{half}")
    assert len(faulty) >= 30
    assert sum(bool(found_in(row) & set(row["finds"])) for row in faulty) / len(faulty) >= FOUND_LEAST

"""What people reported, against the interval that the way they ran is told with."""

import math
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml

from tools.registry import tool

CASES = Path(__file__).parents[2] / "cases/speeds_seen.yaml"


class Seen(NamedTuple):
    ratio: float
    """Estimate over what was seen."""
    inside: bool
    width: float
    """High over low end."""


@pytest.fixture(scope="module")
def seen() -> dict[str, list[Seen]]:
    found: dict[str, list[Seen]] = defaultdict(list)
    for group in yaml.safe_load(CASES.read_text(encoding="utf-8")):
        for row in group["rows"]:
            request = {**group.get("all", {}), **row}
            value, of, fitted = request.pop("seen"), request.pop("of", "user"), request.pop("fitted", False)
            way = tool("find_ways_to_run").call(request).ways[0]
            assert way.as_asked, request
            speed = way.speed
            alone = speed.decode_tokens_per_s_per_user or speed.tokens_per_s_per_user
            told = {"user": alone, "total": speed.tokens_per_s_total, "prefill": speed.prefill_tokens_per_s}[of]
            if not fitted:
                one = Seen(told.value / value, told.low <= value <= told.high, told.high / told.low)
                found[group["class"]].append(one)
    return found


def test_intervals_hold_nine_of_ten_reports(seen: dict[str, list[Seen]]) -> None:
    every = [one for rows in seen.values() for one in rows]

    assert len(every) >= 90
    assert sum(one.inside for one in every) >= 0.87 * len(every)


@pytest.mark.parametrize("kind", ["single", "offload", "unified", "prefill", "multi_node", "tp_pcie"])
def test_intervals_of_each_class_hold_five_of_six(seen: dict[str, list[Seen]], kind: str) -> None:
    rows = seen[kind]

    assert sum(one.inside for one in rows) >= math.floor(5 / 6 * len(rows))


def test_one_stream_within_a_card_is_told_within_a_quarter(seen: dict[str, list[Seen]]) -> None:
    rows = seen["single"] + seen["unified"]

    assert sum(0.8 <= one.ratio <= 1.25 for one in rows) >= 0.8 * len(rows)


def test_what_is_measured_often_is_told_more_narrowly(seen: dict[str, list[Seen]]) -> None:
    width = {kind: sorted(one.width for one in rows)[len(rows) // 2] for kind, rows in seen.items()}

    assert width["single"] < 2 < width["offload"] < width["multi_node"]

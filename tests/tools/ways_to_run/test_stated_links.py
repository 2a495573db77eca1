"""Links that were stated decide how cards share a model."""

from typing import Any

import pytest

from kb.lexicon.link.rules import read_link
from tools.registry import tool
from tools.ways_to_run.result import WaysToRun


def find(**fields: Any) -> WaysToRun:
    """The tool, by its name."""
    found = tool("find_ways_to_run").call(fields)
    assert isinstance(found, WaysToRun)
    return found


@pytest.mark.parametrize(
    ("text", "near", "far", "together"),
    [
        ("SYS between all", "SYS", None, None),
        ("PIX for 0-3 and 4-7, SYS between", "PIX", "SYS", 4),
        ("0-1 NV4, 2-3 NV4, otherwise NODE", "NV4", "NODE", 2),
        ("GPU0-1是PHB，跨的是SYS", "PHB", "SYS", 2),
        ("PXB, else SYS", "PXB", "SYS", None),
    ],
)
def test_paths_are_read_near_and_far(text: str, near: str, far: str | None, together: int | None) -> None:
    link = read_link(text)

    assert (link.path, link.beyond, link.together) == (near, far, together)


@pytest.mark.parametrize(
    ("link", "widest"),
    [("PHB 0-1, 2-3, SYS across", 2), ("PIX within each half, SYS between", 2), ("SYS", 1), ("PIX", 4), (None, 4)],
)
def test_layers_are_not_shared_over_a_poor_path(link: str | None, widest: int) -> None:
    for sequences in (1, 24):
        found = find(model="Qwen3-14B", cards="4x A6000", link=link, concurrent_sequences=sequences, engine="vllm")

        assert all(way.layout.tp <= widest for way in found.ways)
        assert any("Stated links" in line for line in found.assumptions) == (widest < 4)


def test_cards_left_over_are_told_to_take_copies() -> None:
    found = find(model="Qwen3-14B", cards="4x 4080", weight_format="awq", link="PHB 0-1, 2-3, SYS across")

    assert any("copies behind a load balancer" in line for line in found.warnings)


def test_a_layout_that_was_asked_for_is_kept() -> None:
    found = find(model="Qwen3-14B", cards="4x A6000", link="SYS", engine="vllm", parallel={"tp": 4})

    assert found.answer.verdict == "fits"
    assert found.ways[0].layout.tp == 4

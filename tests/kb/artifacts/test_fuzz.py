"""Mutilated artifacts: nothing crashes, takes long or falls outside the text; the long form is a bench."""

from fuzz_artifacts import run

SLOWEST_S, LARGE_S = 0.5, 2.0
"""Far above what is measured (`tests/bench/fuzz_artifacts.py`), for machines that are busy with other tests."""


def test_mutilated_artifacts_are_read_quickly() -> None:
    slowest, large = run(200, seed=7)
    assert slowest < SLOWEST_S
    assert large < LARGE_S

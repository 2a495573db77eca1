"""Units by what they come to, and words that are none."""

import pytest

from tools.agent_tools.quantity import base_of


@pytest.mark.parametrize(
    ("unit", "base", "factor"),
    [
        ("µs", "s", 1e-6), ("minutes", "s", 60), ("hrs", "s", 3600), ("分钟", "s", 60), ("个月", "s", 2628000),
        ("GB/s", "bytes/s", 1e9), ("tok/s", "tokens/s", 1), ("tokens per minute", "tokens/s", 1 / 60),
        ("images a day", "/s", 1 / 86400), ("qps", "/s", 1), ("s/s", "", 1), ("min per hour", "", 60 / 3600),
        ("GPUs", "", 1), ("frames", "", 1), ("ms", "s", 1e-3), ("months", "s", 2628000), ("", "", 1), ("lens", "", 1),
    ],
)  # fmt: skip
def test_a_unit_has_a_base_and_a_factor(unit: str, base: str, factor: float) -> None:
    assert base_of(unit) == (base, pytest.approx(factor))

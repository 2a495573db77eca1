"""The number by which a figure is compared that is told with its range, or as a range alone."""

import pytest

from assistant.writing.ways import leading


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ("47 tokens/s", 47.0),
        ("1,250 tokens/s", 1250.0),
        ("40 documents/s (16–103)", 40.0),
        ("40–90 tokens/s", 60.0),
        ("1,000–4,000 tokens/s", 2000.0),
        ("", None),
        ("unknown", None),
    ],
)
def test_a_told_figure_is_compared_by_its_middle(said: str, value: float | None) -> None:
    assert leading(said) == pytest.approx(value) if value else leading(said) is None

"""What a quotation says with those beside it: names that a form leaves out, classes ruled out, times of rents."""

from typing import Any

import pytest

from assistant.reading.annotation import MarkedFact
from assistant.reading.values import Value, value_of, values_of


def said(*facts: tuple[str, str, str]) -> list[Any]:
    """The values of (slot, stance, quote)."""
    marked = [(MarkedFact(quote=quote, slot=slot, stance=stance), quote) for slot, stance, quote in facts]
    return [one.value if isinstance(one, Value) else one for one in values_of(marked, "en")]


def test_a_form_alone_is_of_the_card_named_before_it() -> None:
    rows = said(("cards", "plan", "A100 40GB PCIe"), ("cards", "plan", "80GB SXM"))
    assert [row[0]["gpu"] for row in rows] == ["a100-pcie-40gb", "a100-sxm-80gb"]


def test_a_class_that_is_ruled_out_is_known_and_one_that_is_wanted_is_no_card() -> None:
    out, wanted = said(("cards", "ruled_out", "GeForce"), ("cards", "plan", "GeForce"))
    assert out[0]["class"] == "consumer"
    assert isinstance(wanted, str)


def test_a_rent_without_its_time_takes_that_of_the_other() -> None:
    first, second = said(("rent", "have", "1.85/gpu/h"), ("rent", "have", "3.20"))
    assert (first["per"], second["per"], second["amount"]) == ("hour", "hour", 3.2)


@pytest.mark.parametrize(
    ("slot", "quote", "value"),
    [
        ("interruption", "every 5h", {"every_s": 18000.0}),
        ("interruption", "20% of hours", {"share": 0.2}),
        ("condition", "不要二手", "used"),
        ("condition", "three years of warranty", "three years of warranty"),
        ("country", "国内", "CN"),
    ],
)
def test_open_slots_know_their_usual_words(slot: str, quote: str, value: object) -> None:
    found = value_of(slot, quote)
    assert isinstance(found, Value)
    assert found.value == value


def test_a_speed_of_all_together_is_told_from_one_of_each() -> None:
    together, each = said(("speed", "wanted", "200 tokens/s total"), ("speed", "wanted", "20 tokens/s"))
    assert together["together"] is True
    assert "together" not in each

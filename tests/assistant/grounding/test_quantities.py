"""Numbers are read as people write them, with their unit and their rounding."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.grounding.wording.quantities import BYTES, FLOPS, MONEY, PERCENT, PLAIN, RATE, TIME, quantities


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        pytest.param("needs 41.9 GiB", BYTES, 41.9 * 2**30, id="gibibytes"),
        pytest.param("共 160 GB 显存", BYTES, 160e9, id="gigabytes-zh"),
        pytest.param("4.8 TB/s of bandwidth", RATE, 4.8e12, id="bandwidth"),
        pytest.param("989 TFLOPS", FLOPS, 989e12, id="compute"),
        pytest.param("$1,599 each", MONEY, 1599, id="dollars"),
        pytest.param("约 50 万元", MONEY, 500_000, id="yuan-in-ten-thousands"),
        pytest.param("27.5 USD", MONEY, 27.5, id="currency-word"),
        pytest.param("12 ms", TIME, 0.012, id="milliseconds"),
        pytest.param("3 小时", TIME, 10800, id="hours-zh"),
        pytest.param("83%", PERCENT, 83, id="percent"),
        pytest.param("7B parameters", PLAIN, 7e9, id="billions"),
        pytest.param("8 张卡", PLAIN, 8, id="count-zh"),
        pytest.param("2×24 GB", PLAIN, 2, id="count-before-times"),
    ],
)
def test_first_number_has_kind_and_value(text: str, kind: str, value: float) -> None:
    first = next(iter(quantities(text)))
    assert first.kind == kind
    assert any(abs(meant - value) <= 1e-9 * abs(value) for meant in first.values)


@pytest.mark.parametrize("text", ["H100", "Q4_K_M", "ZeRO-3", "v0.19", "g5.xlarge", "L40S", "gpt2"])
def test_digits_of_a_name_are_no_number(text: str) -> None:
    assert list(quantities(text)) == []


def test_range_takes_its_unit_from_its_end() -> None:
    low, high = quantities("40–46 GB")
    assert (low.kind, high.kind) == (BYTES, BYTES)
    assert low.values[0] == 40e9


def test_range_takes_its_currency_from_its_beginning() -> None:
    low, high = quantities("$8,000–9,200")
    assert (low.kind, high.kind) == (MONEY, MONEY)


def test_marked_estimate_is_read_to_its_significant_digits() -> None:
    (rounded,) = quantities("≈ 140 of them")
    (exact,) = quantities("140 of them")
    assert rounded.tolerances[0] == 10 * exact.tolerances[0]


@given(st.text(max_size=300))
def test_any_text_is_read_without_failing(text: str) -> None:
    for quantity in quantities(text):
        assert 0 <= quantity.start < quantity.end <= len(text)


@pytest.mark.parametrize(
    ("text", "code"), [("~500 eur", "EUR"), ("500€", "EUR"), ("800 usd", "USD"), ("5000 rmb", "CNY"), ("90 gbp", "GBP")]
)
def test_a_currency_is_read_behind_its_amount_as_people_type_it(text: str, code: str) -> None:
    assert quantities(text)[0].currencies == (code,)

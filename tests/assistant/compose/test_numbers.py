import pytest

from assistant.compose import numbers
from assistant.compose.table import table
from kb.units import GIB


@pytest.mark.parametrize(
    ("value", "written"), [(9.96 * GIB, "10.0"), (41.9 * GIB, "42"), (0.53 * GIB, "0.5"), (1234.4 * GIB, "1,234")]
)
def test_gib_has_a_decimal_only_while_it_decides(value: float, written: str) -> None:
    assert numbers.gib(value) == written


def test_a_wide_interval_earns_no_decimals() -> None:
    assert numbers.interval_digits(40 * GIB, 46 * GIB) == 0
    assert numbers.interval_digits(4.1 * GIB, 4.6 * GIB) == 1


def test_both_units_name_both_systems() -> None:
    assert numbers.both_units(141_000_000_000) == "141 GB (131 GiB)"


@pytest.mark.parametrize(
    ("value", "written"),
    [(72_706_203_648, "72.7B"), (8_030_261_248, "8B"), (671_026_419_200, "671B"), (137_000_000, "137M")],
)
def test_params_as_people_say_them(value: int, written: str) -> None:
    assert numbers.params(value) == written


@pytest.mark.parametrize(("value", "written"), [(936e9, "936 GB/s"), (4.8e12, "4.8 TB/s"), (1.008e12, "1.01 TB/s")])
def test_rates_in_decimal_units(value: float, written: str) -> None:
    assert numbers.rate(value, "B/s") == written


def test_hours_get_cents_and_purchases_do_not() -> None:
    assert numbers.usd(1.5789, hourly=True) == "$1.58"
    assert numbers.usd(31234.4) == "$31,234"
    assert numbers.money(500_000, "CNY") == "¥500,000"


def test_a_table_is_markdown_and_escapes_bars() -> None:
    assert table(["a", "b"], [["x|y", "1"]]) == "| a | b |\n| --- | ---: |\n| x\\|y | 1 |"


@pytest.mark.parametrize("worked_out", [9_999, 10_049, 38_912, 51_251, 131_072, 163_840, 999_999, 1_048_576, 2_097_152])
def test_tokens_are_rounded_so_little_that_they_can_be_traced(worked_out: int) -> None:
    said = int(numbers.tokens(worked_out).replace(",", ""))
    assert 0 <= worked_out - said < 0.005 * worked_out

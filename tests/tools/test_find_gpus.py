"""Searching cards by what they have and cost."""

from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.base import BadInput, UnknownName
from kb.catalog import gpus, sources
from kb.units import GIB
from tools.find_gpus import RATE_FIELDS, GpuQuery, find_gpus
from tools.registry import Tool

TODAY = date(2026, 11, 21)


def ids(**fields: object) -> list[str]:
    return [row.id for row in find_gpus(GpuQuery.model_validate({"limit": 500, "today": TODAY, **fields})).gpus]


def test_a_card_is_looked_up_by_name() -> None:
    assert ids(names=["4090"]) == ["rtx-4090-24gb"]


def test_an_ambiguous_name_brings_all_variants() -> None:
    assert set(ids(names=["A100"])) == {"a100-pcie-40gb", "a100-sxm-40gb", "a100-pcie-80gb", "a100-sxm-80gb"}


def test_an_unknown_name_is_an_error() -> None:
    with pytest.raises(UnknownName):
        find_gpus(GpuQuery(names=("RTX 9999",)))


def test_every_filter_holds_for_every_row() -> None:
    query = GpuQuery(
        vendor="NVIDIA", market="workstation", min_memory_bytes=24 * GIB, max_memory_bytes=96 * GIB, max_tdp_w=300,
        precisions=("fp8",), nvlink=False, ecc=True, limit=500,
    )  # fmt: skip
    result = find_gpus(query)
    assert result.total == len(result.gpus) > 3
    for row in result.gpus:
        assert row.vendor == "NVIDIA"
        assert row.market == "workstation"
        assert 24 * GIB <= row.memory_bytes <= 96 * GIB
        assert row.tdp_w is not None
        assert row.tdp_w <= 300
        assert row.fp8_flops
        assert row.nvlink_bytes_per_s is None
        assert row.ecc


def test_cards_that_are_not_in_the_result_break_some_filter() -> None:
    found = set(ids(min_memory_bytes=80 * GIB, precisions=["fp8"]))
    for card in gpus().values():
        assert (card.id in found) == (card.memory_bytes >= 80 * GIB and bool(card.fp8_flops)), card.id


@pytest.mark.parametrize("precision", list(RATE_FIELDS))
def test_a_precision_filter_needs_a_rate(precision: str) -> None:
    for key in ids(precisions=[precision]):
        assert getattr(gpus()[key], RATE_FIELDS[precision])  # type: ignore[index]


@pytest.mark.parametrize(
    ("sort", "field"), [("price_per_gib", "usd_per_gib"), ("price_per_tb_s", "usd_per_tb_s"),
                        ("price_per_tflops", "usd_per_tflops")],
)  # fmt: skip
def test_price_performance_sorts_cheapest_first_and_unpriced_last(sort: str, field: str) -> None:
    rows = find_gpus(GpuQuery.model_validate({"sort": sort, "limit": 500})).gpus
    held = [getattr(row, field) for row in rows]
    known = [value for value in held if value is not None]
    assert known == sorted(known)
    assert held[: len(known)] == known


def test_descending_turns_the_order_round() -> None:
    smallest = find_gpus(GpuQuery(sort="memory", descending=False, limit=1)).gpus[0]
    assert smallest.memory_bytes == min(card.memory_bytes for card in gpus().values())


def test_price_per_gib_is_the_price_over_the_stated_memory() -> None:
    result = find_gpus(GpuQuery(names=("RTX 4070 Ti Super",), today=TODAY))
    assert result.gpus[0].usd_per_gib == pytest.approx(799 / 16, rel=1e-3)
    step = next(step for step in result.derivation if step.unit == "usd_per_gib")
    assert step.value == result.gpus[0].usd_per_gib
    assert step.source in sources()


def test_undated_and_old_prices_are_flagged() -> None:
    result = find_gpus(GpuQuery(names=("l40-48gb", "rtx-5090-32gb"), today=date(2026, 11, 21)))
    assert any("Undated" in said and "L40" in said for said in result.warnings)
    assert any("older than 30 days" in said and "5090" in said for said in result.warnings)
    fresh = find_gpus(GpuQuery(names=("rtx-5090-32gb",), today=date(2026, 9, 20)))
    assert not any("older" in said for said in fresh.warnings)


def test_a_list_price_is_said_to_be_one() -> None:
    assert any("list price" in said for said in find_gpus(GpuQuery(names=("4070 Ti Super",))).assumptions)


def test_an_empty_result_says_so() -> None:
    result = find_gpus(GpuQuery(min_memory_bytes=10**15))
    assert result.total == 0
    assert result.warnings


def test_text_searches_names_aliases_and_notes() -> None:
    assert set(ids(text="魔改")) == {"rtx-4090-48gb", "rtx-2080-ti-22gb", "rtx-3080-20gb", "rtx-4090-d-48gb"}


@pytest.mark.parametrize(
    ("arguments", "field"),
    [({"min_memory_bytes": 0}, "min_memory_bytes"), ({"limit": 0}, "limit"), ({"max_price_usd": -1}, "max_price_usd"),
     ({"sort": "beauty"}, "sort"), ({"max_price_usd": float("nan")}, "max_price_usd"), ({"nope": 1}, "nope")],
)  # fmt: skip
def test_bad_input_names_the_field(arguments: dict[str, object], field: str) -> None:
    with pytest.raises(BadInput) as caught:
        Tool.of(find_gpus).call(arguments)
    assert caught.value.field.startswith(field)


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 300), st.integers(1, 300))
def test_asking_for_more_memory_never_finds_more_cards(low: int, high: int) -> None:
    low, high = sorted((low, high))
    assert set(ids(min_memory_bytes=high * GIB)) <= set(ids(min_memory_bytes=low * GIB))


@settings(max_examples=20, deadline=None)
@given(st.floats(100, 50_000), st.floats(100, 50_000))
def test_a_smaller_budget_never_finds_more_cards(low: float, high: float) -> None:
    low, high = sorted((low, high))
    assert set(ids(max_price_usd=low)) <= set(ids(max_price_usd=high))


def test_price_per_token_ranks_by_dollars_for_the_speed_of_the_named_model() -> None:
    found = find_gpus(GpuQuery(model="Qwen2.5-32B", weight_format="int4", sort="price_per_token", limit=500))
    known = [one for one in found.gpus if one.usd_per_token_per_s is not None]
    assert len(known) > 10
    assert [one.usd_per_token_per_s for one in known] == sorted(one.usd_per_token_per_s or 0 for one in known)
    assert found.gpus[: len(known)] == tuple(known)
    for one in known:
        assert one.price is not None
        assert one.tokens_per_s is not None
        assert one.usd_per_token_per_s == pytest.approx(float(one.price.amount_usd) / one.tokens_per_s, rel=1e-3)


def test_a_card_too_small_for_the_model_has_no_speed() -> None:
    names = ("rtx-3060-12gb", "h200-sxm-141gb")
    small, large = find_gpus(GpuQuery(names=names, model="Qwen2.5-32B", sort="memory", descending=False)).gpus
    assert small.tokens_per_s is None
    assert large.tokens_per_s is not None
    assert large.tokens_per_s > 20


@pytest.mark.parametrize("sort", ["tokens", "price_per_token"])
def test_tokens_are_of_a_model(sort: str) -> None:
    with pytest.raises(BadInput, match="model"):
        find_gpus(GpuQuery.model_validate({"sort": sort}))

"""Money that hangs on a time: clouds over a term, a run on cards that nobody lets, the date a price was read."""

import re

import pytest

from assistant.ground.check import ground
from assistant.plan.nearest import nearest_let
from kb.units import HOUR_S
from tests.assistant.planning import turn


@pytest.mark.parametrize(
    ("text", "hours"),
    [
        ("what would it cost to run 4 H100s for 3 months on lambda vs runpod", 2190),
        ("RunPod or Vast for 4 L40S for 3 weeks, business hours only: which is cheaper?", 120),
        ("8 张 H200 租半年，AWS 和 RunPod 哪个便宜", 4380),
        ("AWS 和 GCP 的 8 卡 A100 租 3 周，每天 8 小时，各要多少钱", 168),
        ("cost of 2x L4 for 10 days, GCP vs AWS", 240),
    ],
)
def test_clouds_over_a_time_lead_with_what_it_comes_to(text: str, hours: int) -> None:
    _, records, draft = turn(text)
    rents = [one.result["rent"][0] for one in records if one.tool == "estimate_cost" and "error" not in one.result]
    assert {round(one["term_s"] / HOUR_S) for one in rents} == {hours}
    least = min(rents, key=lambda one: one["gpu_hourly_cost"]["low"])
    total = least["hourly_cost"]["low"] * hours
    first = draft.answer.split("\n")[0]
    figures = [float(figure.replace(",", "")) for figure in re.findall(r"[$¥]([\d,.]+\d)", first)]
    assert any(abs(figure / total - 1) < 0.01 for figure in figures)
    assert f"{hours:,}" in first
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


@pytest.mark.parametrize("text", ["AWS or GCP for 8 A100s, hourly?", "Lambda 和 RunPod 的 8 卡 H100 哪家便宜"])
def test_clouds_without_a_time_are_told_by_the_hour(text: str) -> None:
    _, records, draft = turn(text)
    assert all(one["term_s"] is None for record in records for one in record.result.get("rent") or ())
    assert "hours in all" not in draft.answer
    assert "小时合计" not in draft.answer


@pytest.mark.parametrize(
    ("text", "card"),
    [
        ("训练一个 7B 模型，1T token，64 张 H800 要多久？多少钱？", "H800"),
        ("How long and how much to pretrain a 1B on 100B tokens with 16 H800?", "H800"),
        ("pretrain a 3B model on 300B tokens with 32 A800s: how long and what does it cost?", "A800"),
    ],
)
def test_a_run_on_cards_nobody_lets_is_priced_on_the_nearest_that_are(text: str, card: str) -> None:
    _, records, draft = turn(text)
    priced = [one.result for one in records if one.tool == "estimate_cost"]
    assert [bool(one["run"]["rent_cost"]) for one in priced] == [False, True]
    first = draft.answer.split("\n")[0]
    assert re.search(rf"(?:no rent of|没有读到) {card}", first)
    assert f"{priced[1]['gpu_count']}×" in first
    assert ("depreciation" in first) or ("折旧" in first)
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


@pytest.mark.parametrize(
    "text", ["我有 64 张 H800，训练 7B，1T token，要多久多少钱", "cost to LoRA an 8B on 100M tokens with 4 H100s"]
)
def test_nothing_stands_in_for_cards_in_hand_or_let(text: str) -> None:
    _, records, _ = turn(text)
    assert len([one for one in records if one.tool == "estimate_cost"]) <= 1


@pytest.mark.parametrize(("card", "like"), [("h800-sxm-80gb", "h100-sxm-80gb"), ("a800-sxm-80gb", "a100-sxm-80gb")])
def test_the_nearest_card_let_is_the_one_it_was_made_from(card: str, like: str) -> None:
    assert nearest_let(card) == like


@pytest.mark.parametrize(
    "text", ["推荐一套跑 32B 模型的服务器，预算 20 万", "what should I buy to serve a 14B, $9,000?"]
)
def test_a_price_is_dated_by_its_largest_line(text: str) -> None:
    _, records, draft = turn(text)
    assert any(one.tool == "configure" for one in records)
    found = draft.configurations[0]
    largest = max((one for one in found.items if one.subtotal), key=lambda one: float(one.subtotal or 0))
    assert (largest.price_date or "undated") in draft.answer.split("\n")[0]

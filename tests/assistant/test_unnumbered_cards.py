"""A stated training on cards whose number nobody said is on as many as hold it; a run costs what renting it does."""

import pytest

from tests.assistant.planning import talk, turn


@pytest.mark.parametrize(
    ("question", "cards"),
    [
        ("What would it cost to train a 13B from scratch on 300B tokens on H100s?", "8×H100"),
        ("从头训练 13B，3000 亿 token，用 H100 要多少钱？", "8×H100"),
        ("how long to full fine-tune Llama-3.1-70B on H200s with 100M tokens", "16×H200"),
        ("全参微调 70B，1 亿 token，用 A100 80G 要多久？", "32×A100"),
        ("全参微调 Qwen2.5-7B，用 4090，5000 万 token 要多久？", "16×RTX 4090"),
    ],
)
def test_cards_without_a_number_are_as_many_as_hold_the_training(question: str, cards: str) -> None:
    _, records, draft = turn(question)
    timed = [one for one in records if one.tool in ("estimate_training_time", "estimate_cost")]
    assert {one.result["gpu_count"] for one in timed} == {int(cards.split("×")[0])}
    assert cards in draft.answer.split("\n")[0]
    assert draft.verdict != "does_not_fit"
    assert any(cards in one for one in draft.assumptions)


@pytest.mark.parametrize(
    ("question", "count"),
    [
        ("How long to full fine-tune a 13B on an A100 80GB with 100M tokens?", 1),
        ("用一张 A100 80G 全参微调 13B，1 亿 token 要多久？", 1),
        ("How long to full fine-tune a 13B on 2 A100 80GB with 100M tokens?", 2),
        ("我有 H100，从头训练 13B，3000 亿 token 要多久？", 1),
        ("How long does it take to full fine-tune a 1B on a 4090 with 10M tokens?", 1),
    ],
)
def test_a_number_that_was_said_stands(question: str, count: int) -> None:
    _, records, draft = turn(question)
    assert next(one.result["gpu_count"] for one in records if one.tool == "estimate_training_time") == count
    assert not any("no number was said" in one or "没说几张卡" in one for one in draft.assumptions)


def test_a_number_said_afterwards_replaces_what_was_taken() -> None:
    _, records, _ = talk("全参微调 Qwen2.5-7B，用 4090，5000 万 token 要多久？", "那 8 张呢？")
    assert {one.result["gpu_count"] for one in records if one.tool == "estimate_training_time"} == {8}


@pytest.mark.usefixtures("fresh_prices")
@pytest.mark.parametrize(
    ("question", "week"),
    [
        ("How much would it cost to pretrain a 1B model on 100B tokens?", "Within 7 days"),
        ("训练一个 7B 模型，1T token，大概要花多少钱？", "7 天内跑完"),
    ],
)
def test_the_price_of_a_run_is_its_rent_and_time_and_what_is_sooner(question: str, week: str) -> None:
    _, records, draft = turn(question)
    run = next(one.result["run"] for one in records if one.tool == "estimate_cost")
    assert run["rent_cost"]
    assert run["own_cost"] is None
    lines = draft.answer.split("\n")
    assert " days" in lines[0] or " 天" in lines[0]
    sooner = next(line for line in lines if week in line)
    assert "B200" in sooner


@pytest.mark.parametrize(
    "question",
    [
        "How much does it cost to fine-tune Llama-3.1-70B with QLoRA on 20M tokens?",
        "全参微调 Qwen2.5-32B，5000 万 token，租云要多少钱？",
        "How much to pretrain a 3B on 60B tokens in two weeks?",
    ],
)
def test_a_run_that_ends_soon_or_by_a_deadline_has_no_sooner_way(question: str) -> None:
    _, records, draft = turn(question)
    assert sum(one.tool == "configure" for one in records) == 1
    assert "Within 7" not in draft.answer
    assert "7 天内" not in draft.answer


def test_hardware_of_ones_own_for_a_run_is_priced_where_it_is_asked_for() -> None:
    _, records, _ = turn("What would it cost to buy hardware for pretraining a 1B model on 100B tokens?")
    assert next(one.result["run"] for one in records if one.tool == "estimate_cost")["own_cost"]


@pytest.mark.parametrize(
    "question",
    [
        "What GPUs do I need to pretrain a 7B on 500B tokens within a month?",
        "一个月内预训练 7B，5000 亿 token，要什么卡？",
    ],
)
def test_hardware_for_one_run_in_time_is_rented_where_that_costs_a_tenth(question: str) -> None:
    _, _, draft = turn(question)
    head = draft.answer.split("\n")[0]
    assert "rent " in head or "租 " in head
    assert draft.verdict == "recommendation"
    timed = [one for one in draft.configurations if (one.speed or {}).get("time_s")]
    assert all(float((one.speed or {})["time_s"] or 0) <= 31 * 86400 for one in timed)


def test_spot_is_left_out_where_its_interruptions_make_it_dearer() -> None:
    _, records, draft = turn("两周内用 LoRA 微调 70B，1 亿 token，租云要花多少钱？")
    run = next(one.result["run"] for one in records if one.tool == "estimate_cost")
    cheaper = run["spot_cost"] and run["spot_cost"]["value"] < run["rent_cost"]["value"]
    assert ("竞价实例" in draft.answer.split("\n")[0]) is bool(cheaper)

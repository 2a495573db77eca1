"""Rules that Chinese askers rely on: the first word answers the question put, and later turns stand on earlier ones."""

import pytest

from assistant.compose.leading import fewer_each
from tests.assistant.planning import talk, turn


@pytest.mark.parametrize(
    ("question", "opens"),
    [
        ("单卡3090 lora微调qwen2.5-7b 会不会爆显存", "**不会**"),
        ("4090 全参微调qwen2.5-7b会爆吗", "**会爆**"),
        ("yolov8m 训练 3060 12g batch 16 够不够", "**够**"),
        ("一张4090跑qwen2.5-72b够吗", "**不够**"),
        ("4090跑qwen2.5-7b行不行", "**行**"),
        ("4090跑qwen2.5-7b可以吗", "**可以**"),
        ("4090能跑qwen2.5-7b吗", "**能**"),
    ],
)
def test_the_first_word_answers_the_words_of_the_question(question: str, opens: str) -> None:
    assert turn(question)[2].answer.startswith(opens)


def test_a_cache_in_eight_bits_is_no_way_where_the_weights_fit_without() -> None:
    answer = turn("4060ti 16g 能跑 qwen3 14b 吗")[2].answer
    assert "INT4" in answer
    assert "KV 缓存（" not in answer.split("\n\n")[0]
    assert "INT4 加" not in answer


def test_where_no_format_fits_one_card_the_fewest_that_hold_it_are_told() -> None:
    _understanding, calls, draft = turn("4090能跑70b吗")
    fewest = min(
        row["count"]
        for call in calls
        if call.tool == "estimate_memory" and not call.request.get("kv_format")
        for row in call.result["minimum_gpus"]
        if row["gpu"] == "rtx-4090-24gb"
    )
    assert f"{fewest}×RTX 4090 用 INT4 就放得下" in draft.answer


def test_a_narrower_format_is_counted_only_where_it_saves_cards() -> None:
    class Row:
        def __init__(self, count: int, verdict: str = "yes") -> None:
            self.count, self.verdict = count, verdict

    class One:
        def __init__(self, weight_format: str) -> None:
            self.task, self.request = "inference", {}
            self.result = type("R", (), {"weight_format": weight_format})

    pairs = [(One("bf16"), Row(8)), (One("int4"), Row(8)), (One("fp8"), Row(4)), (One("awq"), Row(4))]
    kept = [(one.result.weight_format, row.count) for one, row in fewer_each(pairs)]  # type: ignore[arg-type]
    assert kept == [("bf16", 8), ("fp8", 4)]


def test_cards_are_counted_in_the_layout_that_holds_them() -> None:
    _, calls, _ = turn("部署deepseek r1 50人用 要几张H20 96G")
    counted = [call for call in calls if call.tool == "estimate_memory" and call.request.get("tensor_parallel", 1) > 1]
    assert counted
    assert all(call.result["fit"]["verdict"] != "no" for call in counted)


def test_made_in_china_stands_until_it_is_taken_back() -> None:
    understanding, _, draft = talk("100人用的知识库问答，模型qwen3-32b，推荐啥卡", "必须国产", "大概多少钱")
    assert understanding.need.conditions == ("chinese",)
    assert "Ascend" in draft.answer
    assert "RTX" not in draft.answer


def test_cards_of_other_makers_give_way_to_chinese_ones() -> None:
    understanding, _, draft = talk("8张H20跑qwen2.5-72b够不够", "换成国产卡呢")
    assert not understanding.need.gpus_owned
    assert "Ascend" in draft.answer
    assert "H20" not in draft.answer


@pytest.mark.parametrize(
    "text", ["不要国产卡，跑qwen3-32b推荐啥", "国产大模型qwen3-32b 推荐啥卡", "4090和国产卡比跑32b哪个好"]
)
def test_other_mentions_of_china_limit_nothing(text: str) -> None:
    assert "chinese" not in turn(text)[0].need.conditions


def test_a_price_of_a_kilowatt_hour_is_no_card_and_stands() -> None:
    understanding, calls, _ = talk("8张H100一台机器功耗多大", "电费一年多少，1块一度", "两台呢")
    plan = next(call for call in calls if call.tool == "plan_power")
    assert understanding.need.gpus_owned[0].count == 16
    assert plan.request["tariff_per_kwh"] == 1.0
    assert plan.request["currency"] == "CNY"


@pytest.mark.parametrize(
    ("text", "opens"),
    [
        ("8卡4090服务器 机房要多少电 普通插座行吗", "**不能"),
        ("双3090家用插座带得动吗", "**能"),
        ("机房放两台8卡A100要多少电", "**16×A100 SXM4 80GB（2 台）：供电按"),
        ("4卡4090一个月用多少电", "**4×RTX 4090 加整机每月约用"),
    ],
)
def test_feeding_a_machine_is_answered_in_watts_and_circuits(text: str, opens: str) -> None:
    assert turn(text)[2].answer.startswith(opens)

"""Cards in hand weighed against another card, rented or bought: a verdict, and what each does of the work."""

import re

import pytest

from assistant.ground.check import ground
from assistant.plan import particular
from assistant.understand import understand
from tests.assistant.planning import turn


def _rates(answer: str) -> list[float]:
    """The rates of the two sides, in their order."""
    return [
        float(figure.replace(",", "")) for figure in re.findall(r"约? ?([\d.,]+) ?[（(][\d.,–]+[）)] tokens/s", answer)
    ]


@pytest.mark.parametrize(
    ("text", "own", "other", "verdict"),
    [
        ("I own 4×V100 32GB, should I rent an A100 instead for fine-tuning Llama 3 8B?", "4×Tesla", "1×A100", "No"),
        ("手里有 4 张 V100，要不要租 A100 来跑 Qwen2.5-72B？", "4×Tesla V100", "1×A100", "不用"),
        ("We have two 4090s. Is it worth renting an H100 to serve Qwen3-32B?", "2×RTX 4090", "1×H100", "Stay"),
        ("自己有 4 张 2080Ti，租 4090 跑 Qwen2.5-32B 划算吗？", "4×RTX 2080 Ti", "1×RTX 4090", "不用"),
        ("I own 4 V100, should I buy an A100 instead for Llama 3 70B?", "4×Tesla V100", "1×A100", "No, stay"),
        ("We own 8 A100 40GB. Should we rent 8 H100 to full fine-tune Qwen2.5-7B?", "8×A100", "8×H100", "Stay"),
    ],
)  # fmt: skip
def test_cards_that_do_the_work_are_kept(text: str, own: str, other: str, verdict: str) -> None:
    _, records, draft = turn(text)
    first = draft.answer.split("\n")[0]
    assert verdict in first
    assert own in first
    assert other in first
    assert len(_rates(draft.answer)) == 2
    assert any(record.tool == "estimate_cost" and "error" not in record.result for record in records)
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


@pytest.mark.parametrize(
    ("text", "least"),
    [
        ("Should I use my two 3090s or rent an A100 80GB for QLoRA of Llama 3 70B?", "1×A100 SXM4 80GB can"),
        ("公司有 2 张 4090，QLoRA 微调 72B 是用自己的还是租 H100？", "1×H100 SXM5 80GB 放得下"),
        ("I have an RTX 4070 12GB. Should I rent an A6000 for Qwen3-32B?", "INT4"),
        ("我有 4090，想租 H100 跑 70B，一个月多少钱", "INT4"),
    ],
)
def test_cards_that_cannot_hold_it_are_to_be_helped_by_a_rent(text: str, least: str) -> None:
    _, records, draft = turn(text)
    first = draft.answer.split("\n")[0]
    assert first.startswith(("**Yes, rent", "**要租"))
    assert least in first
    assert "/h" in first or " an hour" in first or "/小时" in first
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


@pytest.mark.parametrize(
    "text",
    [
        "手里有 8 张 4090，训练 7B 全参，要不要租 8 张 A100，数据 1 亿 token",
        "I have 8 RTX 4090s for full-parameter fine-tuning of a 7B model, should I rent 8 A100 80GB instead?",
    ],
)
def test_a_way_that_was_said_is_not_given_up(text: str) -> None:
    first = turn(text)[2].answer.split("\n")[0]
    assert first.startswith(("**Yes, rent", "**要做"))
    assert "LoRA" in first


def test_both_are_held_against_each_other_in_one_format() -> None:
    _, records, draft = turn("我有一张 3090，跑 32B 是不是该租张 A100？")
    paced = [one.result for one in records if one.tool == "estimate_inference_speed"]
    assert {one["weight_format"] for one in paced} == {"int4"}
    assert "BF16" in draft.answer.split("\n")[0]


def test_the_run_is_priced_where_its_data_are_known() -> None:
    _, records, draft = turn("We have 2 A6000s; 1B tokens to fine-tune Qwen3-14B with LoRA. Rent an H100 or use ours?")
    cost = next(one.result for one in records if one.tool == "estimate_cost")
    assert cost["run"]["rent_cost"]["value"] > 0
    assert "the run about $" in draft.answer


@pytest.mark.parametrize(
    "text",
    [
        "Should I rent an A100 or buy a 4090 for 32B?",
        "I have a 4090, can it run Qwen3-32B?",
        "我有两张 4090，预算 2 万，升级什么卡跑 72B",
        "Is my 4090 faster than an A100 for Qwen3-32B?",
        "我这 3090 跑 flux dev 要 3 分钟一张图，换 4090 能快多少",
    ],
)
def test_other_questions_keep_their_answers(text: str) -> None:
    assert particular.shape(understand(text)) != "held_or_rented"


@pytest.mark.parametrize(("text", "acquisition"), [("要不要租 A100 跑 72B", None), ("不要租，买什么卡跑 72B", "buy")])
def test_whether_to_rent_rules_nothing_out(text: str, acquisition: str | None) -> None:
    assert understand(text).need.acquisition in (acquisition, "rent" if acquisition is None else acquisition)


@pytest.mark.parametrize(
    ("text", "own"),
    [
        ("自己有 2 张 3090，还是租 4090 微调 14B 好？", "2×RTX 3090"),
        ("Instead of my two A5000, should I rent an L40S for Qwen3-14B for 30 users?", "2×RTX A5000"),
        ("I own a 3090. Would it make more sense to rent an A100 by the hour for training SDXL LoRAs?", "1×RTX 3090"),
    ],
)
def test_whose_card_it_is_is_read_from_the_words_before_it(text: str, own: str) -> None:
    understanding, records, draft = turn(text)
    assert particular.shape(understanding) == "held_or_rented"
    assert own in draft.answer.split("\n")[0]
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded

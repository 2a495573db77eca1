"""A deadline for a training: whether the cards finish by it, how many do, and what renting them comes to."""

import pytest

from assistant.ground.check import ground
from tests.assistant.planning import turn


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param(
            "Can 8 A100 80GB finish full fine-tuning Llama 3.1 8B on 1B tokens within 24 hours?",
            "Yes, within 24 hours",
            id="in-time",
        ),
        pytest.param(
            "Can 4 A100 80GB finish a full fine-tune of Qwen2.5-7B on 1B tokens in 8 hours?",
            "No, not within 8 hours",
            id="late",
        ),
        pytest.param(
            "预训练一个1.5B模型,3000亿token,16张H800要多久?一个月内能完成吗?",
            "期限内跑得完",
            id="a-figure-of-something-else",
        ),
        pytest.param(
            "QLoRA of Qwen2.5-72B on 80M tokens by tomorrow noon (20 hours) on 8x A100 80GB: will it make it?",
            "within 20 hours",
            id="in-brackets",
        ),
        pytest.param(
            "微调Qwen2.5-14B,数据8万条平均800 token,LoRA,四张A100 80G一晚上(10小时)能跑完两轮吗?",
            "10 小时内",
            id="a-night",
        ),
        pytest.param("8张4090能在3天内用2亿token LoRA微调Qwen2.5-32B吗?", "够，3 天内跑得完", id="zh"),
    ],
)
def test_deadline_is_answered_first(text: str, said: str) -> None:
    _, records, draft = turn(text)
    assert said in draft.answer.splitlines()[0]
    assert not ground(draft.answer, records, [text], draft.citations).ungrounded


def test_late_training_is_timed_on_the_cards_that_are_in_time() -> None:
    _, records, draft = turn("Can 4 A100 80GB finish a full fine-tune of Qwen2.5-7B on 1B tokens in 8 hours?")
    timed = [one.result for one in records if one.tool == "estimate_training_time"]
    assert [one["gpu_count"] for one in timed] == [4, 16]
    assert timed[1]["time_s"]["value"] <= 8 * 3600
    assert "16×A100" in draft.answer.splitlines()[0]


def test_number_of_cards_by_a_deadline_comes_before_their_rent() -> None:
    draft = turn("How many A100 80GB to pretrain Qwen2.5-7B on 10B tokens within 48 hours, and what is the rent?")[2]
    assert "16×A100 SXM4 80GB to finish in 2 days" in draft.answer
    assert draft.answer.index("**Rent** 16×A100") < draft.answer.index("**Rent** 8×")


def test_card_that_nobody_lets_is_still_counted_by_the_deadline() -> None:
    draft = turn("48小时内用100亿token继续预训练Qwen2.5-7B,需要几张H800?租金大概多少?")[2]
    assert "约需 8×H800 SXM5 80GB" in draft.answer.splitlines()[0]
    assert "没有读到 H800 SXM5 80GB 的租用报价" in draft.answer


def test_memory_told_is_of_the_way_the_cards_hold_it() -> None:
    text = "用H20给70B做LoRA,数据10万条、平均1500 token,跑3轮,7天之内要出结果。8卡H20够吗?租一周多少钱?"
    answer = turn(text)[2].answer
    assert "放得下？ | 不能" not in answer
    assert "168 小时约" in answer

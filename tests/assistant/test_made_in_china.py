"""Cards made in China in the place of one that is not: several, side by side, with what their software means."""

import pytest

from assistant.ground.check import ground
from kb.catalog import gpus
from tests.assistant.planning import turn
from tools.configure.suitable import MADE_IN_CHINA


@pytest.mark.parametrize(
    "text",
    [
        "H20 的国产替代有哪些",
        "买不到 H20，国产替代选什么",
        "国产替代 H100 推荐",
        "4090 国产平替",
        "Chinese alternatives to the H20?",
        "what domestic replacement is there for an A100",
    ],
)
def test_several_makers_stand_in_for_a_card(text: str) -> None:
    _, records, draft = turn(text)
    (row,) = [one for one in records if one.tool == "find_gpus"]
    makers = [vendor for one in row.result["gpus"] if (vendor := gpus()[one["id"]].vendor) != "NVIDIA"]
    assert len(set(makers)) == len(makers) == 3
    assert set(makers) <= set(MADE_IN_CHINA)
    assert "Huawei" in makers
    assert "CUDA" in draft.answer
    assert "vLLM Ascend" in draft.answer
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


@pytest.mark.parametrize(
    "text", ["有没有能替代 H20 的国产卡，跑 DeepSeek-R1", "用国产卡替代 A100 推理 Qwen2.5-72B 选哪家"]
)
def test_with_a_model_it_is_sized_on_a_card_made_in_china(text: str) -> None:
    _, records, draft = turn(text)
    cards = {one.request.get("gpu") for one in records if one.tool == "estimate_memory"} - {None}
    assert cards
    assert all(gpus()[one].vendor in MADE_IN_CHINA for one in cards)
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


@pytest.mark.parametrize("text", ["910B 相当于英伟达的什么卡", "昇腾 910B 和 H20 怎么选"])
def test_other_questions_about_such_cards_stay_as_they_are(text: str) -> None:
    _, _, draft = turn(text)
    assert "国产里最接近" not in draft.answer

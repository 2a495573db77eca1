"""Cards made in China in the place of one that is not: several, side by side, with what their software means."""

import pytest

from assistant.compose import names
from assistant.ground.check import ground
from kb.catalog import gpus
from tests.assistant.planning import turn
from tools.configure.market.suitable import MADE_IN_CHINA


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


@pytest.mark.parametrize(
    "text",
    [
        "H20 有什么国产替代？跑 Qwen3-32B",
        "domestic replacement for A100 in China to serve Qwen2.5-72B",
        "用国产卡替代 A100 推理 Qwen2.5-72B 选哪家",
        "Chinese alternatives to the H100 for Qwen3-235B?",
        "国产卡跑 Qwen3-235B 用哪家的？要几张",
        "国产卡跑 Qwen3-32B 要几张",
        "H20 的国产替代，给 50 人用 Qwen3-32B",
        "What Chinese GPU could replace our H100s for Llama 3.3 70B inference?",
        "We want to replace our A100s with Chinese cards to run Qwen2.5-72B",
    ],
)
def test_with_a_model_several_makers_are_told_with_the_number_each_takes(text: str) -> None:
    _, records, draft = turn(text)
    least: dict[str, int] = {}
    for one in records:
        if one.tool == "estimate_memory" and "error" not in one.result:
            card = one.request["gpu"]
            counts = [row["count"] for row in one.result["minimum_gpus"] if row["gpu"] == card]
            least.setdefault(card, counts[0])
    verdict = draft.answer.split("\n\n")[0]
    assert len({gpus()[one].vendor for one in least}) == len(least) == 5
    assert {"Huawei", "Kunlunxin"} <= {gpus()[one].vendor for one in least}
    for card, count in least.items():
        assert names.cards(card, count) in verdict
    assert verdict.index("Huawei") < verdict.index("Kunlunxin")
    assert "CUDA" in draft.answer
    assert not draft.configurations
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


def test_more_people_take_more_of_each() -> None:
    texts = ("H20 的国产替代，跑 Qwen3-32B", "H20 的国产替代，给 500 人用 Qwen3-32B")
    fewest = []
    for text in texts:
        records = turn(text)[1]
        huawei = (one for one in records if one.tool == "estimate_memory" and "ascend" in one.request["gpu"])
        fewest.append(next(huawei).result["minimum_gpus"][0]["count"])
    assert fewest[0] < fewest[1]


@pytest.mark.parametrize(
    "text",
    [
        "5 万预算买国产卡跑 Qwen3-32B",
        "昇腾 910B 跑 Qwen3-32B 要几张",
        "H20 和 910B 跑 Qwen3-32B 哪个好",
        "微调 Qwen3-32B 用哪家国产卡",
    ],
)
def test_a_named_maker_a_budget_and_a_training_are_answered_as_before(text: str) -> None:
    _, records, _ = turn(text)
    makers = {
        gpus()[card].vendor for one in records if one.tool == "estimate_memory" and (card := one.request.get("gpu"))
    }
    assert len(makers & set(MADE_IN_CHINA)) <= 1


@pytest.mark.parametrize(
    "text",
    [
        "Should I replace a 3090 with a 4090 for Llama 3.1 8B?",
        "4090 换 5090 跑 Qwen3-8B 值得吗",
        "H20 跑 Qwen3-32B 要几张",
    ],
)
def test_a_replacement_from_anywhere_names_no_card_made_in_china(text: str) -> None:
    _, records, _ = turn(text)
    cards = {one.request.get("gpu") for one in records if one.tool == "estimate_memory"} - {None}
    assert all(gpus()[card].vendor not in MADE_IN_CHINA for card in cards)

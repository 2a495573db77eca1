"""What a link between cards is worth: held against the speed of one card and of every way of splitting."""

import pytest

from tests.assistant.planning import turn

SPEED, TIME = "estimate_inference_speed", "estimate_training_time"


@pytest.mark.parametrize(
    ("text", "tool", "opens"),
    [
        pytest.param("Is NVLink necessary for Qwen2.5-72B AWQ on two RTX A6000?", SPEED, "No",
                     id="need-en"),
        pytest.param("两张 4090 没有 NVLink，部署 Qwen3-32B int4 影响大吗", SPEED, "有帮助，但不必须", id="need-zh"),
        pytest.param("TP=2 on my pair of 3090s is slower than one card with Llama-3.1-8B, why", SPEED,
                     "That is not normal", id="slower-en"),
        pytest.param("双卡 3060 用 DDP 训练反而比单卡慢", TIME, "不正常", id="slower-training"),
        pytest.param("8x L40S full fine-tuning of a 7B: how much do we lose without NVLink?", TIME,
                     "It helps", id="sharded"),
        pytest.param("3090 装在雷电外接盒里跑 14B int4 会慢很多吗", SPEED, "影响很小", id="outside"),
    ],
)  # fmt: skip
def test_the_ways_to_spread_the_work_are_timed_and_the_verdict_leads(text: str, tool: str, opens: str) -> None:
    _, records, draft = turn(text)
    assert tool in {record.tool for record in records}
    assert draft.verdict == "estimate"
    assert draft.answer.lstrip("*").startswith(opens), draft.answer.splitlines()[0]


def test_the_speed_of_what_does_not_fit_one_card_is_not_told() -> None:
    _, _, draft = turn("Do I need NVLink for a 70B in AWQ on two 3090s?")
    table = [line for line in draft.answer.splitlines() if line.startswith("| 1×")]
    assert table == []


@pytest.mark.parametrize("text", ["does the RTX 5090 have NVLink?", "2080 Ti 支持 NVLink 吗", "A6000 NVLink 带宽多少"])
def test_a_property_of_a_card_stays_a_fact(text: str) -> None:
    _, records, draft = turn(text)
    assert draft.verdict == "fact"
    assert SPEED not in {record.tool for record in records}


def test_a_network_between_machines_is_not_reckoned_as_a_link_within_one() -> None:
    _, _, draft = turn("两台机器各 4 张 A100，中间只有 25G 以太网，DDP 训 BERT-large 能加速吗")
    assert "卡间交换只占" not in draft.answer


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param("Full fine-tuning a 13B on 8x A100 PCIe 80GB, 10B tokens: how long?", True, id="eight-bridged"),
        pytest.param("8 张 A100 PCIe 80GB 全参微调 13B，10B token 要多久？", True, id="eight-bridged-zh"),
        pytest.param("Full fine-tuning a 7B on 2x A100 PCIe 80GB, 1B tokens: how long?", False, id="a-pair"),
        pytest.param("Full fine-tuning a 13B on 8x A100 SXM 80GB, 10B tokens: how long?", False, id="soldered"),
    ],
)
def test_more_bridged_cards_than_a_group_are_said_to_talk_over_pcie(text: str, said: bool) -> None:
    _, _, draft = turn(text)
    assert ("桥接器" in draft.answer or "in small groups" in draft.answer) is said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param("Is NVLink needed for 2x A6000 fine-tuning?", "LoRA of 8B stands in", id="en"),
        pytest.param("两张 A6000 微调需要 NVLink 吗", "8B 的 LoRA", id="zh"),
    ],
)
def test_fine_tuning_without_a_way_and_a_model_is_shown_by_adapters(text: str, said: str) -> None:
    _, records, draft = turn(text)
    times = [one.request for one in records if one.tool == TIME]
    assert times
    assert all(one["task"] == "lora" and one["params"] == 8 * 10**9 for one in times)
    assert said in draft.answer


def test_the_name_of_a_link_keeps_its_letters() -> None:
    assert "nVLink" not in turn("Is NVLink needed for 4x A100 inference?")[2].answer

"""Several kinds of work for one machine: each is read, sized and placed, and one order serves all."""

import pytest

from assistant.understand import understand
from kb.catalog import gpu
from tests.assistant.planning import talk, turn

SAID = [
    pytest.param("实验室 12 万，主要训分割模型，偶尔给学生部署 14B，怎么配",
                 [("main", "full_finetune", "MIC-DKFZ/nnUNet"), ("seldom", "inference", 14 * 10**9)], id="vision-llm"),
    pytest.param("$9000 box: mainly Whisper transcription, sometimes QLoRA of a 13B",
                 [("main", "inference", "openai/whisper-large-v3"), ("seldom", "qlora", 13 * 10**9)],
                 id="speech-qlora"),
    pytest.param("6 万预算，又要微调 7B，又要推理 32B，买什么",
                 [("also", "qlora", 7 * 10**9), ("also", "inference", 32 * 10**9)], id="two-sizes"),
    pytest.param("What should I buy for SDXL LoRA training and a 30B chat model at 4-bit, about $4k?",
                 [("also", "lora", "stabilityai/stable-diffusion-xl-base-1.0"), ("also", "inference", 30 * 10**9)],
                 id="images-llm"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "works"), SAID)
def test_each_kind_of_work_is_read_main_one_first(text: str, works: list[tuple[str, str, object]]) -> None:
    read = [(one.role, one.task, one.model or one.params) for one in understand(text, None).workloads]
    assert read == works


@pytest.mark.parametrize(("text", "works"), SAID)
def test_one_order_is_held_against_all_of_them(text: str, works: list[tuple[str, str, object]]) -> None:
    _, records, draft = turn(text)
    estimates = [record for record in records if record.tool == "estimate_memory"]
    assert len(estimates) == len(works)
    assert draft.verdict == "recommendation"
    best = draft.configurations[0]
    for record in estimates:
        cards = best.gpu_count if record.request.get("task", "inference") == "inference" else 1
        assert record.result["per_gpu"]["total_bytes"] <= best.memory.usable_bytes_per_gpu * cards
    assert draft.clarifying_questions


@pytest.mark.parametrize(
    "text",
    [
        "部署 Qwen3-32B 给 20 人用，上下文 32k，并发 8，预算 10 万",
        "Best card under $2000 for Llama 3.1 8B, 16k context, and low noise?",
        "两张 3090 训 YOLO 和 7B LoRA 够吗",
        "RTX 5090 or 4090 for SDXL and a 14B?",
    ],
)
def test_one_kind_of_work_or_named_cards_are_answered_as_before(text: str) -> None:
    assert understand(text, None).workloads == ()


def test_what_the_budget_does_not_reach_is_said_and_the_rest_is_ordered() -> None:
    _, _, draft = turn("预算 1 万，主要跑 SDXL 出图，偶尔全参微调 14B，怎么配")
    first = draft.answer.splitlines()[0]
    assert "超出" in first
    assert draft.configurations


def test_an_answer_to_what_it_is_for_may_name_several_kinds_of_work() -> None:
    understanding, _, draft = talk("which GPU for AI?", "mainly SDXL pictures and a bit of Qwen3-8B")
    assert [one.role for one in understanding.workloads] == ["main", "also"]
    assert draft.verdict == "recommendation"


@pytest.mark.parametrize(("watts", "most"), [(450, 160), (650, 320), (1000, 600)])
def test_a_stated_supply_bounds_the_cards_proposed(watts: int, most: int) -> None:
    _, records, draft = talk("best card for SDXL?", f"under $1500, and my PSU is {watts}W")
    assert [record.request["max_power_w"] for record in records if record.tool == "configure"] == [most]
    assert all(gpu(one.gpu).tdp_w * one.gpu_count <= most for one in draft.configurations if one.acquisition == "buy")


def test_a_supply_that_is_stated_is_a_circumstance_and_no_question() -> None:
    understanding, _, _ = talk("best card for SDXL under $900?", "the case is small, with a 550W power supply")
    assert understanding.need.intent in ("which_to_buy", "budget")

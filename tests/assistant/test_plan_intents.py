from typing import Any

import pytest

from assistant.plan import plan
from assistant.plan.intents import FAMILIES, intents
from assistant.plan.provisional import provisional
from assistant.understand.standing import standing
from assistant.understanding import Asked, Understanding
from tests.assistant.planning import turn
from tools.need import Intent

QWEN = "Qwen/Qwen2.5-72B-Instruct"


def reading(text: str = "a question", asks: tuple[str, ...] = (), **need: Any) -> Understanding:
    return Understanding(text=text, language="en", need=standing(text, Asked.model_validate(need)), asks=asks)


def test_every_intent_belongs_to_a_family() -> None:
    assert set(FAMILIES) == set(Intent.__args__)  # type: ignore[attr-defined]


def test_a_stated_length_beside_a_question_about_hardware_is_a_parameter() -> None:
    asked = reading(asks=("which_to_buy",), intent="context_length", context_tokens=4096, model=QWEN)
    assert intents(asked) == ["which_to_buy"]
    assert intents(reading(asks=("which_to_buy",), intent="context_length", model=QWEN))[0] == "context_length"


def test_a_property_of_a_card_comes_after_the_question_about_the_model() -> None:
    asked = reading(asks=("can_it_run",), intent="interconnect", model=QWEN, gpus_owned=[{"gpu": "rtx-3090"}])
    assert intents(asked) == ["can_it_run", "interconnect"]


def test_one_family_is_answered_once() -> None:
    asked = reading(asks=("min_vram", "how_many_gpus", "guidance", "speed"), intent="can_it_run", model=QWEN)
    assert intents(asked) == ["can_it_run", "speed"]


@pytest.mark.parametrize(
    ("text", "task", "model"),
    [
        ("Ubuntu, krita SD plugin: which card?", "diffusion", "stabilityai/stable-diffusion-xl-base-1.0"),
        ("is 24GB enough for transcribing with Whisper?", "speech", "openai/whisper-large-v3"),
        ("GPT-SoVITS 要什么卡", "speech", None),
        ("segmentation of nuclei", "vision", None),
    ],
)
def test_a_common_model_stands_in_only_where_the_words_point_to_it(text: str, task: str, model: str | None) -> None:
    assert provisional(reading(text, intent="which_to_buy", task=task)).model == model


def test_images_are_trained_when_the_words_say_so() -> None:
    asked = reading(
        "kohya 训 SDXL lora", intent="min_vram", task="diffusion", model="stabilityai/stable-diffusion-xl-base-1.0"
    )
    assert provisional(asked).task == "lora"
    memory = next(call for call in plan(asked) if call.tool == "estimate_memory")
    assert memory.request["task"] == "lora"


def test_a_model_published_in_fp8_is_sized_in_bf16_on_a_card_without_fp8() -> None:
    asked = reading(intent="how_many_gpus", model="deepseek-ai/DeepSeek-R1", gpus_asked=["a100-sxm-80gb"])
    first = next(call for call in plan(asked) if call.tool == "estimate_memory")
    assert first.request["weight_format"] == "bf16"
    asked = reading(intent="how_many_gpus", model="deepseek-ai/DeepSeek-R1", gpus_asked=["h100-sxm-80gb"])
    first = next(call for call in plan(asked) if call.tool == "estimate_memory")
    assert "weight_format" not in first.request


UNLIKE = [{"gpu": "rtx-3090", "count": 1}, {"gpu": "rtx-3060-12gb", "count": 1}]


def test_different_cards_that_an_engine_needs_equal_are_taken_at_the_size_of_the_smallest() -> None:
    asked = reading(intent="can_it_run", params=9_000_000_000, gpus_owned=UNLIKE, engine="vllm")
    first = next(call for call in plan(asked) if call.tool == "estimate_memory")
    assert "3060" in first.request["gpu"]
    assert first.request["tensor_parallel"] == 2


def test_different_cards_that_may_share_the_layers_are_searched_for_what_they_hold_together() -> None:
    asked = reading(intent="can_it_run", params=9_000_000_000, gpus_owned=UNLIKE)
    calls = plan(asked)
    cards = [call.request["gpu"] for call in calls if call.tool == "estimate_memory"]
    assert cards == ["rtx-3090", "rtx-3060-12gb"]
    assert any(len(call.request["gpus_owned"]) == 2 for call in calls if call.tool == "configure")


def test_a_format_asked_about_without_a_card_is_checked_on_each_generation() -> None:
    calls = [
        call
        for call in plan(reading("is fp8 always best?", intent="compatibility"))
        if call.tool == "check_compatibility"
    ]
    assert len(calls[0].request["gpus"]) > 2


@pytest.mark.parametrize(
    ("text", "model", "intent"),
    [
        ("怎么在 k8s 里让两个 pod 共享一张 A100", None, "guidance"),
        ("how do I pin a container to the second GPU in docker compose?", None, "guidance"),
        ("给我一份 k8s 部署文件", None, "launch_files"),
        ("k8s for the 72B on two A100", QWEN, "launch_files"),
    ],
)
def test_where_something_runs_is_no_file_to_be_made(text: str, model: str | None, intent: Intent) -> None:
    assert intents(reading(text, intent="launch_files", model=model))[0] == intent


@pytest.mark.parametrize(
    ("text", "need", "first"),
    [
        (
            "信创项目，只能用国产卡，50并发，求方案",
            {"intent": "can_it_run", "concurrent_sequences": 50},
            "which_to_buy",
        ),
        ("100 人用，要几台 8 卡机", {"intent": "how_many_gpus", "users": 100}, "which_to_buy"),
        ("大模型一体机，30 人用，显卡配置怎么写", {"intent": "launch_files", "users": 30}, "which_to_buy"),
        ("需要ECC显存的卡，两张以内", {"intent": "min_vram", "conditions": ("ecc",)}, "which_to_buy"),
        ("100 人用，要多少显存", {"intent": "min_vram", "users": 100}, "min_vram"),
        ("要几张卡", {"intent": "how_many_gpus"}, "how_many_gpus"),
        ("FP8 原生推理，8 卡服务器有哪些可选", {"intent": "min_vram", "gpu_count": 8}, "which_to_buy"),
        ("50 人用，能跑吗", {"intent": "can_it_run", "gpus_owned": [{"gpu": "rtx-4090-24gb"}]}, "can_it_run"),
    ],
)
def test_a_service_without_cards_asks_for_hardware(text: str, need: dict[str, Any], first: Intent) -> None:
    assert intents(reading(text, model=QWEN, **need))[0] == first


def test_memory_of_what_is_recommended_is_of_its_own_layout() -> None:
    _, records, draft = turn("DeepSeek-V3.2给300个研发用,并发60路,上下文16K,预算420万,给个方案")
    best = draft.configurations[0]
    told = [one for one in records if one.tool == "estimate_memory" and one.request.get("gpu") == best.gpu]
    assert all(one.request.get("expert_parallel", 1) == best.expert_parallel for one in told)

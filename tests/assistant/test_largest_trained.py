"""The largest model other than of language that a card trains, for each way to train it."""

import pytest

from assistant.plan import particular
from kb.catalog import models
from tests.assistant.planning import turn


@pytest.mark.parametrize(
    ("question", "kinds", "first"),
    [
        ("biggest vision model I can fine-tune on a 3060", {"vlm", "vision"}, "Qwen3-VL"),
        ("3060 能微调多大的视觉语言模型", {"vlm"}, "Qwen3-VL"),
        ("what's the largest VLM I can LoRA on a 24GB card?", {"vlm"}, "Qwen3-VL-8B"),
        ("4090 能 QLoRA 多大的多模态模型", {"vlm"}, "gemma-3-27b"),
        ("how large a multimodal model can an A100 80GB fine-tune?", {"vlm"}, "VL"),
        ("what is the largest image classifier I can train on a 2080 Ti?", {"vision"}, "dinov2"),
        ("12G 显存能训练多大的 YOLO", {"vision"}, "yolo11"),
        ("what's the biggest embedding model I can fine-tune on a T4?", {"embedding"}, "Qwen3-Embedding"),
        ("biggest diffusion model I can train a LoRA for on a 3060?", {"diffusion"}, "stable-diffusion"),
        ("4090 最大能炼什么出图模型的 LoRA", {"diffusion"}, ""),
    ],
)
def test_models_of_that_kind_are_named_the_largest_first(question: str, kinds: set[str], first: str) -> None:
    understanding, records, draft = turn(question)
    assert particular.shape(understanding) == "largest_trained"
    asked = [one for one in records if one.tool == "estimate_memory"]
    assert {models()[one.request["model"]].kind for one in asked} == kinds
    assert all(one.result["fit"]["verdict"] != "no" for one in asked)
    assert first in draft.answer.split("\n")[0]


@pytest.mark.parametrize("question", ["biggest model I can fine-tune on a 3060", "3060 能微调多大的模型"])
def test_language_models_are_counted_as_before(question: str) -> None:
    understanding, _, draft = turn(question)
    assert particular.shape(understanding) != "largest_trained"
    assert "QLoRA" in draft.answer


def test_a_card_that_trains_none_of_them_is_said_to() -> None:
    _, _, draft = turn("what is the biggest vision language model I can fully fine-tune on a GTX 1650?")
    assert draft.verdict == "does_not_fit"


def test_a_way_that_was_named_is_the_only_one_told() -> None:
    _, records, _ = turn("4090 能 QLoRA 多大的多模态模型")
    assert {one.request["task"] for one in records if one.tool == "estimate_memory"} == {"qlora"}

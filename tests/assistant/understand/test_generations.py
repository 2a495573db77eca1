"""Models newer than the catalog: their family is no stand-in for them."""

import pytest

from assistant.understand import understand
from tests.assistant.planning import turn


@pytest.mark.parametrize(
    ("text", "name"),
    [
        pytest.param("How many B200s would Qwen4-Max need?", "Qwen4-Max", id="joined"),
        pytest.param("DeepSeek-V5 部署要几张H200?", "DeepSeek-V5", id="with-a-letter"),
        pytest.param("GLM-6 需要几张卡", "GLM-6", id="with-a-hyphen"),
        pytest.param("What GPU do I need for Llama 5 70B?", "Llama 5 70B", id="before-a-size"),
        pytest.param("Kimi K4 部署要多少张卡", "Kimi K4", id="after-a-space"),
    ],
)
def test_newer_generation_is_unknown(text: str, name: str) -> None:
    understanding = understand(text)
    doubt = understanding.ambiguities[0]
    assert (doubt.text, doubt.unknown) == (name, True)
    assert understanding.need.model is None


@pytest.mark.parametrize(
    ("text", "model"),
    [
        pytest.param("Llama 7B on 2 4090s?", "huggyllama/llama-7b", id="a-size-is-no-generation"),
        pytest.param("Kimi K3 部署要多少张卡", "moonshotai/Kimi-K3", id="a-known-generation"),
    ],
)
def test_known_name_stays_known(text: str, model: str) -> None:
    assert understand(text).need.model == model


def test_number_of_cards_is_no_generation() -> None:
    assert not any(doubt.unknown for doubt in understand("qwen 4 卡能跑吗").ambiguities)


def test_unknown_generation_is_sized_by_what_was_said_of_it() -> None:
    _, _, draft = turn("How many B200s would Qwen4-Max need? I heard it is a 1.5T MoE.")
    assert "1500B" in draft.answer
    assert "“Qwen4-Max” is not in my catalog" in draft.answer


def test_size_of_an_unknown_model_is_asked_for() -> None:
    _, _, draft = turn("DeepSeek-V5 部署要几张H200?")
    assert draft.clarifying_questions == ("“DeepSeek-V5”大约多少参数？知道参数量就能先估。",)

"""Cards of several kinds that somebody has: one answer that uses them together, and why not otherwise."""

import pytest

from tools.configuration import Configuration
from tools.configure import configure
from tools.configure.request import ConfigureRequest
from tools.speed import estimate_inference_speed
from tools.speed.request import InferenceSpeedRequest


def together(cards: dict[str, int], **fields: object) -> Configuration | None:
    owned = tuple({"gpu": card, "count": count} for card, count in cards.items())
    usual = {"task": "inference", "model": "Llama-3.3-70B-Instruct", "gpus_owned": owned}
    found = configure(ConfigureRequest.model_validate(usual | fields)).configurations
    return next((item for item in found if item.cards), None)


@pytest.mark.parametrize(
    ("cards", "model", "form"),
    [
        pytest.param({"rtx-3090-24gb": 1, "rtx-4090-24gb": 1}, "Llama-3.3-70B-Instruct", "gguf:Q4_K_M", id="3090+4090"),
        pytest.param({"rtx-3090-24gb": 2, "p40-24gb": 1}, "Qwen2.5-72B", "gguf:Q6_K", id="2x3090+P40"),
        pytest.param({"rtx-4090-24gb": 1, "rtx-3060-12gb": 1}, "Qwen2.5-14B", "gguf:Q8_0", id="4090+3060"),
        pytest.param({"rtx-5090-32gb": 1, "rtx-3090-24gb": 1}, "Qwen3-32B", "gguf:Q8_0", id="5090+3090"),
    ],
)
def test_unlike_cards_hold_one_model_by_its_layers(cards: dict[str, int], model: str, form: str) -> None:
    found = together(cards, model=model)
    assert found is not None
    assert (found.weight_format, found.engine) == (form, "llama.cpp")
    assert {kind.gpu: kind.count for kind in found.cards} == cards
    assert all(kind.layers > 0 for kind in found.cards)
    assert found.owned_count == found.gpu_count == sum(cards.values())
    assert found.price.amount == 0
    assert {"split_by_memory", "unlike_cards"} <= {one.code for one in found.reasons}


def test_the_pace_lies_between_that_of_either_card() -> None:
    def pace(card: str, count: int) -> float:
        request = InferenceSpeedRequest(
            model="Qwen2.5-14B", gpu=card, gpu_count=count, weight_format="gguf:Q8_0", engine="llama.cpp"
        )
        found = estimate_inference_speed(request).tokens_per_s_per_user
        return found.value if found else 0.0

    mixed = together(
        {"rtx-4090-24gb": 1, "rtx-3060-12gb": 1}, model="Qwen2.5-14B", weight_format="gguf:Q8_0", engine="llama.cpp"
    )
    assert mixed is not None
    both = float((mixed.speed or {})["tokens_per_s_per_user"] or 0)
    assert pace("rtx-3060-12gb", 2) < both < pace("rtx-4090-24gb", 1)


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"task": "lora"}, id="training-needs-equal-ranks"),
        pytest.param({"engine": "vllm"}, id="tensor-parallel-needs-equal-cards"),
        pytest.param({"weight_format": "fp8"}, id="does-not-fit"),
        pytest.param({"task": "diffusion", "model": "black-forest-labs/FLUX.1-dev"}, id="pictures"),
    ],
)
def test_they_are_not_used_together_where_nothing_can(fields: dict[str, object]) -> None:
    assert together({"rtx-3090-24gb": 1, "rtx-4090-24gb": 1}, **fields) is None


def test_equal_cards_that_do_by_themselves_come_first() -> None:
    owned = ({"gpu": "rtx-4090-24gb", "count": 1}, {"gpu": "rtx-3060-12gb", "count": 1})
    found = configure(
        ConfigureRequest.model_validate({"task": "inference", "model": "Qwen2.5-14B", "gpus_owned": owned})
    ).configurations
    assert [bool(item.cards) for item in found[:2]] == [False, True]
    assert [item.rank for item in found] == list(range(1, len(found) + 1))

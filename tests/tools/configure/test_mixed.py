"""Cards of several kinds that somebody has: one answer that uses them together, and why not otherwise."""

import pytest

from tools.configuration import Configuration
from tools.configure import configure
from tools.configure.request import ConfigureRequest
from tools.ways_to_run import find_ways_to_run
from tools.ways_to_run.request import WaysToRunRequest


def together(cards: dict[str, int], **fields: object) -> Configuration | None:
    owned = tuple({"gpu": card, "count": count} for card, count in cards.items())
    usual = {"task": "inference", "model": "Llama-3.3-70B-Instruct", "gpus_owned": owned}
    found = configure(ConfigureRequest.model_validate(usual | fields)).configurations
    return next((item for item in found if item.cards), None)


@pytest.mark.parametrize(
    ("cards", "model"),
    [
        pytest.param({"rtx-3090-24gb": 1, "rtx-4090-24gb": 1}, "Llama-3.3-70B-Instruct", id="3090+4090"),
        pytest.param({"rtx-3090-24gb": 2, "p40-24gb": 1}, "Qwen2.5-72B", id="2x3090+P40"),
        pytest.param({"rtx-4090-24gb": 1, "rtx-3060-12gb": 1}, "Qwen2.5-14B", id="4090+3060"),
        pytest.param({"rtx-5090-32gb": 1, "rtx-3090-24gb": 1}, "Qwen3-32B", id="5090+3090"),
    ],
)
def test_unlike_cards_hold_one_model_as_the_solver_of_ways_says(cards: dict[str, int], model: str) -> None:
    found = together(cards, model=model)
    assert found is not None
    assert found.engine == "llama.cpp"
    fixed = {"model": model, "weight_format": found.weight_format, "kv_format": found.kv_format, "engine": "llama.cpp"}
    owned = [{"gpu": kind.gpu, "count": kind.count} for kind in found.cards]
    ways = find_ways_to_run(WaysToRunRequest.model_validate({**fixed, "cards": owned})).ways
    assert found.memory.needed_bytes_per_gpu in {way.memory.needed_bytes_per_gpu for way in ways}
    assert all(kind.layers > 0 for kind in found.cards)
    assert found.owned_count == found.gpu_count <= sum(cards.values())
    assert found.price.amount == 0
    assert {"split_by_memory", "unlike_cards"} <= {one.code for one in found.reasons}


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


def test_a_card_that_is_not_needed_is_not_used() -> None:
    """A 4090 holds it by itself: the other card would only hold up every token."""
    owned = ({"gpu": "rtx-4090-24gb", "count": 1}, {"gpu": "rtx-3060-12gb", "count": 1})
    fields = {"task": "inference", "model": "Qwen2.5-14B", "weight_format": "gguf:Q8_0", "gpus_owned": owned}
    found = configure(ConfigureRequest.model_validate(fields)).configurations
    assert (found[0].gpu, found[0].gpu_count, found[0].owned_count) == ("rtx-4090-24gb", 1, 1)
    assert not any(item.cards for item in found)
    assert [item.rank for item in found] == list(range(1, len(found) + 1))

"""Layers dealt out to unlike cards: all of them, none beyond its memory, more to the larger."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.catalog import gpus, model
from tools.memory import estimate_memory
from tools.memory.pooled import pooled
from tools.memory.request import MemoryRequest

CARDS = ("rtx-3060-12gb", "rtx-3090-24gb", "rtx-4090-24gb", "p40-24gb", "rtx-5090-32gb", "rtx-a6000-48gb")
MODELS = ("Llama-3.1-8B", "Qwen2.5-32B", "Llama-3.3-70B-Instruct", "Mixtral-8x7B-v0.1")
FORMATS = ("gguf:Q4_K_M", "gguf:Q8_0")


def q4(name: str) -> MemoryRequest:
    return MemoryRequest(model=name, weight_format="gguf:Q4_K_M", engine="llama.cpp")


@settings(deadline=None)
@given(st.sampled_from(MODELS), st.sampled_from(FORMATS), st.lists(st.sampled_from(CARDS), min_size=1, max_size=6))
def test_every_layer_is_dealt_and_no_card_holds_more_than_it_can(name: str, form: str, cards: list[str]) -> None:
    held = pooled(q4(name).model_copy(update={"weight_format": form}), [gpus()[card] for card in cards])
    if held.verdict == "no":
        assert not any(held.layers)
        return
    assert sum(held.layers) == model(name).layers
    assert all(each <= gpus()[card].usable_bytes for each, card in zip(held.held_bytes, cards, strict=True))


@settings(deadline=None)
@given(st.sampled_from(MODELS), st.lists(st.sampled_from(CARDS), min_size=1, max_size=4), st.sampled_from(CARDS))
def test_one_more_card_never_holds_less(name: str, cards: list[str], another: str) -> None:
    order = ("no", "tight", "yes")
    less, more = (pooled(q4(name), [gpus()[one] for one in several]) for several in (cards, [*cards, another]))
    assert order.index(more.verdict) >= order.index(less.verdict)


@pytest.mark.parametrize("card", ["rtx-3090-24gb", "rtx-a6000-48gb"])
def test_one_card_holds_what_the_calculator_says(card: str) -> None:
    request = q4("Qwen2.5-32B")
    whole = estimate_memory(request).per_gpu.total_bytes
    assert abs(pooled(request, [gpus()[card]]).needed_bytes - whole) < 100


def test_the_larger_card_takes_the_more_layers() -> None:
    held = pooled(q4("Llama-3.3-70B-Instruct"), [gpus()["rtx-a6000-48gb"], gpus()["rtx-3060-12gb"]])
    assert held.verdict == "yes"
    assert held.layers[0] > 3 * held.layers[1] > 0


@pytest.mark.parametrize(
    ("model", "card", "stages"),
    [("Qwen/Qwen2-VL-72B-Instruct", "a100-sxm-40gb", 4), ("meta-llama/Llama-3.3-70B-Instruct", "a800-pcie-40gb", 4)],
)
def test_cards_that_hold_a_training_dealt_out_by_layers_are_enough_of_them(model: str, card: str, stages: int) -> None:
    """What fits as it is asked for is no less than the fewest cards named for it."""
    found = estimate_memory(
        MemoryRequest(
            model=model, task="lora", gpu=card, pipeline_parallel=stages, sequence_tokens=1024, fused_loss=True
        )
    )
    assert found.fit is not None
    assert found.fit.verdict != "no"
    fewest = next(row for row in found.minimum_gpus if row.gpu == card)
    assert fewest.count <= stages

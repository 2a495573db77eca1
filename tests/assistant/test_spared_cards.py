"""Picture models on cards that do not hold them whole: parts in turn, layers streamed, blocks swapped."""

import pytest

from tests.assistant.planning import turn


@pytest.mark.parametrize(
    ("text", "way"),
    [
        pytest.param("Can SD3.5 Large in bf16 run on a 16GB 4060 Ti?", "streamed layer by layer", id="streamed"),
        pytest.param("Z-Image in bf16 on a 16GB card, possible?", "with parts in turn", id="in-turn-though-tight"),
        pytest.param(
            "FLUX LoRA training on a 4060 Ti 16GB with an fp8 base, gradient checkpointing", "swapped", id="swapped"
        ),
        pytest.param("3070 8G 训练 yolov8l 640 batch 16 够吗", "batch 8", id="fewer-pictures"),
    ],
)
def test_what_spares_the_card_leads(text: str, way: str) -> None:
    _, _, draft = turn(text)
    assert draft.verdict == "fits_with_changes"
    assert way in draft.answer.split("\n")[0]


def test_layers_are_not_streamed_where_parts_in_turn_fit() -> None:
    _, _, draft = turn("Does SDXL fp16 fit an 10GB RTX 3080?")
    assert "streamed" not in draft.answer.split("\n")[0]


def test_training_a_base_fully_is_no_adapter_because_adapters_are_ruled_out() -> None:
    _, records, _ = turn("full finetune of SDXL, not LoRA, on an A100 80GB")
    assert {one.request.get("task") for one in records if one.tool == "estimate_memory"} == {"full_finetune"}


def test_the_length_of_the_texts_counts_in_embedding() -> None:
    _, records, _ = turn("bge-m3 encode passages of 8192 tokens in fp16, batch 8, on a 3060 12GB, enough?")
    first = next(one for one in records if one.tool == "estimate_memory")
    assert (first.request["context_tokens"], first.request["concurrent_sequences"]) == (8192, 8)

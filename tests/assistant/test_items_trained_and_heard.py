"""Work without tokens that is trained, or comes in live: its time, its streams, and what stays open."""

import pytest

from tests.assistant.planning import turn


@pytest.mark.parametrize(
    "question",
    [
        pytest.param("SDXL lora, 40 images, 3000 steps on a 4070 12gb, how long will it take?", id="steps"),
        pytest.param("how long does it take to train a flux lora on my 3090, 1200 steps", id="said-to-train"),
        pytest.param("4090 炼一个 SDXL 的 LoRA，1500 步，要多久？", id="chinese"),
    ],
)
def test_steps_of_an_adapter_are_training_and_not_pictures_made(question: str) -> None:
    _, records, draft = turn(question)
    timed = [one for one in records if one.tool == "estimate_training_time"]
    assert timed
    assert timed[0].result["time_s"]["value"] > 300
    assert timed[0].request["task"] == "lora"
    assert draft.verdict == "estimate"


def test_steps_of_a_picture_stay_steps_of_a_picture() -> None:
    _, records, _ = turn("how long does one SDXL picture with a lora take on a 3060 12gb at 30 steps?")
    assert records[0].tool == "estimate_inference_speed"


def test_training_that_nobody_timed_is_judged_by_memory_and_says_so() -> None:
    _, records, draft = turn("fine tuning whisper large-v3 on 60 hours of audio on a 4090, does it fit and how long?")
    assert not any(one.tool == "estimate_inference_speed" for one in records)
    assert draft.verdict in ("fits", "fits_with_changes", "does_not_fit")
    assert any("hundred steps" in line for line in draft.warnings) or "hundred steps" in draft.answer


@pytest.mark.parametrize(
    "question",
    [
        pytest.param("whisper large v3 live transcription on one L4, how many streams at once?", id="en"),
        pytest.param("一张 4090 跑 whisper large-v3 实时转写，能同时带多少路？", id="zh"),
    ],
)
def test_live_streams_are_counted_by_the_pace_of_the_card(question: str) -> None:
    _, records, draft = turn(question)
    heard = next(one.result["audio_s_per_s"] for one in records if one.tool == "estimate_inference_speed")
    assert f"{round(heard['value'])}" in draft.answer.split("\n")[0]
    assert not any("token" in question for question in draft.clarifying_questions)


def test_a_small_rest_of_a_dense_model_is_proposed_to_host_memory() -> None:
    _, _, draft = turn("will mistral small 24b run on my 12gb laptop 4080?")
    assert draft.verdict == "fits_with_changes"
    assert "2×RTX 4080 Laptop" not in draft.answer


def test_eight_bit_caches_are_judged_as_stored_and_not_as_computed() -> None:
    _, _, draft = turn("can i use fp8 kv cache on a 3090?")
    assert "works with a condition" in draft.answer.split("\n")[0]


def test_a_format_that_the_card_lacks_is_named_as_the_cause_of_a_fault() -> None:
    _, _, draft = turn("loss is nan when finetuning qwen2.5 7b on a V100 32GB with bf16=True, why?")
    assert "BF16" in draft.answer.split("\n")[0]
    assert "does not work" in draft.answer.split("\n")[0]


def test_counted_pictures_are_no_context() -> None:
    understanding, _, _ = turn("can my 3090 do qwen2.5-vl-7b over 200k product pics a day?")
    assert understanding.need.context_tokens is None


def test_american_outlets_have_american_volts() -> None:
    for question in ("will a normal US 15A outlet handle 2x 3090?", "can a 20 amp breaker handle 4x 3090?"):
        _, records, _ = turn(question)
        power = next(one for one in records if one.tool == "plan_power")
        assert power.result["circuits"][0]["volts"] == 120

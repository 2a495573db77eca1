"""Answers a second, and the pictures in a prompt."""

import pytest

from tools.speed import estimate_inference_speed
from tools.speed.request import InferenceSpeedRequest
from tools.speed.result import InferenceSpeed


def estimate(**fields: object) -> InferenceSpeed:
    asked = {"model": "Qwen2.5-VL-7B-Instruct", "gpu": "rtx-3090", "concurrent_sequences": 16, "input_tokens": 200,
             "output_tokens": 100, **fields}  # fmt: skip
    return estimate_inference_speed(InferenceSpeedRequest.model_validate(asked))


def answers(**fields: object) -> float:
    found = estimate(**fields).requests_per_s
    assert found is not None
    return found.value


def test_answers_a_second_are_the_tokens_a_second_by_the_tokens_of_one() -> None:
    found = estimate()
    assert found.tokens_per_s_total is not None
    assert answers() == pytest.approx(found.tokens_per_s_total.value / 100)
    assert found.requests_per_day is not None
    assert found.requests_per_day.value == pytest.approx(86_400 * answers())


def test_pictures_and_longer_answers_make_fewer_answers() -> None:
    assert answers(images_per_sample=4) < answers(images_per_sample=1) < answers()
    assert answers(output_tokens=400) < answers()


def test_a_model_that_sees_no_pictures_reads_none() -> None:
    plain, shown = (estimate(model="Qwen3-8B", images_per_sample=count) for count in (None, 4))
    assert plain.input_tokens == shown.input_tokens


def test_a_reader_of_texts_answers_nothing() -> None:
    assert estimate(model="BAAI/bge-m3", output_tokens=None).requests_per_s is None

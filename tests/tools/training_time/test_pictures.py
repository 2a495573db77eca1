"""Time of training generators of pictures: published steps, and laws that must hold."""

import pytest

from tools.training_time import estimate_training_time
from tools.training_time.request import TrainingTimeRequest
from tools.training_time.result import TrainingTime


def estimate(**fields: object) -> TrainingTime:
    fields = {"model": "sdxl", "gpu": "rtx-3090-ti-24gb", "gpu_count": 1, "task": "lora", "steps": 2000, **fields}
    return estimate_training_time(TrainingTimeRequest.model_validate(fields))


def seconds(**fields: object) -> float:
    step = estimate(**fields).step_s
    assert step is not None
    return step.value


@pytest.mark.parametrize(
    ("gpu", "measured_s"),
    [
        pytest.param("rtx-3060-12gb", 2.4, id="kohya-1288-3060"),
        pytest.param("rtx-3090-ti-24gb", 1.23, id="kohya-1288-3090-ti"),
        pytest.param("rtx-3090-ti-24gb", 1.12, id="sd-scripts-827-3090-ti"),
    ],
)
def test_published_steps_lie_within_the_interval(gpu: str, measured_s: float) -> None:
    step = estimate(gpu=gpu).step_s
    assert step is not None
    assert step.low < measured_s < step.high


def test_the_run_is_its_steps() -> None:
    short, long = (estimate(steps=steps).time_s for steps in (500, 2000))
    assert short is not None
    assert long is not None
    assert long.value == pytest.approx(4 * short.value)


def test_a_step_takes_longer_with_more_or_larger_pictures_and_with_all_weights_trained() -> None:
    least = seconds(image_px=512)
    assert least < seconds() < seconds(micro_batch_size=2)
    assert seconds(accumulation=3) == pytest.approx(3 * seconds())
    assert seconds() < seconds(task="full_finetune")


def test_more_cards_put_more_pictures_through_and_shorten_no_step() -> None:
    one, four = estimate(), estimate(gpu_count=4)
    assert one.step_s == four.step_s
    assert one.samples_per_s_total is not None
    assert four.samples_per_s_total is not None
    assert four.samples_per_s_total.value == pytest.approx(4 * one.samples_per_s_total.value)


def test_without_a_length_there_is_the_time_of_a_step_alone() -> None:
    found = estimate(steps=None)
    assert found.step_s is not None
    assert found.time_s is None

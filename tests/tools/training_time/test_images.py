"""Time of training networks that look at images: published rates, and laws that must hold."""

import json
import math

import pytest

from kb.base import BadInput
from kb.constants.measured_speed import MeasuredSpeed, measured_speeds
from tools.named import read_card
from tools.speed.item import chip_of
from tools.training_time import estimate_training_time
from tools.training_time.images import image_rate
from tools.training_time.request import TrainingTimeRequest
from tools.training_time.result import TrainingTime

ROWS = [row for row in measured_speeds() if row.kind == "training_images"]


def estimate(**fields: object) -> TrainingTime:
    fields = {"model": "torchvision/resnet50", "gpu": "a100-sxm-80gb", "task": "pretrain", **fields}
    return estimate_training_time(TrainingTimeRequest.model_validate(fields))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)
def test_the_formula_alone_is_near_every_published_rate(row: MeasuredSpeed) -> None:
    request = TrainingTimeRequest.model_validate(json.loads(row.request))
    assert image_rate(request, chip_of(read_card(request.gpu)[0])) == pytest.approx(row.estimate, rel=1e-3)
    assert abs(math.log(row.estimate / row.value)) < math.log(1.6)


def test_ninety_epochs_of_imagenet_on_eight_a100_take_hours() -> None:
    found = estimate(gpu_count=8, dataset_samples=1_281_167, epochs=90)
    assert found.time_s is not None
    assert 1.2 * 3600 < found.time_s.value < 4 * 3600
    assert found.time_s.low < found.time_s.value < found.time_s.high
    assert found.tokens_per_s_per_gpu is None
    assert found.samples_per_s_total is not None
    assert found.gpu_hours is not None
    assert found.gpu_hours.value == pytest.approx(found.time_s.value * 8 / 3600)


def test_without_samples_there_are_rates_alone() -> None:
    found = estimate(gpu_count=8)
    assert found.samples_per_s_per_gpu is not None
    assert found.time_s is None
    assert found.gpu_hours is None


def test_larger_images_take_longer() -> None:
    small, large = (estimate(image_px=px).samples_per_s_per_gpu for px in (224, 448))
    assert small is not None
    assert large is not None
    assert small.value / large.value == pytest.approx(4, rel=0.05)


def test_speech_is_refused_for_now() -> None:
    with pytest.raises(BadInput, match="speech"):
        estimate(model="openai/whisper-large-v3")

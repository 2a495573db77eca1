"""Few steps are those of distilled weights, which run without guidance: one pass a step."""

import pytest

from kb.constants.item_work import item_work
from tools.speed.estimate import estimate_inference_speed
from tools.speed.request import InferenceSpeedRequest

GUIDED = [key for key, picture in item_work().pictures.items() if picture.passes > 1 and picture.steps >= 20]


def told(model: str, steps: int) -> tuple[float, tuple[str, ...]]:
    request = InferenceSpeedRequest(model=model, gpu="rtx-5090-32gb", steps=steps)
    found = estimate_inference_speed(request)
    time = found.time_per_clip_s or found.time_per_image_s
    assert time is not None
    return time.value, found.assumptions


@pytest.mark.parametrize("model", GUIDED[:6])
def test_four_steps_take_less_than_four_guided_ones_would(model: str) -> None:
    (few, said), (many, _), (more, _) = (told(model, steps) for steps in (4, 20, 24))
    guided = (more - many) / 4
    assert few < many - 16 * guided
    assert any("distilled" in line for line in said)


@pytest.mark.parametrize("model", GUIDED[:6])
def test_usual_steps_are_guided(model: str) -> None:
    _, said = told(model, 30)
    assert not any("distilled" in line for line in said)

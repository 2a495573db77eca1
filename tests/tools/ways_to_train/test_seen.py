"""Of models that see, the pictures of a sample are counted in the length of the run."""

from typing import Any

import pytest

from tests.tools.ways_to_train.problems import found
from tools.ways_to_train.problem import problem_of
from tools.ways_to_train.request import WaysToTrainRequest


@pytest.mark.parametrize(
    ("model", "more", "said"),
    [("Qwen/Qwen2.5-VL-7B-Instruct", {}, "one picture of 1,280"),
     ("google/gemma-3-12b-it", {}, "a picture in each adds 256"),
     ("google/gemma-3-12b-it", {"image_px": 896}, "one picture of 256"),
     ("Qwen/Qwen3-8B", {}, "512 a sample on average.")],
    ids=["seeing", "mostly text", "with pictures", "text"],
)  # fmt: skip
def test_pictures_of_a_sample_are_counted_where_they_are_trained_on(
    model: str, more: dict[str, Any], said: str
) -> None:
    fields = {"model": model, "method": "lora", "cards": "1x H100", "samples": 5000, **more}
    answer = found(fields)

    assert any(said in one for one in answer.assumptions)
    stated = problem_of(WaysToTrainRequest.model_validate({**fields, "sample_tokens": 512}))
    open_ = problem_of(WaysToTrainRequest.model_validate(fields))
    assert (open_.tokens > stated.tokens) == ("one picture" in said)  # type: ignore[operator]
    assert open_.tokens == pytest.approx(5000 * open_.mean)

"""The time of adapters rests on the format their frozen weights are kept in."""

import pytest

from tools.configure import configure
from tools.configure.request import ConfigureRequest
from tools.training_time.estimate import estimate_training_time
from tools.training_time.request import TrainingTimeRequest


@pytest.mark.parametrize(("task", "form"), [("lora", "int8"), ("qlora", "gptq"), ("qlora", "nf4"), ("lora", None)])
def test_a_configurations_pace_is_that_of_its_format(task: str, form: str | None) -> None:
    card = {"gpus_asked": ("a100-sxm-80gb",), "max_gpus": 1}
    asked = ConfigureRequest.model_validate({"task": task, "model": "Qwen/Qwen2.5-7B", "weight_format": form, **card})
    found = next(one for one in configure(asked).configurations if one.gpu == "a100-sxm-80gb" and one.gpu_count == 1)
    request = TrainingTimeRequest(
        task=task, model="Qwen/Qwen2.5-7B", gpu="a100-sxm-80gb", gpu_count=1, gradient_checkpointing="full",
        weight_format=form,
    )  # fmt: skip
    rate = estimate_training_time(request).tokens_per_s_total
    assert rate is not None
    assert found.speed is not None
    assert found.speed["tokens_per_s_total"] == pytest.approx(rate.value, rel=1e-6)

"""A model named by a checkpoint is started from that checkpoint."""

import pytest

from tools.launch.make import make_launch_files
from tools.launch.request import LaunchRequest


@pytest.mark.parametrize(
    ("name", "loaded", "form"),
    [("Qwen3-14B-AWQ", "Qwen/Qwen3-14B-AWQ", "awq"), ("Qwen/Qwen3-8B-FP8", "Qwen/Qwen3-8B-FP8", "fp8"),
     ("somebody/Qwen3-14B-AWQ", "somebody/Qwen3-14B-AWQ", "awq"), ("Qwen3-14B", "Qwen/Qwen3-14B", "bf16")],
)  # fmt: skip
def test_the_format_a_name_says_is_loaded(name: str, loaded: str, form: str) -> None:
    found = make_launch_files(LaunchRequest(model=name, gpu="L40S", context_tokens=8192))

    assert (found.checkpoint, found.weight_format) == (loaded, form)
    assert any(loaded in one.content for one in found.files)


def test_a_name_and_a_format_that_say_the_same_load_the_same() -> None:
    found = make_launch_files(LaunchRequest(model="Qwen3-14B-AWQ", weight_format="awq", gpu="L40S"))

    assert found.checkpoint == "Qwen/Qwen3-14B-AWQ"


def test_a_format_that_is_stated_beats_the_name() -> None:
    found = make_launch_files(LaunchRequest(model="Qwen3-14B", weight_format="awq", gpu="L40S"))

    assert found.checkpoint == "Qwen/Qwen3-14B-AWQ"

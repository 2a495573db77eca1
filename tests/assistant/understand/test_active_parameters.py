"""What a mixture activates a token is no second model."""

import pytest

from assistant.understand import understand


@pytest.mark.parametrize(
    ("text", "model"),
    [
        ("Does DeepSeek-V3 with 37B active fit on one H200?", "deepseek-ai/DeepSeek-V3"),
        ("Mixtral 8x7B with 13B active params on a 3090?", "mistralai/Mixtral-8x7B-v0.1"),
        ("Qwen3-235B-A22B, 22B activated, on 4x A100 80GB?", "Qwen/Qwen3-235B-A22B"),
        ("DeepSeek-V3 每次 37B 激活，一张 H200 够吗", "deepseek-ai/DeepSeek-V3"),
    ],
)
def test_active_parameters_are_no_model_beside(text: str, model: str) -> None:
    understanding = understand(text)
    assert understanding.need.model == model
    assert not understanding.apart


def test_two_sizes_are_still_two_models() -> None:
    assert len(understand("Does Llama 3.1 8B or a 37B model fit on one 4090?").apart) == 2

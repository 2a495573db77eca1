"""Types that are understood are counted as their classes are built, cache and all."""

import json
import warnings
from typing import Any

import pytest

from kb.configs.model_config import shape_from_config
from kb.configs.model_types import model_types

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

SMALL = {"num_hidden_layers": 4}
BUILT: dict[str, dict[str, Any]] = {
    "llama": {}, "mixtral": {}, "qwen2": {}, "qwen3": {}, "qwen3_moe": {}, "gemma2": {}, "gemma3_text": {},
    "olmo2": {}, "cohere2": {}, "phi3": {}, "glm4": {}, "gpt_oss": {}, "deepseek_v3": {}, "apertus": {},
    "granitemoehybrid": {}, "minimax": {}, "jamba": {"num_hidden_layers": 8}, "kimi_linear": {},
    "bamba": {"attn_layer_indices": [1]}, "gpt2": {}, "falcon": {}, "opt": {},
    "lfm2": {"layer_types": ["conv", "conv", "full_attention", "conv"]},
    "qwen3_5_text": {}, "bert": {"is_decoder": True},
}  # fmt: skip
"""Type → what its default configuration needs; every way of reading layers that the library can build."""


@pytest.mark.parametrize("name", BUILT)
def test_parameters_are_those_of_the_class(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        config = transformers.AutoConfig.for_model(name, **{**SMALL, **BUILT[name]})
        with torch.device("meta"):
            model = transformers.AutoModelForCausalLM.from_config(config)
    real = sum(one.numel() for one in model.parameters())
    read = shape_from_config(json.loads(json.dumps(config.to_dict(), default=str)))
    assert read.params == pytest.approx(real, rel=0.006)


def test_a_type_stands_once() -> None:
    assert len(model_types()) > 80
    assert all(name == name.lower() for name in model_types())

"""Shapes read from config.json files."""

import json
from pathlib import Path
from typing import Any

import pytest

from kb.base import BadDocument, BadInput, UnknownName
from kb.model_config import shape_from_config
from kb.models import model, models, read_local_configs

LLAMA: dict[str, Any] = {
    "model_type": "llama",
    "num_hidden_layers": 32,
    "hidden_size": 4096,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "intermediate_size": 14336,
    "vocab_size": 128256,
    "max_position_embeddings": 8192,
    "torch_dtype": "bfloat16",
}
DEEPSEEK: dict[str, Any] = {
    "model_type": "deepseek_v3",
    "num_hidden_layers": 61,
    "hidden_size": 7168,
    "num_attention_heads": 128,
    "num_key_value_heads": 128,
    "intermediate_size": 18432,
    "moe_intermediate_size": 2048,
    "n_routed_experts": 256,
    "num_experts_per_tok": 8,
    "n_shared_experts": 1,
    "first_k_dense_replace": 3,
    "kv_lora_rank": 512,
    "q_lora_rank": 1536,
    "qk_nope_head_dim": 128,
    "qk_rope_head_dim": 64,
    "v_head_dim": 128,
    "vocab_size": 129280,
    "max_position_embeddings": 163840,
    "quantization_config": {"quant_method": "fp8"},
}
GPT2: dict[str, Any] = {
    "model_type": "gpt2",
    "n_layer": 12,
    "n_embd": 768,
    "n_head": 12,
    "n_positions": 1024,
    "vocab_size": 50257,
    "torch_dtype": "float32",
}
GPT_OSS: dict[str, Any] = {
    "model_type": "gpt_oss",
    "num_hidden_layers": 24,
    "hidden_size": 2880,
    "num_attention_heads": 64,
    "num_key_value_heads": 8,
    "head_dim": 64,
    "intermediate_size": 2880,
    "num_local_experts": 32,
    "num_experts_per_tok": 4,
    "vocab_size": 201088,
    "sliding_window": 128,
    "layer_types": ["sliding_attention", "full_attention"] * 12,
    "quantization_config": {"quant_method": "mxfp4"},
}
QWEN_NEXT: dict[str, Any] = {
    "model_type": "qwen3_5",
    "tie_word_embeddings": False,
    "vision_config": {"depth": 27},
    "text_config": {
        "model_type": "qwen3_5_text",
        "num_hidden_layers": 64,
        "hidden_size": 5120,
        "num_attention_heads": 24,
        "num_key_value_heads": 4,
        "head_dim": 256,
        "intermediate_size": 17408,
        "vocab_size": 248320,
        "attn_output_gate": True,
        "full_attention_interval": 4,
        "linear_num_key_heads": 16,
        "linear_num_value_heads": 48,
        "linear_key_head_dim": 128,
        "linear_value_head_dim": 128,
        "linear_conv_kernel_dim": 4,
    },
}


@pytest.mark.parametrize(
    ("config", "key"),
    [
        pytest.param(LLAMA, "meta-llama/Meta-Llama-3-8B", id="llama"),
        pytest.param(DEEPSEEK, "deepseek-ai/DeepSeek-V3", id="deepseek"),
        pytest.param(GPT2, "openai-community/gpt2", id="gpt2"),
        pytest.param(GPT_OSS, "openai/gpt-oss-20b", id="gpt-oss"),
    ],
)
def test_a_configuration_yields_the_row_of_the_catalog(config: dict[str, Any], key: str) -> None:
    read, row = shape_from_config(config), models()[key]
    assert read.params == pytest.approx(row.params, rel=1e-4)
    for field in ("layers", "kv_heads", "head_dim", "latent", "experts", "sliding", "native_format", "attention"):
        assert getattr(read, field) == getattr(row, field), field


def test_a_multimodal_configuration_is_read_from_its_text_part() -> None:
    read, row = shape_from_config(QWEN_NEXT), models()["Qwen/Qwen3.5-27B"]
    assert read.kind == "vlm"
    assert read.linear == row.linear
    assert read.params == pytest.approx(row.params - row.vision_params, rel=1e-4)


def test_a_model_may_be_named_by_the_path_of_its_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "my-llama" / "config.json"
    path.parent.mkdir()
    path.write_text(json.dumps(LLAMA), encoding="utf-8")
    monkeypatch.setattr("kb.models._LOCAL", [])
    with pytest.raises(UnknownName):
        model(str(path))
    read_local_configs()
    read = model(str(path))
    assert (read.name, read.params) == ("my-llama", 8_030_261_248)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        pytest.param({"hidden_size": None}, "hidden_size", id="missing-width"),
        pytest.param({"num_hidden_layers": -3}, "num_hidden_layers", id="negative"),
        pytest.param({"vocab_size": "many"}, "vocab_size", id="not-a-number"),
        pytest.param({"vocab_size": 10**12}, "vocab_size", id="absurd"),
        pytest.param({"num_hidden_layers": True}, "num_hidden_layers", id="a-truth-value"),
        pytest.param({"num_key_value_heads": 7}, "kv_heads", id="heads-not-divisible"),
        pytest.param({"hybrid_override_pattern": "M*E"}, "model", id="layers-of-several-kinds"),
        pytest.param({"num_local_experts": 8, "num_experts_per_tok": None}, "experts", id="experts-without-a-router"),
    ],
)
def test_a_bad_number_is_refused_by_name(change: dict[str, Any], field: str) -> None:
    with pytest.raises(BadInput) as refused:
        shape_from_config({**LLAMA, **change})
    assert refused.value.field == field


@pytest.mark.parametrize("text", ["", "[1, 2]", "{", "\x00"], ids=["empty", "a-list", "cut-off", "binary"])
def test_a_file_that_is_no_configuration_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "config.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BadDocument):
        shape_from_config(path)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadDocument):
        shape_from_config(tmp_path / "config.json")

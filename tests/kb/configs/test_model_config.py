"""Shapes read from config.json files."""

import json
from pathlib import Path
from typing import Any

import pytest

from kb.base import BadDocument, BadInput, UnknownName
from kb.configs.model_config import shape_from_config
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
        pytest.param({"block_configs": [{}]}, "model", id="layers-that-differ-one-by-one"),
        pytest.param({"qformer_config": {}}, "qformer_config", id="a-part-between-tower-and-model"),
        pytest.param({"model_type": "rwkv"}, "model_type", id="a-type-that-is-not-understood"),
        pytest.param({"model_type": None}, "model_type", id="no-type"),
        pytest.param({"quantization_config": {"quant_method": "new"}}, "quantization_config", id="unknown-storage"),
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


NEMOTRON_H: dict[str, Any] = {
    "model_type": "nemotron_h", "hidden_size": 2688, "num_attention_heads": 32, "num_key_value_heads": 2,
    "head_dim": 128, "intermediate_size": 1856, "moe_intermediate_size": 1856, "vocab_size": 131072,
    "moe_shared_expert_intermediate_size": 3712, "n_routed_experts": 128, "n_shared_experts": 1,
    "num_experts_per_tok": 6, "mamba_num_heads": 64, "mamba_head_dim": 64, "n_groups": 8, "ssm_state_size": 128,
    "conv_kernel": 4, "tie_word_embeddings": False, "dtype": "bfloat16",
}  # fmt: skip
PATTERN = "MEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEMEM*EMEMEMEME"
SPELLED = {"M": "mamba", "*": "attention", "E": "moe"}
DEEPSEEK_V4: dict[str, Any] = {
    "model_type": "deepseek_v4", "num_hidden_layers": 43, "hidden_size": 4096, "num_attention_heads": 64,
    "num_key_value_heads": 1, "head_dim": 512, "qk_rope_head_dim": 64, "q_lora_rank": 1024, "o_lora_rank": 1024,
    "o_groups": 8, "index_head_dim": 128, "index_n_heads": 64, "hc_mult": 4, "moe_intermediate_size": 2048,
    "n_routed_experts": 256, "n_shared_experts": 1, "num_experts_per_tok": 6, "vocab_size": 129280,
    "sliding_window": 128, "compress_ratios": [0, 0, *[4, 128] * 20, 4, 0], "expert_dtype": "fp4",
    "quantization_config": {"quant_method": "fp8"},
}  # fmt: skip
GEMMA_4: dict[str, Any] = {
    "model_type": "gemma4", "tie_word_embeddings": True, "vision_config": {
        "model_type": "gemma4_vision", "num_hidden_layers": 27, "hidden_size": 1152, "intermediate_size": 4304,
        "patch_size": 16,
    }, "text_config": {
        "model_type": "gemma4_text", "num_hidden_layers": 30, "hidden_size": 2816, "num_attention_heads": 16,
        "num_key_value_heads": 8, "head_dim": 256, "global_head_dim": 512, "num_global_key_value_heads": 2,
        "attention_k_eq_v": True, "enable_moe_block": True, "intermediate_size": 2112, "moe_intermediate_size": 704,
        "num_experts": 128, "top_k_experts": 8, "vocab_size": 262144, "sliding_window": 1024,
        "layer_types": [*["sliding_attention"] * 5, "full_attention"] * 5, "num_kv_shared_layers": 0,
    },
}  # fmt: skip


@pytest.mark.parametrize(
    ("config", "key"),
    [
        pytest.param({**NEMOTRON_H, "hybrid_override_pattern": PATTERN}, "nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16"),
        pytest.param(
            {**NEMOTRON_H, "num_hidden_layers": 52, "layers_block_type": [SPELLED[letter] for letter in PATTERN]},
            "nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16",
        ),
        pytest.param(DEEPSEEK_V4, "deepseek-ai/DeepSeek-V4-Flash"),
        pytest.param(GEMMA_4, "google/gemma-4-26B-A4B"),
    ],
    ids=["blocks-by-letters", "blocks-by-names", "compressed", "heads-of-two-widths"],
)
def test_layers_that_are_not_all_alike_are_read(config: dict[str, Any], key: str) -> None:
    read, row = shape_from_config(config), models()[key]
    assert read.params == pytest.approx(row.params, rel=0.005)
    for field in ("layers", "latent", "linear", "sliding", "global_head_dim", "global_kv_heads", "kv_compression"):
        assert getattr(read, field) == getattr(row, field), field


@pytest.mark.parametrize("change", [{"num_kv_shared_layers": 10}, {"hidden_size_per_layer_input": 256}])
def test_what_is_not_counted_of_a_known_type_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(BadInput):
        shape_from_config({**GEMMA_4, "text_config": {**GEMMA_4["text_config"], **change}})


def test_the_whole_says_whether_head_and_embedding_are_one() -> None:
    inner = {**LLAMA, "tie_word_embeddings": True}
    apart = shape_from_config({"model_type": "llava", "tie_word_embeddings": False, "text_config": inner})
    assert apart.params == shape_from_config(LLAMA).params


def test_a_rope_of_no_width_is_a_width(tmp_path: Path) -> None:
    read = shape_from_config({**DEEPSEEK, "qk_rope_head_dim": 0})
    assert read.latent is not None
    assert read.latent.qk_rope_dim == 0


def test_a_tower_is_counted() -> None:
    tower = shape_from_config(GEMMA_4).vision_params
    assert tower == pytest.approx(models()["google/gemma-4-26B-A4B"].vision_params, rel=0.1)


def test_what_is_written_beside_the_file_says_how_weights_are_stored(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps(LLAMA), encoding="utf-8")
    told = {"producer": {"name": "modelopt"}, "quantization": {"quant_algo": "NVFP4", "group_size": 16}}
    (tmp_path / "hf_quant_config.json").write_text(json.dumps(told), encoding="utf-8")
    assert shape_from_config(tmp_path / "config.json").native_format == "nvfp4"


LFM2: dict[str, Any] = {
    "model_type": "lfm2", "vocab_size": 65536, "hidden_size": 1024, "num_hidden_layers": 16,
    "num_attention_heads": 16, "num_key_value_heads": 8, "conv_L_cache": 3, "block_ff_dim": 6656,
    "full_attn_idxs": [2, 5, 8, 10, 12, 14], "max_position_embeddings": 128000,
}  # fmt: skip
NEMOTRON_DENSE: dict[str, Any] = {
    **{key: value for key, value in NEMOTRON_H.items() if "expert" not in key and not key.startswith("moe")},
    "hidden_size": 4480, "num_attention_heads": 40, "num_key_value_heads": 8, "intermediate_size": 15680,
    "mamba_num_heads": 128, "mamba_head_dim": 80,
    "hybrid_override_pattern": "M-M-M-MM-M-M-M*-M-M-M*-M-M-M-M*-M-M-M-M*-M-MM-M-M-M-M-M-",
}  # fmt: skip


@pytest.mark.parametrize(
    ("config", "params", "recurrent"),
    [
        pytest.param(LFM2, 354_483_968, 10, id="short-convolutions"),
        pytest.param(NEMOTRON_DENSE, 8_888_227_328, 27, id="dense-blocks"),
    ],
)
def test_hybrids_count_as_their_checkpoints_state(config: dict[str, Any], params: int, recurrent: int) -> None:
    read = shape_from_config(config)
    assert read.params == pytest.approx(params, rel=1e-5)
    assert read.linear is not None
    assert read.linear.linear_layers == recurrent

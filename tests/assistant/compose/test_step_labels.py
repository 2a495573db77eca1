"""Steps of a calculation are labelled in the reader's language."""

import pytest

from assistant.compose.step_labels import _table, step_formula, step_label, step_unit
from tools.registry import tool

MEMORY = [
    {"model": "Qwen2.5-72B", "gpu": "H100 SXM", "tensor_parallel": 4},
    {"model": "Llama-3.1-8B", "task": "lora", "gpu": "rtx 4090"},
    {"model": "Llama-3.1-8B", "task": "full_finetune", "sharding": "zero3", "data_parallel": 8},
    {"model": "DeepSeek-V3", "weight_format": "fp8", "tensor_parallel": 8},
    {"model": "Qwen2.5-7B", "engine": "llama.cpp", "weight_format": "gguf:Q4_K_M"},
]


@pytest.mark.parametrize(
    ("english", "chinese"),
    [
        ("KV cache", "KV 缓存"),
        ("Peak: end of backward", "峰值：反向结束"),
        ("Price per GiB of NVIDIA L20", "NVIDIA L20 每 GiB 的价格"),
        ("Memory bandwidth: NVIDIA L20 against the others", "显存带宽：NVIDIA L20 与其他卡相比"),
        ("FP8 arithmetic: l20-48gb", "FP8 运算：l20-48gb"),
        ("8 × NVIDIA L20", "8 × NVIDIA L20"),
    ],
)
def test_labels_are_translated_whole_or_by_pattern(english: str, chinese: str) -> None:
    assert step_label(english, "zh") == chinese
    assert step_label(english, "en") == english


@pytest.mark.parametrize("request_", MEMORY)
def test_every_step_of_a_memory_estimate_has_a_chinese_label(request_: dict[str, object]) -> None:
    steps = tool("estimate_memory").call(request_).model_dump()["derivation"]
    same = {"NCCL"}
    assert [s["label"] for s in steps if step_label(s["label"], "zh") == s["label"] and s["label"] not in same] == []


def test_formulas_in_words_and_units_are_translated_and_symbols_stay() -> None:
    assert step_formula("sum of the above", "zh") == "以上各项之和"
    assert step_formula("params · bits / 8", "zh") == "params · bits / 8"
    assert step_unit("usd_per_gpu_hour", "zh") == "美元/卡时"
    assert step_unit("usd_per_gpu_hour", "en") == "usd/gpu hour"


def test_every_gap_of_a_translation_is_in_its_original() -> None:
    import re

    for english, chinese in _table()["labels"].items():
        assert set(re.findall(r"{\w+}", chinese)) == set(re.findall(r"{\w+}", english))

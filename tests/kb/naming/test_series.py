"""Smaller models of the series that a name belongs to."""

import pytest

from kb.catalog import models
from kb.naming.series import smaller_of_series, stem


@pytest.mark.parametrize(
    ("name", "root"),
    [
        ("Qwen3-235B-A22B", "Qwen3"),
        ("DeepSeek-R1", "DeepSeek-R1"),
        ("Llama-3.1-405B", "Llama-3.1"),
        ("Mixtral-8x22B-v0.1", "Mixtral"),
        ("gpt-oss-120b", "gpt-oss"),
        ("Qwen3-Coder-480B-A35B-Instruct", "Qwen3-Coder"),
        ("Kimi-K2-Instruct", "Kimi-K2"),
        ("Ministral-3-14B-Instruct-2512", "Ministral-3"),
    ],
)
def test_a_name_ends_at_its_first_size_or_variant(name: str, root: str) -> None:
    assert stem(name) == root


@pytest.mark.parametrize("model", ["deepseek-ai/DeepSeek-R1", "Qwen/Qwen3-235B-A22B", "openai/gpt-oss-120b"])
def test_the_series_comes_largest_first_and_smaller_than_the_model(model: str) -> None:
    found = [models()[one].params for one in smaller_of_series(model)]
    assert found
    assert found == sorted(found, reverse=True)
    assert found[0] < models()[model].params


def test_a_model_without_a_series_has_none() -> None:
    assert smaller_of_series("moonshotai/Kimi-K2-Instruct") == ()


def test_models_for_code_are_of_the_series_of_code_alone() -> None:
    assert not any("Coder" in one for one in smaller_of_series("Qwen/Qwen3-235B-A22B"))
    assert all("Coder" in one for one in smaller_of_series("Qwen/Qwen3-Coder-480B-A35B-Instruct"))


def test_of_a_makers_series_no_others_are_named() -> None:
    large = next(one for one in models() if one.endswith("Llama-3.1-405B"))
    assert {one.partition("/")[0] for one in smaller_of_series(large)} == {large.partition("/")[0]}

"""Computers with one memory run files of llama.cpp: the widest that fits; below four bits only where nothing does."""

from typing import Any

import pytest

from tools.configuration import Configuration
from tools.configure import configure
from tools.configure.rank.options import precision_lost
from tools.configure.request import ConfigureRequest
from tools.configure.tell.reasons import TEXTS

UNIFIED = ("apple-m4-max-64gb", "apple-m3-ultra-256gb", "ryzen-ai-max-395-128gb", "gb10-dgx-spark-128gb")


def ask(model: str, **fields: Any) -> tuple[Configuration, ...]:
    return configure(ConfigureRequest.model_validate({"task": "inference", "model": model, **fields})).configurations


@pytest.mark.parametrize("card", UNIFIED)
@pytest.mark.parametrize("model", ["Llama-3.1-8B", "Qwen2.5-32B", "Qwen3-30B-A3B", "gpt-oss-120b"])
@pytest.mark.parametrize("owned", [False, True])
def test_a_computer_with_one_memory_runs_files(card: str, model: str, owned: bool) -> None:
    named = {"gpus_owned": [{"gpu": card, "count": 1}]} if owned else {"gpus_asked": [card]}
    found = [one for one in ask(model, **named) if one.gpu == card]
    if model != "gpt-oss-120b":
        assert found
    for one in found:
        assert str(one.weight_format).startswith("gguf:")
        assert one.engine == "llama.cpp"
        assert one.gpu_count == 1  # it goes into no other computer


def test_other_cards_beside_it_keep_their_own_formats() -> None:
    found = ask("Llama-3.1-70B", gpus_asked=["apple-m3-ultra-256gb", "rtx-3090-24gb"])
    kinds = {one.gpu: str(one.weight_format).startswith("gguf:") for one in found}
    assert kinds == {"apple-m3-ultra-256gb": True, "rtx-3090-24gb": False}


@pytest.mark.parametrize(
    ("card", "form"), [("apple-m4-max-128gb", "gguf:Q8_0"), ("apple-m4-max-64gb", "gguf:Q4_K_M"),
                       ("apple-m5-max-64gb", "gguf:Q4_K_M"), ("gb10-dgx-spark-128gb", "gguf:Q4_K_M")]
)  # fmt: skip
def test_seventy_billion_take_the_widest_file_that_fits_and_is_fast_enough(card: str, form: str) -> None:
    """Q8_0 of 70 GiB does not fit 48 GiB of a Mac of 64; a Spark reads it too slowly."""
    assert ask("Llama-3.1-70B", gpus_asked=[card])[0].weight_format == form


def test_fewer_than_four_bits_only_where_nothing_else_fits_and_said() -> None:
    first = ask("Qwen3-32B", gpus_asked=["apple-m4-24gb"])[0]
    assert first.weight_format in {"gguf:Q3_K_M", "gguf:Q2_K"}
    assert "far_reduced" in {one.code for one in first.reasons}
    assert all("far_reduced" not in {one.code for one in item.reasons} for item in ask("Qwen3-32B"))


def test_llama_cpp_asked_for_is_given_files_on_any_card() -> None:
    found = ask("Qwen3-32B", engine="llama.cpp", gpus_owned=[{"gpu": "rtx-3090-24gb", "count": 1}])
    assert found[0].weight_format == "gguf:Q4_K_M"
    assert all(str(one.weight_format).startswith("gguf:") for one in found)


def test_precision_is_lost_bit_by_bit() -> None:
    forms = ("bf16", "gguf:Q8_0", "gguf:Q6_K", "gguf:Q5_K_M", "gguf:Q4_K_M", "gguf:Q3_K_M", "gguf:Q2_K")
    assert [precision_lost(form, "bf16") for form in forms] == [0, 1, 2, 3, 4, 5, 6]
    assert precision_lost("awq", "bf16") == precision_lost("gguf:Q4_K_M", "bf16")
    assert "far_reduced" in TEXTS

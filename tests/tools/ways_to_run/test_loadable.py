"""Models that an engine has no code for, and files that cards without BF16 take."""

import pytest

from tools.ways_to_run.find import find_ways_to_run
from tools.ways_to_run.request import WaysToRunRequest
from tools.ways_to_run.result import WaysToRun


def find(**fields: object) -> WaysToRun:
    return find_ways_to_run(WaysToRunRequest.model_validate(fields))


@pytest.mark.parametrize("model", ["facebook/opt-6.7b", "EleutherAI/gpt-neo-2.7B"])
def test_llama_cpp_is_not_offered_for_a_family_it_has_no_code_for(model: str) -> None:
    found = find(model=model, cards="1x 3090")
    assert found.ways
    assert all(one.engine != "llama.cpp" for one in found.ways)
    assert any("no code" in one.reason for one in found.rejected)


def test_a_family_of_a_like_name_is_loaded() -> None:
    found = find(model="EleutherAI/gpt-neox-20b", cards="1x 3090", engine="llama.cpp")
    assert found.answer.verdict == "fits"


@pytest.mark.parametrize(("cards", "form"), [("1x P100 16GB", "gguf:F16"), ("1x 3090", "gguf:BF16")])
def test_cards_without_bf16_take_files_of_f16(cards: str, form: str) -> None:
    found = find(model="Qwen/Qwen3-4B", cards=cards, weight_format="bf16", engine="llama.cpp")
    assert found.ways[0].weight_format == form

"""How many at once: what is said to fit fits in the very layout it is told for."""

import pytest

from tests.assistant.planning import turn


@pytest.mark.parametrize(
    "text",
    [
        "8 卡 H20 96G 部署 DeepSeek-R1，能支持多少并发？",
        "How many concurrent users does Qwen3-235B-A22B FP8 support on 8×H100?",
        "4×L40S serving Qwen2.5-72B in AWQ: how many requests at once?",
    ],
)
def test_as_many_as_are_told_fit(text: str) -> None:
    _, records, _ = turn(text)
    held = [one for one in records if one.tool == "estimate_memory" and one.result.get("fit")]
    crowds = [one for one in held if (one.request.get("concurrent_sequences") or 1) > 1]
    fitting = [one for one in held if one.result["fit"]["max_concurrent_sequences"]]
    assert crowds or not fitting
    for one in crowds:
        most = max(other.result["fit"]["max_concurrent_sequences"] or 0 for other in held)
        if one.request["concurrent_sequences"] <= most:
            assert one.result["fit"]["verdict"] != "no"


def test_a_model_of_eight_bits_is_no_sixteen_on_one_memory() -> None:
    _, records, draft = turn("Can a Mac Studio M3 Ultra 512GB run DeepSeek-V3?")
    assert "BF16" not in draft.answer.split("\n")[0]
    first = next(one for one in records if one.tool == "estimate_memory")
    assert first.result["weight_format"] == "gguf:Q8_0"

"""A model far too large for a machine at home: what of its series runs there, instead of a rack to order."""

import pytest

from assistant.ground.check import ground
from tests.assistant.planning import turn


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("can my rtx 4060 8gb run deepseek r1?", "DeepSeek-R1-"),
        ("我的4060 8g能跑deepseek r1满血吗", "DeepSeek-R1-"),
        ("can a 12GB 3060 run llama 3.1 405b?", "Llama-3.1-8B"),
        ("RTX 4070 12GB 能跑 Qwen2.5-72B BF16 吗，不量化", "Qwen2.5-"),
    ],
)
def test_what_of_the_series_runs_is_named_with_memory_and_speed(text: str, named: str) -> None:
    _, records, draft = turn(text)
    assert draft.verdict == "does_not_fit"
    fits = next(one for one in records if one.tool == "what_fits")
    held = fits.result["candidates"]
    assert held
    assert all(one["needed_bytes_per_gpu"] <= fits.result["usable_bytes_per_gpu"] for one in held)
    assert named in draft.answer.split("\n")[0]
    assert held[0]["name"] in draft.answer
    assert "$" not in draft.answer
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


@pytest.mark.parametrize(
    "text",
    [
        "Can 8×H100 run DeepSeek-R1 in BF16?",
        "can my 3090 run qwen3-14b at q4?",
        "8 张 4090 能跑 DeepSeek-R1 吗",
    ],
)
def test_a_server_and_what_fits_get_no_smaller_model(text: str) -> None:
    _, records, _ = turn(text)
    assert not any(one.tool == "what_fits" for one in records)


@pytest.mark.parametrize("text", ["can a single 3090 run qwen3-235b?", "Will gpt-oss-120b run on my 16GB 4060 Ti?"])
def test_a_mixture_is_first_told_with_its_experts_in_host_memory(text: str) -> None:
    _, _, draft = turn(text)
    assert draft.verdict == "fits_with_changes"
    assert "memory" in draft.answer.split("\n")[0]

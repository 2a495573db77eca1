"""A whole answer as the target: the wait for its first token, then the others."""

import pytest

from tools.registry import tool
from tools.ways_to_run.result import WaysToRun


def find(**fields: object) -> WaysToRun:
    found = tool("find_ways_to_run").call(dict(fields))
    assert isinstance(found, WaysToRun)
    return found


def test_the_time_of_an_answer_is_its_wait_and_its_tokens() -> None:
    speed = find(model="Qwen3-8B", cards="1x L20", engine="vllm", input_tokens=1000, output_tokens=400).ways[0].speed
    assert speed is not None
    assert speed.answer_s is not None
    assert speed.first_token_s is not None
    expected = speed.first_token_s.value + 399 / speed.tokens_per_s_per_user.value
    assert speed.answer_s.value == pytest.approx(expected)


@pytest.mark.parametrize(("seconds", "met"), [(60, True), (2, False)])
def test_a_target_for_it_is_met_or_named(seconds: float, met: bool) -> None:
    """50 people, 14,000 tokens, 400 of them answer: some 20 tokens a second, so above 20 s."""
    found = find(model="Llama-3.3-70B", cards="4x RTX PRO 6000", users=50, input_tokens=13600, output_tokens=400,
                 target_answer_s=seconds)  # fmt: skip
    assert found.answer.target_met is met
    assert any(one.what == "target_answer" for one in found.binds) is not met
    assert any(line.startswith("target_answer_s") for line in found.answer.changed) is not met


def test_as_many_are_served_as_have_their_answer_in_time() -> None:
    asked = {"model": "Qwen3-8B", "cards": "1x L20", "engine": "vllm", "input_tokens": 1000, "output_tokens": 400,
             "objective": "most_users"}  # fmt: skip
    soon, late = (find(**asked, target_answer_s=seconds).ways[0] for seconds in (6, 20))
    assert soon.concurrent_sequences < late.concurrent_sequences
    for way, limit in ((soon, 6), (late, 20)):
        assert way.speed is not None
        assert way.speed.answer_s is not None
        assert way.speed.answer_s.value <= limit

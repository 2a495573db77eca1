"""What is asked to be the most is also what the way is set up for."""

import re
from typing import Any

import pytest

from kb.constants.quality import quality
from tools.registry import tool
from tools.ways_to_run.result import Way, WaysToRun


def find(**fields: Any) -> WaysToRun:
    """The tool, by its name."""
    found = tool("find_ways_to_run").call(fields)
    assert isinstance(found, WaysToRun)
    return found


def _rate(way: Way) -> float:
    assert way.speed is not None
    return way.speed.tokens_per_s_per_user.value


@pytest.mark.parametrize(
    ("model", "cards"),
    [("Qwen3-14B", "2x A6000"), ("Mistral-Small-24B", "A100 80GB"), ("Llama-3.1-8B", "2x 4090")],
)
def test_most_users_are_those_served_at_a_pace_they_accept_by_an_engine_made_for_many(model: str, cards: str) -> None:
    way = find(model=model, cards=cards, users=50, objective="most_users").ways[0]

    assert way.engine != "llama.cpp"
    assert way.concurrent_sequences > 10
    assert _rate(way) >= quality().exchange.served_tokens_per_s * 0.95
    assert way.concurrent_sequences <= (way.limits.max_concurrent_sequences or 0)


def test_a_target_limits_how_many_are_served() -> None:
    fast, slow = (
        find(model="Qwen3-14B", cards="A6000", objective="most_users", target_tokens_per_s=rate).ways[0]
        for rate in (40, 12)
    )

    assert slow.concurrent_sequences > fast.concurrent_sequences
    assert _rate(fast) >= 38


def test_copies_beside_each_other_are_weighed_where_most_users_are_asked_for() -> None:
    way = find(model="Qwen3-8B", cards="4x 4090", objective="most_users", engine="vllm").ways[0]

    assert way.layout.dp * way.layout.tp * way.layout.pp == 4


@pytest.mark.parametrize(("model", "cards"), [("Qwen3-8B", "3060 12GB"), ("gemma-3-12b", "4080")])
def test_flags_are_written_for_the_longest_context(model: str, cards: str) -> None:
    for way in find(model=model, cards=cards, objective="longest_context").ways:
        written = re.search(r"(?:-c|--max-model-len|--context-length|--max_seq_len) (\d+)", way.flags)

        assert written is not None
        assert int(written[1]) == way.context_tokens
        assert way.context_tokens >= 0.99 * (way.limits.max_context_tokens or 0)
        assert way.memory.needed_bytes_per_gpu <= way.memory.usable_bytes_per_gpu


def test_without_an_objective_the_way_is_for_what_was_asked() -> None:
    way = find(model="Qwen3-8B", cards="3090", context_tokens=16384, concurrent_sequences=3).ways[0]

    assert (way.context_tokens, way.concurrent_sequences) == (16384, 3)

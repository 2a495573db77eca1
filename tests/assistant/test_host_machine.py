"""A mixture too large for the money on cards: one card in a machine whose own memory holds the experts."""

import pytest

from assistant.ground.check import ground
from tests.assistant.planning import turn


@pytest.mark.parametrize(
    ("text", "model", "memory"),
    [
        ("预算20万跑满血 R1，慢点没关系", "DeepSeek-R1", "512 GB"),
        ("full DeepSeek V3.1 on a $12k budget, speed doesn't matter", "DeepSeek-V3.1", "512 GB"),
        ("Kimi K2 with $20k, slow is ok", "Kimi-K2", "768 GB"),
    ],
)
def test_what_the_money_buys_is_said_first_with_its_price_and_speed(text: str, model: str, memory: str) -> None:
    _, records, draft = turn(text)
    line = draft.answer.split("\n")[0]
    assert model in line
    assert memory in line
    assert "tokens/s" in line
    assert draft.verdict == "recommendation"
    assert "ktransformers" in draft.answer
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


def test_the_published_width_is_told_beside_four_bits() -> None:
    assert "GGUF Q8_0" in turn("预算20万跑满血 R1，慢点没关系")[2].answer


def test_the_machines_memory_is_priced() -> None:
    _, records, _ = turn("$15k budget for full DeepSeek R1, slow is fine")
    paid = next(one for one in records if one.tool == "estimate_cost")
    assert paid.request["machine_memory_bytes"] == 512 * 2**30
    machine = next(one for one in paid.result["own"]["prices"] if one["what"].startswith("machine"))
    assert machine["unit_cost"]["value"] > 5000


@pytest.mark.parametrize(
    "text",
    [
        "预算 300 万跑满血 R1，200 人用",
        "Budget $15k for DeepSeek R1 for 50 users, slow is fine",
        "rent a machine for full DeepSeek R1, slow is fine",
        "Llama 3.3 70B with $1500, slow is fine",
        "I have 2×4090 and 512 GB of RAM, can I run DeepSeek R1?",
    ],
)
def test_it_is_nothing_for_many_or_for_dense_models(text: str) -> None:
    _, records, _ = turn(text)
    assert not any(one.request.get("machine_memory_bytes") for one in records)

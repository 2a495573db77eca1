"""Several who must not disturb each other: parts of a card in hand, or cards that can be cut."""

import pytest

from assistant.ground.check import ground
from tests.assistant.planning import turn


@pytest.mark.parametrize(
    ("text", "verdict", "said"),
    [
        ("seven students each need an isolated GPU slice for a 3B model, is one A100 80GB enough?", "fits", "1g.10gb"),
        ("把一张 H100 用 MIG 切成 4 份，每份跑一个 7B，行吗", "fits", "1g.20gb"),
        ("12 people need private GPU instances for an 8B chat model, what should we buy?", "recommendation", "12"),
    ],
)
def test_each_gets_a_part_of_its_own(text: str, verdict: str, said: str) -> None:
    _, records, draft = turn(text)
    first = draft.answer.split("\n")[0]
    assert draft.verdict == verdict
    assert said in first
    assert not ground(first, records, (text,), draft.citations).ungrounded
    assert next(one for one in records if one.tool == "configure").request["instances"] > 1


@pytest.mark.parametrize(
    "text",
    [
        "Serve an 8B model to 12 people on one A100",
        "MIG 是什么",
        "each of us has our own GPU; can a 3090 run Qwen2.5-14B?",
        "LoRA of a 7B for 4 people with separate GPU instances",
    ],
)
def test_no_part_is_asked_for_otherwise(text: str) -> None:
    _, records, _ = turn(text)
    assert not any(one.request.get("instances") for one in records if one.tool == "configure")

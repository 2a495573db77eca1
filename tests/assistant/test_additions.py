"""Which card to put beside the one in hand: judged by what all of them do together, and what it costs."""

import pytest

from assistant.ground.check import ground
from assistant.plan import particular
from assistant.understand import understand
from tests.assistant.planning import turn


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("I have a 3090, should I add a 4090 or a second 3090?", "Add RTX 3090 ($"),
        ("手上有 4090，加一张 3090 还是再买一张 4090？跑 Qwen2.5-72B", "加 RTX 4090（$"),
        ("have a 4090, add a 3090 or a 5090 for 70B Q4?", "Add RTX 5090 ($"),
        ("已有一张 3090，再加一张 4060 Ti 16G 还是 3090 跑 32B", "加 RTX 3090（$"),
        ("我有一张 4070 Ti Super，加 5060 Ti 16G 还是 3090", "加 RTX 3090（$"),
    ],
)
def test_the_one_to_add_comes_first_and_each_has_its_line(text: str, first: str) -> None:
    understanding, records, draft = turn(text)
    assert particular.shape(understanding) == "additions"
    assert draft.answer.removeprefix("**").startswith(first)
    assert len([line for line in draft.answer.splitlines() if line.startswith("- **")]) == 2
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


@pytest.mark.parametrize(
    "text", ["4090 + 3090 混插 vLLM 张量并行行不行", "3090 + 4060 Ti 16GB vLLM tensor parallel possible?"]
)
def test_unlike_cards_are_said_not_to_be_split_over_evenly(text: str) -> None:
    first = turn(text)[2].answer.split("\n")[0]
    assert "llama.cpp" in first
    assert "vLLM" in first


@pytest.mark.parametrize(
    "text",
    [
        "3090 or 4090 for Qwen2.5-32B?",
        "I have a 3090, is a second worth it for 70B?",
        "I have a 3080, should I upgrade to a 4090 or a 5080?",
        "我有 3090，换 4090 还是 5090",
    ],
)
def test_other_choices_keep_their_answers(text: str) -> None:
    assert particular.shape(understand(text)) != "additions"

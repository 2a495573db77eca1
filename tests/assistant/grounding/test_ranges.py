"""Estimates that a result tells as a range: what may be said of them."""

import pytest

from assistant.grounding.check import checked
from assistant.grounding.standing.evidence import Evidence
from tests.assistant.grounding.results import looked_up

RUN = looked_up(
    "R1", "find_ways_to_run",
    {
        "answer": {"verdict": "fits", "model": "Qwen/Qwen3-32B", "cards": "2 × GeForce RTX 3090"},
        "ways": [{
            "title": "AWQ in vLLM on 2 × GeForce RTX 3090, TP 2", "concurrent_sequences": 2,
            "speed": {"tokens_per_s_per_user": "25–49 tokens/s", "first_token": "4.6–13 s"},
        }],
    },
    model="Qwen3-32B AWQ", cards="2x 3090",
)  # fmt: skip
TRAIN = looked_up("R2", "find_ways_to_train", {"ways": [{"speed": {"time": "2.2–4.4 h"}}]}, model="Qwen3-8B")


def loose(text: str) -> list[str]:
    return [one.text for one in checked(text, Evidence.of((RUN, TRAIN), ("how fast?",))).findings]


@pytest.mark.parametrize("text", [
    "About 25–49 tokens/s for each user.", "Between 25 and 50 tokens/s a user.", "每人约 25 到 49 tokens/s。",
    "About 35 tokens/s per user.", "每人大约 36 tok/s。", "Up to 49 tokens/s per user.", "At least 25 tokens/s a user.",
    "第一个字要等 4.6–13 秒。", "The run takes 2.2–4.4 hours.", "The run takes about 3 hours.",
])  # fmt: skip
def test_a_range_its_middle_and_its_ends_as_such_stand(text: str) -> None:
    assert loose(text) == []


@pytest.mark.parametrize("text", [
    "Each user gets 49 tokens/s.", "About 60 tokens/s per user.", "Expect 43 tokens/s per user.",
    "The run takes 4.4 hours.", "The run takes about 6 hours.", "第一个字要等 20 秒。",
])  # fmt: skip
def test_an_end_told_for_the_value_or_a_figure_outside_is_found(text: str) -> None:
    assert loose(text)

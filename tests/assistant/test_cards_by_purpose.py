"""Cards set against each other without a workload: a choice wherever the figures make one."""

import pytest

from assistant.ground.check import ground
from tests.assistant.planning import turn


@pytest.mark.parametrize(
    ("text", "chosen"),
    [
        ("mac mini m4 pro 64gb vs pc with 3090 for local llms", "**RTX 3090 for models that fit it"),
        ("H100和H200的区别，推理怎么选", "**选 H200"),
        ("H200 or H100 for inference?", "**H200"),
        ("L40S or A100 80GB for inference", "**A100"),
        ("3090 24g 和 4070ti super 16g 选哪个跑大模型", "**跑大模型选 RTX 3090"),
    ],
)
def test_one_that_is_ahead_in_what_matters_is_chosen(text: str, chosen: str) -> None:
    _, records, draft = turn(text)
    assert draft.answer.startswith(chosen)
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


def test_for_training_compute_is_set_against_bandwidth() -> None:
    _, _, draft = turn("3090 还是 4070 ti super，训练用")
    assert not draft.answer.startswith("**跑大模型选")


def test_unlike_numbers_of_cards_are_not_decided_by_one_card() -> None:
    _, _, draft = turn("M3 Ultra 512G vs 8×3090")
    first = draft.answer.split("\n")[0]
    assert "512 GB" in first
    assert "8×24 GB" in first

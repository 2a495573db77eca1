"""What a run or a month costs, asked in a later turn: of what the conversation settled on."""

import re

import pytest

from tests.assistant.planning import talk


@pytest.mark.parametrize(
    ("turns", "says"),
    [
        pytest.param(("训 8B LoRA 租什么卡", "3000 万 token 大概多少钱"), r"这次训练用 .* GPU 小时，费用约",
                     id="run-rented"),
        pytest.param(("LoRA of Mistral 7B on 5M tokens with an L40S, how long?", "and what would that cost?"),
                     r"On 1×L40S it takes about .* GPU-hours, and costs about .* rented", id="run-named"),
        pytest.param(("租一台 H20 一个月多少钱", "买的话多少"), r"买下来约 .*电费约", id="bought-instead"),
        pytest.param(("how much per month for a 4090 on RunPod?",), r"Renting 1×RTX 4090 for a month \(7", id="month"),
    ],
)  # fmt: skip
def test_the_price_is_of_what_was_settled(turns: tuple[str, ...], says: str) -> None:
    _, records, draft = talk(*turns)
    assert any(record.tool == "estimate_cost" for record in records)
    assert re.search(says, draft.answer.splitlines()[0]), draft.answer.splitlines()[0]

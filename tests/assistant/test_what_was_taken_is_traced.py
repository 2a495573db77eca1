"""What is taken where nothing was said stands in the answer, and passes the check of its numbers."""

import pytest

from assistant.finish import checked, counted
from tests.assistant.planning import turn


@pytest.mark.usefixtures("fresh_prices")
@pytest.mark.parametrize(
    ("question", "taken"),
    [
        pytest.param("What would it cost to train a 13B from scratch on 300B tokens on H100s?",
                     "within 90 days", id="term"),
        pytest.param("从头训练 13B，3000 亿 token，用 H100 要多少钱？", "90 天内跑完", id="term-zh"),
        pytest.param("I need to finish fine-tuning Qwen 7B on 20k samples by tomorrow, what should I rent?",
                     "512 tokens a sample", id="sample"),
        pytest.param("五千条数据微调 7B 三万二上下文", "每条 512 tokens", id="sample-zh"),
        pytest.param("千把块能买什么卡跑 8B", "供 130 W 电", id="watts"),
    ],
)  # fmt: skip
def test_it_is_told_and_traced(question: str, taken: str) -> None:
    read, records, draft = turn(question)
    kept, grounding = checked(draft, records, [question, counted(read)], read.language)
    assert not grounding.ungrounded
    assert taken in kept.answer

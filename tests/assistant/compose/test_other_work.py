"""A question about serving is not answered by what the documents say about training."""

import pytest

from assistant.compose.bearing import other_work

TRAINING = "My training is slow: what should I look at first? Leave out the first steps of the run."
SERVING = "How do I shorten the first token? Shorten the prompt or share its beginning."


@pytest.mark.parametrize(
    ("passage", "question", "other"),
    [
        (TRAINING, "Why is my first token so slow with long prompts?", True),
        (TRAINING, "Why is my training slow?", False),
        (TRAINING, "Serve and fine-tune on one card: why is it slow?", False),
        (SERVING, "Why is my first token so slow with long prompts?", False),
        ("训练为什么慢？先量一个数。", "推理服务首字延迟太高怎么办", True),
        ("训练为什么慢？先量一个数。", "为什么这么慢", False),
    ],
)
def test_training_is_other_work_only_beside_plain_serving(passage: str, question: str, other: bool) -> None:
    assert other_work(passage, question) is other

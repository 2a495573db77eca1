"""Slips of the finger are set right; words and names that are right stay."""

import pytest

from assistant.understand import understand
from assistant.understand.spelling import spelled
from assistant.understand.text import Text


@pytest.mark.parametrize(
    ("written", "right"),
    [
        ("how mcuh vrma", "how much vram"),
        ("conncurrent reqeusts", "concurrent requests"),
        ("differece betwen cards", "difference between cards"),
        ("trainning tim", "training tim"),
        ("大模型布署要多少现存", "大模型部署要多少显存"),
    ],
)
def test_a_slip_is_set_right(written: str, right: str) -> None:
    assert spelled(Text.of(written)).plain == right


@pytest.mark.parametrize(
    "text",
    [
        "per hour",
        "a patch of the content",
        "gemma and qwen on xinference",
        "the world is lower",
        "epoch 3",
        "letter",
        "my user",
        "--bath-size",
    ],
)
def test_a_right_word_stays(text: str) -> None:
    assert spelled(Text.of(text)).plain == text


def test_spans_quote_the_slip_itself() -> None:
    question = "64 conncurrent requests on a 7B"
    spans = {span.slot: span.text for span in understand(question).spans}
    assert spans["concurrent_sequences"].startswith("64 conncurrent")

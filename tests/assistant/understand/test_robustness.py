"""Any text is read: quickly, in time that grows with its length, and with spans that quote it."""

import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from assistant.understand import stated, understand
from assistant.understand.text import READ_CHARACTERS_MAX
from assistant.understanding import Understanding
from tools.need import Need

PIECES = [
    "4090", "A100 80G", "两张", "8卡", "70B", "int4", "q4_k_m", "128k", "上下文", "预算", "50万", "$20k", "1,000",
    "Qwen2.5-7B", "and", "呢", "？", "--tp 4", "１２", "²", "٣", "½", "\x00", "\ue000", "RTX", "\n",
    "CUDA out of memory", "x", "×", "lora", "why", "not the", "加一张", "GB", "e9", "99999999999999999999", "0",
    "-1", "0B", "0 张", "零", "亿亿", "epochs", "batch", "ß", "İ", "ﬃ",
]  # fmt: skip


@settings(max_examples=80, deadline=None)
@given(st.text(max_size=400))
def test_any_text_is_read(text: str) -> None:
    assert isinstance(understand(text), Understanding)


@settings(max_examples=120, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=25), st.sampled_from(["", " "]))
def test_any_mixture_of_question_words_is_read_twice(pieces: list[str], gap: str) -> None:
    text = gap.join(pieces)
    first = understand(text)
    again = understand(text, first.need)
    assert isinstance(again, Understanding)
    assert isinstance(stated(again.need), Need)


@settings(max_examples=60, deadline=None)
@example(["１２", "４０９０", "Ｑｗｅｎ２．５－７Ｂ"])
@given(st.lists(st.sampled_from(PIECES), max_size=25))
def test_every_span_quotes_the_question(pieces: list[str]) -> None:
    text = " ".join(pieces)
    for span in understand(text).spans:
        assert text[span.start : span.end] == span.text


@pytest.mark.parametrize(
    "piece",
    [
        "1",
        "a",
        "8x",
        "a-",
        "q4 ",
        "一",
        "1,000,",
        " ",
        "(",
        "a.b.",
        "--",
        "4 * ",
        "error: ",
        "租买还是",
        "4090 ",
        "of the my ",
        "数据 ",
        "二手",
    ],
)
def test_time_grows_with_the_length_of_the_text(piece: str) -> None:
    text = (piece * READ_CHARACTERS_MAX)[:READ_CHARACTERS_MAX]
    understand(text[: len(text) // 8])

    def seconds(size: int) -> float:
        best = 1e9
        for _ in range(3):
            started = time.process_time()
            understand(text[:size])
            best = min(best, time.process_time() - started)
        return best

    assert seconds(len(text)) < 12 * max(seconds(len(text) // 4), 0.02)


def test_the_same_words_are_always_read_the_same_way() -> None:
    question = "8*A100 80g enough to finetune llama2 70b with zero3?"
    assert understand(question) == understand(question)


def test_text_beyond_the_limit_is_left_unread_not_refused() -> None:
    assert understand("4090 " * 10_000).need is not None

"""Whatever stands in a quotation, a reader gives a value or an error of the advisor's own, soon."""

import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.base import AdvisorError
from kb.lexicon import (
    read_cards,
    read_count,
    read_duration,
    read_format,
    read_host_memory,
    read_link,
    read_memory,
    read_memory_channels,
    read_model,
    read_money,
    read_params,
    read_picture_size,
    read_rate,
)

READERS: list[Callable[[str], Any]] = [
    read_cards, read_count, read_duration, read_format, read_host_memory, read_link, read_memory, read_memory_channels,
    read_model, read_money, read_params, read_picture_size, read_rate,
]  # fmt: skip
_PIECES = "2x 3090 a half GB 64 万 三 千 元 / h $ 1.5 k - + ( 半 个 一 days per DDR5 Qwen3 32B q4_k_m × , e9 多 0 卡 月"
_WORDS = st.lists(st.sampled_from(_PIECES.split()), max_size=12)


@pytest.mark.parametrize("read", READERS, ids=lambda read: str(read.__name__))
@given(st.one_of(st.text(max_size=60), _WORDS.map(" ".join), _WORDS.map("".join)))
@settings(max_examples=150, deadline=None)
def test_any_text_is_read_or_refused(read: Callable[[str], Any], text: str) -> None:
    refused: list[AdvisorError] = []
    try:
        read(text)
    except AdvisorError as error:
        refused.append(error)

    assert all(str(error) for error in refused)


@pytest.mark.parametrize("read", READERS, ids=lambda read: str(read.__name__))
@pytest.mark.parametrize("text", ["9" * 400, "a " * 400, "一" * 400, "2x" * 200, "((((" * 100, "1 1 " * 100])
def test_long_texts_take_no_time(read: Callable[[str], Any], text: str) -> None:
    start = time.perf_counter()
    with suppress(AdvisorError):
        read(text)

    assert time.perf_counter() - start < 2

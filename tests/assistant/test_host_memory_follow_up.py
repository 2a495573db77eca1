"""Host memory that was told stays told, also after a change of format, and figures that differ look so."""

import pytest

from assistant.ground.check import ground
from tests.assistant.planning import talk, turn


@pytest.mark.parametrize(
    ("turns", "said"),
    [
        (
            ["How much VRAM for Llama 3.3 70B on my RTX 4090 with 64 GB of RAM", "and with 4-bit?"],
            ["together with host memory", "44 GB"],
        ),
        (["4090 加 64G 内存，跑 Llama 3.3 70B 要多少显存", "那 4bit 呢"], ["加上内存可以跑", "INT4"]),
        (["Can I run Qwen3-235B-A22B on a 3090 with 128GB RAM?", "and in 4-bit?"], ["together with host memory"]),
    ],
)
def test_a_change_of_format_keeps_the_hosts_memory(turns: list[str], said: list[str]) -> None:
    answer = talk(*turns)[2].answer
    for one in said:
        assert one in answer.splitlines()[0]


def test_without_host_memory_the_card_alone_is_judged() -> None:
    _, _, draft = turn("How much VRAM for Llama 3.3 70B in INT4 on my RTX 4090")
    assert "will not do" in draft.answer.splitlines()[0]


@pytest.mark.parametrize("text", ["RAG with a 32B on 4090 24 GB in INT4", "4090 24G 用 INT4 的 32B 做 RAG 行吗"])
def test_what_is_needed_and_what_is_usable_are_told_apart(text: str) -> None:
    _, records, draft = turn(text)
    first = draft.answer.splitlines()[0]
    assert "23.6 GiB" in first
    assert "23.5 GiB" in first
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded

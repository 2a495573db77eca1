"""A memory that a question takes a card to have, held against the data sheet."""

import pytest

from tests.assistant.planning import turn


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("The H100 SXM has 141 GB, so Llama 3.3 70B in bf16 fits one, right?", "80 GB"),
        ("3090 显存 32G，跑 30B fp8 够了吧", "24 GB"),
        ("an L4 with 48GB would hold Qwen3-32B at int4, no?", "24 GB"),
        ("A6000 有 80G，能放下 70B int8 吧", "48 GB"),
        ("can the 4070 (16GB) run a 13B?", "12 GB"),
        ("RTX 3080（16G）能跑 9B 吗", "10 GB"),
    ],
)
def test_the_true_memory_leads(text: str, says: str) -> None:
    _, _, draft = turn(text)
    assert says in draft.answer.splitlines()[0]


@pytest.mark.parametrize(
    "text",
    [
        "The A100 has 80GB, does Llama 3.3 70B int8 fit?",
        "4090 显存 24G 能跑 32B int4 吗",
        "RTX 3090 with 64GB RAM for a 70B Q4",
        "我有 3090，另有 128G 内存，跑 70B Q4",
        "L40S with 48GB for Qwen3-32B fp8",
        "FSDP QLoRA of Llama3-8B on 4x A40 (180GB)?",
        "4x 3090 (96GB) for Llama-3.3-70B int8?",
        "an RTX 3060 (12GB) for Qwen3-8B?",
    ],
)
def test_what_is_right_or_said_of_other_memory_is_left_alone(text: str) -> None:
    _, _, draft = turn(text)
    assert ", not " not in draft.answer.splitlines()[0]
    assert "，不是" not in draft.answer.splitlines()[0]

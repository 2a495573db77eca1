"""A card with a memory in which it is not known to exist: that comes first; modified cards that are known are those."""

import pytest

from assistant.ground.check import ground
from assistant.plan.unsold import unsold
from assistant.understand import understand
from tests.assistant.planning import talk, turn


@pytest.mark.parametrize(
    ("text", "first"),
    [
        (
            "RTX 4090 32GB? will it run Qwen2.5-32B",
            "No RTX 4090 with 32 GB is known here, only RTX 4090 24 GB and",
        ),
        ("3090 48GB 跑 Qwen2.5-72B 4bit 够吗", "没有查到 48 GB 的 RTX 3090，已知的只有 RTX 3090 24 GB"),
        ("魔改 3090 48G 值得买吗", "没有查到 48 GB 的 RTX 3090"),
        ("is the modded 4090 32GB worth it for LLMs?", "No RTX 4090 with 32 GB is known"),
        ("3070 16GB modded for SDXL, good?", "No RTX 3070 with 16 GB is known"),
        ("5090 96GB modded for 70B?", "No RTX 5090 with 96 GB is known"),
        ("A100 64GB 跑 32B 够吗", "没有查到 64 GB 的 A100 SXM4，已知的只有 A100 PCIe 40GB"),
        ("3060 24GB 能跑什么", "没有查到 24 GB 的 RTX 3060，已知的只有 RTX 3060 8GB、RTX 3060 12GB"),
        ("RTX 3090 48GB vs A6000 for llm inference", "No RTX 3090 with 48 GB is known"),
        ("48G 的 3090 跑 72B", "没有查到 48 GB 的 RTX 3090"),
    ],
)
def test_that_no_such_card_is_known_comes_first(text: str, first: str) -> None:
    _, records, draft = turn(text)
    assert draft.answer.removeprefix("**").startswith(first)
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


@pytest.mark.parametrize(
    ("text", "card"),
    [
        ("Can RTX 4090 48GB run Qwen2.5-72B Q4?", "rtx-4090-48gb"),
        ("2080 Ti 22GB 能跑 Qwen2.5-32B 吗", "rtx-2080-ti-22gb"),
        ("3080 20GB 跑 32B 模型行吗", "rtx-3080-20gb"),
        ("4090D 48G 跑 70B", "rtx-4090-d-48gb"),
        ("48G 魔改 4090 跑 70B Q4", "rtx-4090-48gb"),
        ("H100 96GB 能跑 72B 吗", "h100-sxm-96gb"),
    ],
)
def test_a_modified_card_that_is_known_is_that_card(text: str, card: str) -> None:
    understanding = understand(text)
    assert [one.gpu for one in understanding.need.gpus_owned] == [card]
    assert unsold(understanding, understanding.need) is None


@pytest.mark.parametrize(
    "text",
    [
        "2x 3090 48GB for 70B Q4",
        "两张 3090 共 48GB 跑 70B Q4 行吗",
        "4090 24GB 64GB RAM run 70B?",
        "3090 64GB DDR4, run Qwen2.5-72B?",
        "4060 32GB 内存，跑 14B 够吗",
        "T4 15GB 能跑 7B 吗",
        "A10 22GB for 14B?",
        "RTX 4090 能放下 48GB 的模型吗",
    ],
)
def test_the_memory_of_all_cards_the_computer_or_a_driver_is_no_other_card(text: str) -> None:
    understanding = understand(text)
    assert unsold(understanding, understanding.need) is None


def test_it_is_said_of_a_card_named_later() -> None:
    answer = talk("4090 48GB跑Qwen3-32B", "换成 3090 48GB 呢")[2].answer
    assert answer.startswith("**没有查到 48 GB 的 RTX 3090")

"""Cards described by their link are asked about for what they run; the link gets a word beside."""

import pytest

from assistant.ground.check import ground
from tests.assistant.planning import turn


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("两张 V100 16G nvlink 跑 30b", ["能，但要用 INT4", "张量并行", "按层切分", "NVLink"]),
        ("2x V100 16GB with NVLink to run a 30B", ["Yes, in INT4", "tensor parallel", "by layers", "NVLink"]),
        ("two 3090s with nvlink, running Qwen3-32B", ["Yes", "tokens/s", "NVLink"]),
        ("V100 32G 两张 NVLink 互联部署 Qwen2.5-32B", ["能，但要用 INT8", "NVLink"]),
    ],
)
def test_what_linked_cards_run_is_told_with_a_word_about_the_link(text: str, said: list[str]) -> None:
    understanding, records, draft = turn(text)
    assert understanding.need.intent == "can_it_run"
    for one in said:
        assert one in draft.answer
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


@pytest.mark.parametrize(
    "text",
    [
        "两张 3090 跑 70B 要不要 nvlink",
        "两张 3090 跑 32B 有 nvlink 会快多少",
        "does nvlink matter for 2x3090 running a 70B",
        "2 张 A100 40G nvlink 跑 70B 和 pcie 差多少",
    ],
)
def test_who_asks_about_the_link_is_told_about_the_link(text: str) -> None:
    assert turn(text)[0].need.intent == "interconnect"

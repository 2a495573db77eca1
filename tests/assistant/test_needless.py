"""Whether a card is more than the work needs is answered by the smallest that does it."""

import pytest

from assistant.compose import names
from kb.catalog import gpu
from tests.assistant.planning import turn


def _headline(text: str) -> str:
    return turn(text)[2].answer.split("\n")[0]


@pytest.mark.parametrize(
    ("text", "said", "named"),
    [
        ("Do I really need an A100 to run a 7B model?", "No", "a100-sxm4-80gb"),
        ("do we need 2 A100s for Qwen2.5-32B?", "No", "a100-sxm4-80gb"),
        ("Is an H200 overkill for Llama 3.1 8B?", "More than it needs", "h200-sxm-141gb"),
        ("有必要上 A100 吗？就跑个 7B", "没必要", "a100-sxm4-80gb"),
        ("微调 7B LoRA 要不要上 H100", "没必要", "h100-sxm5-80gb"),
        ("用 H200 跑 32B 会不会大材小用", "用大了", "h200-sxm-141gb"),
    ],
)
def test_the_smallest_that_does_it_is_named(text: str, said: str, named: str) -> None:
    _, records, draft = turn(text)
    headline = draft.answer.split("\n")[0]
    assert said in headline
    first = next(one.result for one in records if one.tool == "estimate_memory" and one.result["fit"])
    rows = [row for row in first["minimum_gpus"] if row["count"] == 1 and row["verdict"] == "yes"]
    smallest = min(gpu(row["gpu"]).memory_bytes for row in rows)
    assert smallest < gpu(named).memory_bytes * first["gpus"]
    assert any(names.cards(row["gpu"], 1) in headline for row in rows if gpu(row["gpu"]).memory_bytes == smallest)


def test_where_only_four_bits_are_smaller_both_are_told() -> None:
    headline = _headline("I want to run Gemma 3 12B at home, do I need a 5090?")
    assert headline.startswith("**Only for the published precision")
    assert "INT4" in headline
    assert "4060 Ti" in headline


@pytest.mark.parametrize("text", ["ComfyUI 跑 FLUX 要不要上 5090", "does it require an H100 to run gpt-oss-120b?"])
def test_what_needs_about_so_much_is_told_so(text: str) -> None:
    assert "放不宽裕" in _headline(text) or "holds it with room" in _headline(text)


@pytest.mark.parametrize(
    "text",
    [
        "how many A100s do I need for 70B?",
        "What do I need to run Llama 70B on an H100?",
        "Do I need NVLink for 2 A100s serving 70B?",
        "需要几张 A100 才能跑 70B",
        "Can an A100 run a 7B model?",
    ],
)
def test_other_questions_of_need_are_left_alone(text: str) -> None:
    headline = _headline(text)
    assert not any(words in headline for words in ("would do", "More than it needs", "没必要", "就够；"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("What context length can I get with Llama 3.1 8B on a 12GB card?", "room for a context of about"),
        ("Qwen3-14B 在 16G 显存上最长能开多少上下文", "tokens 的上下文"),
        ("how many users can an 8GB card serve with Qwen3-4B?", "requests"),
    ],
)
def test_what_a_nameless_card_has_room_for_comes_first(text: str, said: str) -> None:
    assert said in _headline(text)


@pytest.mark.parametrize(
    "text",
    [
        "Is AMD 7900 XTX ok for LLM inference?",
        "is an RTX 4000 SFF Ada good enough to run local models?",
        "4060Ti 16G 适合跑大模型吗",
        "MI50 32G 跑大模型行不行",
    ],
)
def test_whether_a_card_does_for_models_is_told_by_the_largest_it_runs(text: str) -> None:
    _, records, draft = turn(text)
    assert "what_fits" in {one.tool for one in records}
    assert "B" in draft.answer.split("\n")[0]
    assert draft.answer.split("\n")[0].startswith("**1×")


def test_who_doubts_a_card_is_sold_none_of_it() -> None:
    draft = turn("Do I really need an A100 to fine-tune a 7B with LoRA?")[2]
    assert "**What you could order**" not in draft.answer
    assert "Buy" not in draft.answer

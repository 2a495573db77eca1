"""What each of several cards holds of an adapter's training: a copy, or a share."""

import pytest

from tests.assistant.planning import talk, turn


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("QLoRA Llama 3 70B on 2x 3090, does it fit?", ("data parallel, DDP", "shared out over the cards (FSDP)")),
        ("QLoRA 32B over two 4090s, possible?", ("data parallel, DDP", "shared out over the cards (FSDP)")),
        ("LoRA Qwen2.5-7B on 2x 4060 Ti 16GB?", ("data parallel, DDP", "(ZeRO-3)")),
        ("两张 4090 能 QLoRA 微调 70B 吗", ("数据并行 DDP", "（FSDP）")),
        ("两张 4060 Ti 16G LoRA 微调 Qwen2.5-7B 可以吗", ("数据并行 DDP", "（ZeRO-3）")),
        ("can I QLoRA a 14B on two 3090s?", ("more cards train faster, but none holds more",)),
        ("两张 3090 QLoRA 微调 14B 可以吗", ("卡多只是训得快",)),
    ],
)
def test_both_ways_are_told_with_what_a_card_holds(question: str, words: tuple[str, ...]) -> None:
    _, _, draft = turn(question)
    assert all(one in draft.answer for one in words)


@pytest.mark.parametrize("question", ["QLoRA 14B on a 3090?", "full fine-tune of Llama 3 8B on 8x A100 80GB?"])
def test_one_card_and_full_training_have_no_such_line(question: str) -> None:
    _, _, draft = turn(question)
    assert "data parallel, DDP" not in draft.answer


def test_a_follow_up_with_two_cards_tells_both_ways() -> None:
    _, _, draft = talk("QLoRA Llama 3 70B on a 3090, does it fit?", "and on two of them?")
    assert "shared out over the cards (FSDP)" in draft.answer


@pytest.mark.parametrize(
    "question", ["can I fine-tune Llama 3 8B fully on 4x 3090?", "fine-tune a 7B model fully, which GPU?"]
)
def test_to_fine_tune_fully_is_no_adapter(question: str) -> None:
    understanding, _, _ = turn(question)
    assert understanding.need.task == "full_finetune"

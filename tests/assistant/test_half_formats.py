"""No answer calls a format BF16 on a card that cannot compute in it."""

import re

import pytest

from tests.assistant.planning import talk

OLD = ("Tesla V100", "T4", "RTX 2080 Ti", "Tesla P40", "GTX 1080 Ti", "TITAN RTX")
ASKED = [
    pytest.param(("Qwen3-14B on a V100 32GB, does it fit?",), id="fit"),
    pytest.param(("Qwen3-14B 在 V100 32G 上能跑吗",), id="fit-zh"),
    pytest.param(("V100 32G 和 4090 跑 Qwen3-14B 选哪个",), id="compared"),
    pytest.param(("is a V100 32GB any good?", "for a 13B model", "and against a 3090?"), id="compared-later"),
    pytest.param(("how many 2080 Ti for Mistral-Small-24B?",), id="count"),
    pytest.param(("rent 4x T4 or 1x A10 for Llama-3.1-8B?",), id="rented"),
    pytest.param(("LoRA of Llama-3.1-8B on 4x V100 32GB, how long for 50M tokens?",), id="trained"),
    pytest.param(("Gemma-2-9B bf16 on a TITAN RTX?",), id="asked-in-bf16"),
]


@pytest.mark.parametrize("turns", ASKED)
def test_old_cards_are_never_labelled_bf16(turns: tuple[str, ...]) -> None:
    answer = talk(*turns)[2].answer
    assert any(card in answer for card in OLD)
    for line in answer.splitlines():
        if "no BF16" in line or "BF16 arithmetic on" in line or "没有 BF16" in line or line.startswith("| BF16"):
            continue  # that they have none
        cells = re.split(r"\s*[|；;，。]\s*", line) if line.startswith(("|", "- ")) else [line]
        for cell in cells:
            lone = any(card in cell for card in OLD) and not re.search(r"RTX 3090|RTX 4090|A10\b", cell)
            assert not (lone and re.search(r"(?<!published in )(?<!发布精度是 )BF16", cell)), cell


def test_the_premise_says_that_it_is_published_otherwise() -> None:
    answer = talk("Qwen3-14B on a V100 32GB, does it fit?")[2].answer
    assert "Weights on Tesla V100 SXM2 32GB in FP16, published in BF16" in answer
    assert "has no BF16" in answer


def test_what_is_published_in_fp16_needs_no_such_word() -> None:
    answer = talk("Llama-2-13B on a V100 32GB, does it fit?")[2].answer
    assert "BF16" not in answer


def test_the_same_work_on_old_and_new_cards_is_one_work() -> None:
    """16 bits are 16 bits: the newer card is listed beside the older one, in its own format."""
    answer = talk("Does Llama-3.1-8B fit a V100 32GB or an RTX 4090?")[2].answer
    assert "FP16 1×Tesla V100" in answer
    assert "BF16 1×RTX 4090" in answer


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Can a 2080 Ti do BF16 inference of Qwen3-4B?", "BF16 arithmetic on GeForce RTX 2080 Ti"),
        ("V100 能用 bf16 跑 Qwen3-8B 吗", "不支持 BF16 计算"),
    ],
)
def test_bf16_asked_of_such_a_card_is_refused_first(text: str, said: str) -> None:
    first, _, rest = talk(text)[2].answer.partition("\n")
    assert said in first
    assert "FP16" in rest


def test_bf16_asked_of_a_card_that_has_it_is_not_refused() -> None:
    assert "does not work" not in talk("Can an RTX 3090 do BF16 inference of Qwen3-4B?")[2].answer

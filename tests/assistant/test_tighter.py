"""Files of fewer bits where the one asked for just misses, and the member of a family that cards are asked about."""

import pytest

from assistant.plan.provisional import provisional
from assistant.plan.tighter import tighter_files
from assistant.understand import understand


@pytest.mark.parametrize(
    ("used", "first"),
    [
        ("gguf:Q4_K_M", "gguf:IQ4_XS"),
        ("gguf:Q2_K", "gguf:IQ2_M"),
        ("gguf:IQ3_M", "gguf:Q2_K"),
        ("gguf:Q8_0", None),
        ("awq", None),
    ],
)
def test_the_next_smaller_files_are_tried(used: str, first: str | None) -> None:
    assert next(iter(tighter_files(used)), None) == first


@pytest.mark.parametrize(("text", "used"), [("70B 量化到 IQ2 行吗", "gguf:IQ2_M"), ("iq4 的 32b", "gguf:IQ4_XS")])
def test_bits_without_a_letter_are_the_usual_file(text: str, used: str) -> None:
    assert understand(text).need.weight_format == used


@pytest.mark.parametrize(
    ("text", "model"),
    [
        ("V100 32G 还值得买来跑大模型吗？想跑qwen3", "Qwen/Qwen3-32B"),
        ("3060 12G 想跑 qwen3", "Qwen/Qwen3-14B"),
        ("想跑qwen3，要多少显存", "Qwen/Qwen3-8B"),
    ],
)
def test_a_family_is_the_member_that_the_cards_hold(text: str, model: str) -> None:
    assert provisional(understand(text)).model == model


def test_a_model_that_is_added_is_no_card_that_is_added() -> None:
    need = understand("bge-m3 同时部署，再加一个qwen2.5-14b-int4，一张4090能塞下吗").need
    assert [card.count for card in need.gpus_owned] == [1]
    assert not need.gpus_proposed

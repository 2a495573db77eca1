"""Makers weighed without a card: a card of each stands for them, side by side, and is said to."""

import pytest

from assistant.ground.check import ground
from assistant.understand import understand
from kb.catalog import gpus
from tests.assistant.planning import talk, turn


@pytest.mark.parametrize(
    ("text", "vendors"),
    [
        ("AMD or Intel instead of NVIDIA for inference?", ["AMD", "Intel", "NVIDIA"]),
        ("AMD 和英伟达的卡跑大模型哪个好", ["AMD", "NVIDIA"]),
        ("昇腾和海光哪个好", ["Huawei", "Hygon"]),
        ("Is Intel Arc a good alternative to NVIDIA for local LLMs?", ["Intel", "NVIDIA"]),
        ("AMD vs NVIDIA for running 70B locally", ["AMD", "NVIDIA"]),
        ("Huawei Ascend vs NVIDIA H100 for DeepSeek-R1?", ["Huawei", "NVIDIA"]),
        ("A卡和N卡跑 Stable Diffusion 哪个好", ["AMD", "NVIDIA"]),
        ("昇腾和英伟达跑 DeepSeek-R1 差距多大", ["Huawei", "NVIDIA"]),
        ("国产卡里昇腾、寒武纪、沐曦、摩尔线程选哪个跑 72B", ["Cambricon", "Huawei", "MetaX", "Moore Threads"]),
        ("昇腾和寒武纪哪个能替代 A100", ["Cambricon", "Huawei", "NVIDIA"]),
        ("寒武纪能替代 H20 吗", ["Cambricon", "NVIDIA"]),
        ("摩尔线程靠谱吗，能替代 4090 吗", ["Moore Threads", "NVIDIA"]),
        ("AMD Instinct vs NVIDIA for a data center LLM cluster", ["AMD", "NVIDIA"]),
    ],
)
def test_a_card_of_each_maker_is_told(text: str, vendors: list[str]) -> None:
    understanding, records, draft = turn(text)
    need = understanding.need
    assert sorted(gpus()[key].vendor for key in need.gpus_asked) == vendors
    assert not need.gpus_owned
    assert need.intent == "compare"
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


@pytest.mark.parametrize(
    ("text", "first"),
    [
        (
            "昇腾和寒武纪哪个能替代 A100",
            "按显存、带宽和算力，最接近 A100 SXM4 80GB 的是 Huawei Ascend 910B3：",
        ),
        ("AMD instead of an A100 80GB, any good?", "By memory, bandwidth and arithmetic AMD Instinct"),
    ],
)
def test_who_replaces_a_card_is_told_the_nearest_and_how_near(text: str, first: str) -> None:
    answer = turn(text)[2].answer
    assert answer.removeprefix("**").startswith(first)
    assert "CUDA" in answer


def test_which_card_stands_for_a_maker_is_said() -> None:
    answer = turn("AMD or Intel instead of NVIDIA for inference?")[2].answer
    assert "“AMD” is read as AMD Radeon AI PRO R9700" in answer
    assert "want CUDA" in answer


def test_a_model_named_later_is_sized_on_the_cards_that_stood_for_the_makers() -> None:
    answer = talk("昇腾和寒武纪哪个好", "跑 Qwen2.5-72B 呢")[2].answer
    assert "Huawei Ascend 910B3" in answer.split("\n")[0]
    assert "Cambricon" in answer.split("\n")[0]


@pytest.mark.parametrize(
    "text",
    [
        "AMD 7950X or Intel 14900K for a GPU server",
        "nvidia driver install fails on my AMD cpu machine",
        "Which NVIDIA card for 70B?",
        "RTX 4090 or RX 7900 XTX for llama.cpp?",
        "Is an Intel Xeon or AMD EPYC better for 8 H100?",
    ],
)
def test_other_makers_stand_for_no_card(text: str) -> None:
    doubts = understand(text).ambiguities
    assert not [one for one in doubts if one.text.lower() in {"amd", "intel", "nvidia"}]

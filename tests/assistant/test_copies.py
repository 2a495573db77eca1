"""Copies of one model: on the same card, or instead of one over all the cards; models that share a card."""

import re

import pytest

from assistant.ground import ground
from assistant.plan import particular
from tests.assistant.planning import talk, turn


@pytest.mark.parametrize(
    ("text", "copies", "first"),
    [
        ("Can I run two instances of Qwen3-8B on one L40S?", 2, "**Yes"),
        ("two 7B models on one 4090?", 2, "**No"),
        ("three 8B models on an A100 80GB?", 3, "**Yes"),
        ("一张 L20 48G 想切成两份给两个部门各跑一个 7B，可以吗", 2, "**能"),
        ("三个 8B 的模型放一张 A100 40G 行不行", 3, "**不能"),
        ("A100 80G 跑两个 14B 的模型够吗", 2, "**能"),
    ],
)
def test_copies_on_one_card_are_added_up(text: str, copies: int, first: str) -> None:
    understanding, records, draft = turn(text)
    assert understanding.need.copies == copies
    assert draft.answer.startswith(first)
    assert re.search(r"GiB( \+ [\d.]+ GiB){" + str(copies - 1) + "} = ", draft.answer)
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


@pytest.mark.parametrize(
    ("texts", "copies", "first"),
    [
        (("Can I run two instances of Qwen3-8B on one L40S?", "and three?"), 3, "**No"),
        (("三个 8B 的模型放一张 A100 40G 行不行", "int4 呢"), 3, "**能"),
        (("三个 8B 的模型放一张 A100 40G 行不行", "那两个呢"), 2, "**能"),
    ],
)
def test_copies_stay_through_a_follow_up(texts: tuple[str, ...], copies: int, first: str) -> None:
    understanding, _, draft = talk(*texts)
    assert understanding.need.copies == copies
    assert draft.answer.startswith(first)


@pytest.mark.parametrize(
    "text",
    [
        "Is it better to run one copy of Qwen2.5-VL-72B over 8 H200 or two copies of 4 each?",
        "8x H100 for DeepSeek-R1-Distill-Llama-70B: TP8 or two instances of TP4?",
        "Should I run one vLLM with tensor parallel 4 or four separate instances for Qwen3-14B on 4x 4090?",
        "4x L40S: one Qwen3-32B FP8 over 4 cards or 4 copies with one card each, which gives more throughput?",
        "8 卡 A100 80G 跑 Qwen2.5-72B，一个 8 卡实例好还是两个 4 卡实例好？",
        "两张 4090 跑 Qwen3-8B，tp=2 还是各起一个实例做负载均衡？",
        "4 张 L20 部署 Qwen3-32B，一个四卡实例还是两个双卡实例",
    ],
)
def test_copies_are_held_against_one_over_all(text: str) -> None:
    understanding, records, draft = turn(text)
    assert particular.shape(understanding) == "copied"
    assert draft.verdict == "comparison"
    assert draft.answer.split("\n", 1)[0].count("tokens/s") >= 2
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


@pytest.mark.parametrize(
    "text",
    [
        "can I serve Qwen3-8B and Qwen2.5-VL-7B on the same L40S?",
        "Does a 48GB L40S hold both Qwen3-8B and Qwen2.5-VL-7B?",
        "Qwen3-8B 和 DeepSeek-R1-Distill-Qwen-7B 放在同一张 4090 上可以吗",
        "L20 上能不能一起部署 Qwen3-14B 和 Qwen2.5-7B",
    ],
)
def test_models_on_the_same_card_are_added_up(text: str) -> None:
    understanding, _, draft = turn(text)
    assert len(understanding.beside) == 1
    assert re.search(r"[\d.]+ GiB \+ [\d.]+ GiB = [\d.]+ GiB", draft.answer.split("\n", 1)[0])


@pytest.mark.parametrize(
    ("text", "model"),
    [
        (
            "If I add Llama-3.2-1B as a draft model for Llama-3.3-70B on 2x A100 80GB, does it still fit?",
            "Llama-3.3-70B",
        ),
        ("speculative decoding with Qwen2.5-0.5B drafting for Qwen2.5-72B AWQ on 2x 4090 48GB, will it fit?", "72B"),
        ("Qwen3-32B 用 Qwen3-0.6B 做投机解码的草稿模型，4090 两张够吗", "Qwen3-32B"),
        ("用 Qwen3-1.7B 给 Qwen3-32B 当草稿模型，一张 A100 80G 放得下吗", "Qwen3-32B"),
    ],
)
def test_a_draft_stands_beside_the_large_model(text: str, model: str) -> None:
    understanding, _, draft = turn(text)
    assert model in (understanding.need.model or "")
    assert len(understanding.beside) == 1
    assert draft.verdict in ("fits", "fits_with_changes")


@pytest.mark.parametrize(
    "text",
    ["TP=4 or PP=4 for latency on 4x L40S? llama 70b fp8", "4 张 4090 跑 32B，张量并行还是流水线并行各有什么好处"],
)
def test_two_ways_to_spread_one_copy_are_another_question(text: str) -> None:
    assert particular.shape(turn(text)[0]) != "copied"

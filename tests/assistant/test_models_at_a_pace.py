"""Which models a machine runs: recommended where that is asked, and as fast as was set."""

import re

import pytest

from assistant.ground import ground
from tests.assistant.planning import turn


@pytest.mark.parametrize(
    ("text", "pace"),
    [
        ("M4 Max 64GB: biggest model that runs at 20+ tok/s?", 20),
        ("which is the largest model my 4090 runs at 30 tokens/s or more?", 30),
        ("largest LLM over 50 tok/s on a 3090?", 50),
        ("3090 上速度不低于 20 token/s 最大能跑多大的模型", 20),
    ],
)
def test_models_slower_than_the_pace_are_not_told_first(text: str, pace: int) -> None:
    understanding, records, draft = turn(text)
    assert understanding.need.target_tokens_per_s == pace
    rates = [float(rate) for rate in re.findall(r"≈ (\d+(?:\.\d+)?)", draft.answer.split("\n", 1)[0])]
    assert rates
    assert min(rates) >= pace
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


@pytest.mark.parametrize(
    "text",
    [
        "RTX 4070 laptop 8GB, 32GB RAM: recommend a local coding model",
        "recommend me a model for my 3060 12GB",
        "笔记本 4070 8G 显存，32G 内存，本地跑个写代码的模型推荐",
        "我的 3060 12G 推荐个本地模型",
    ],
)
def test_a_model_is_recommended_for_the_card_in_hand(text: str) -> None:
    understanding, records, draft = turn(text)
    assert understanding.need.gpus_owned
    assert any(record.tool == "what_fits" for record in records)
    assert draft.verdict == "recommendation"


@pytest.mark.parametrize(
    "text",
    [
        "with kv-cache-dtype fp8 how many tokens of cache does Llama 3.1 8B get on a 24GB 4090?",
        "Qwen3-32B 一张 A100 80G 能开多长",
    ],
)
def test_the_tokens_of_a_cache_are_its_context(text: str) -> None:
    first = turn(text)[2].answer.split("\n", 1)[0]
    assert "at most" in first or "最多" in first

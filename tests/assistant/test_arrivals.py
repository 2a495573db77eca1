"""Requests that come at a rate, and texts to get through once: how many cards, whether they do, how long it takes."""

import re

import pytest

from assistant.ground import ground
from assistant.plan import arrivals, loaded
from tests.assistant.planning import turn


@pytest.mark.parametrize(
    ("text", "rate"),
    [
        ("We get 1000 requests per minute on Qwen3-32B", 1000 / 60),
        ("QPS 10，Qwen3-32B", 10.0),
        ("rpm is 1,200 for Llama 3.1 8B", 20.0),
        ("Qwen3-14B 每秒 5 个请求", 5.0),
        ("每分钟有 600 次调用", 10.0),
        ("5 rps with 4k prompts", 5.0),
        ("Qwen3-14B on a 4090, how fast", None),
    ],
)
def test_a_rate_is_read(text: str, rate: float | None) -> None:
    assert loaded.rate(text) == (pytest.approx(rate) if rate else None)


@pytest.mark.parametrize(
    ("text", "card"),
    [
        ("We get 1000 requests per minute, 1500 tokens in and 300 out each, on Qwen3-32B. How many H100?", "H100"),
        ("20 requests per second on Llama 3.1 8B, 500 in 200 out, how many L40S?", "L40S"),
        ("Qwen3-14B 每秒 5 个请求，输入 2000 输出 500，要几张 4090", "RTX 4090"),
        ("QPS 10，Qwen3-32B，输入 1000 输出 300，H20 要几张", "H20"),
        ("每分钟 600 次调用，输入 3k 输出 500，DeepSeek-V3 要几台 H200", "H200"),
    ],
)
def test_the_number_of_cards_is_that_which_keeps_up(text: str, card: str) -> None:
    understanding, records, draft = turn(text)
    assert arrivals.asked(understanding)
    best, rate = arrivals.best(records), loaded.rate(text)
    assert best is not None
    assert rate is not None
    wanted = arrivals.copies(best, rate) * (best.request.get("gpu_count") or 1)
    assert wanted > 1
    assert f"{wanted}×{card}" in draft.answer.split("\n", 1)[0]
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("Can one L40S take 10 requests per second of Llama 3.1 8B, 1000 in and 200 out?", "**No"),
        ("5 rps with 4k prompts and 1k answers on gpt-oss-120b, one H200 enough?", "**No"),
        ("Can 4 L40S take 10 requests per second of Llama 3.1 8B, 1000 in and 200 out?", "**Yes"),
        ("一张 L40S 扛得住每秒 10 个请求吗，Llama 3.1 8B，输入 1000 输出 200", "**不够"),
        ("8 张 H100 能扛每秒 3 个请求吗，Qwen3-32B，输入 2000 输出 400", "**够"),
    ],
)
def test_cards_in_hand_are_judged_by_the_rate(text: str, first: str) -> None:
    _, records, draft = turn(text)
    assert draft.answer.startswith(first)
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


@pytest.mark.parametrize(
    "text",
    [
        "need to run 5 million product descriptions (200 tokens in, 100 out) through Llama 3.1 8B. One L40S: how long?",
        "summarise 200k PDFs of 10k tokens each with Qwen3-32B on 2 H100, how long",
        "how long to label 3 million customer reviews with Qwen3-4B on one L4, 150 tokens in 20 out?",
        "50 万篇新闻做摘要，每篇 2000 token，输出 200，Qwen3-14B，两张 L20 多久跑完",
        "100 万个商品标题用 Qwen3-8B 改写，输入 60 输出 80，一张 4090 多久",
        "8 万份合同抽取字段，每份输入 12k 输出 500，Qwen3-30B-A3B，4 张 4090 要几天",
    ],
)
def test_texts_to_get_through_have_their_time(text: str) -> None:
    _, records, draft = turn(text)
    assert re.match(r"\*\*(?:The whole job|全部做完)", draft.answer)
    assert not any(record.tool == "estimate_training_time" for record in records)


def test_what_is_written_is_what_was_told() -> None:
    _, records, _ = turn("50 万篇新闻做摘要，每篇 2000 token，输出 200，Qwen3-14B，两张 L20 多久跑完")
    timed = next(record for record in records if record.tool == "estimate_inference_speed")
    assert (timed.request["input_tokens"], timed.request["output_tokens"]) == (2000, 200)
    assert timed.request["tokens"] == 500_000 * 200

"""How long a language model takes over texts, what a run on a rented card comes to, whether a card is a fair buy."""

import pytest

from assistant.ground.check import ground
from tests.assistant.planning import turn


@pytest.mark.parametrize(
    ("text", "count", "read", "written"),
    [
        ("How long would translating 5 million sentences with Qwen3-8B take on an L4?", 5_000_000, 32, 32),
        ("用 Qwen3-8B 翻译 500 万句话，一张 L4 要多久？", 5_000_000, 32, 32),
        ("How long would summarizing 200k documents with Qwen3-8B take on an L4?", 200_000, 512, 128),
        ("How long to classify 2M emails with Llama 3.1 8B on 2x3090, 300 tokens each?", 2_000_000, 300, 75),
    ],
)
def test_texts_are_timed_by_what_is_read_and_written_of_each(text: str, count: int, read: int, written: int) -> None:
    _, records, draft = turn(text)
    paced = next(one for one in records if one.tool == "estimate_inference_speed")
    assert paced.request["tokens"] == count * written
    assert (paced.request["input_tokens"], paced.request["output_tokens"]) == (read, written)
    assert not any(one.tool == "estimate_training_time" for one in records)
    assert draft.answer.startswith(("**The whole job", "**全部做完"))
    assert f"{count * written:,}" in draft.answer
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


@pytest.mark.parametrize(
    "text",
    [
        "How long does embedding 5M sentences with bge-m3 take on an L4?",
        "How long to fine-tune Llama 3.1 8B with LoRA on 50k documents on an A100?",
        "用 A100 微调 Qwen2.5-7B，5 万条数据要多久？",
        "Can Qwen3-8B on an L4 read 200 page documents?",
    ],
)
def test_texts_of_other_work_are_no_job_of_a_language_model(text: str) -> None:
    paced = [one for one in turn(text)[1] if one.tool == "estimate_inference_speed"]
    assert not any(one.request.get("tokens") for one in paced)


@pytest.mark.parametrize(
    "text",
    [
        "Rent one A100 to train YOLO11m for 100 epochs on 100k images, what will it cost?",
        "租一张 A100 训 YOLO11m 100 轮，10 万张图，大概要花多少钱？",
        "租一张 A100 训 YOLO11 一百轮，十万张图，大概要花多少钱？",
        "租 4090 训 SDXL LoRA，2000 步，要多少钱",
    ],
)
def test_a_run_on_a_rented_card_is_priced_by_the_time_it_takes(text: str) -> None:
    _, records, draft = turn(text)
    taken = next(one for one in records if one.tool == "estimate_training_time").result["time_s"]["value"]
    rent = next(one for one in records if one.tool == "estimate_cost").result["rent"][0]
    assert rent["term_cost"]["low"] == pytest.approx(rent["hourly_cost"]["low"] * taken / 3600, rel=1e-3)
    first = draft.answer.split("\n")[0]
    assert rent["cheapest"] in first
    assert "4×" not in first
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


@pytest.mark.parametrize(
    "text",
    [
        "what would a month of renting 4 H100s for nightly fine-tunes (3 hours each) come to?",
        "租 4 张 H100 一个月，每晚微调 3 小时，要多少钱？",
    ],
)
def test_the_time_of_a_training_of_no_model_is_not_told_beside_a_rent(text: str) -> None:
    answer = turn(text)[2].answer
    assert "Training time can only" not in answer
    assert "估训练时间" not in answer
    assert "order" not in answer
    assert "可以直接订" not in answer


@pytest.mark.usefixtures("fresh_prices")
@pytest.mark.parametrize(
    "text",
    [
        "Is a used Tesla P40 still a reasonable buy for running 30B models at home?",
        "Is the 3090 still a decent choice for 32B models?",
    ],
)
def test_whether_a_card_is_a_fair_buy_is_weighed_against_a_newer_one(text: str) -> None:
    answer = turn(text)[2].answer
    assert answer.startswith(("**Only if", "**Yes", "**No", "**Only clearly", "**Hardly"))
    assert "What you could order" not in answer

"""Training from nothing without a word on the data: reckoned with the compute-optimal amount, and told so."""

import pytest

from assistant.ground.check import ground
from tests.assistant.planning import turn


@pytest.mark.parametrize(
    ("text", "params"),
    [
        ("训练一个1B的模型从头开始，需要多少显卡多长时间", 10**9),
        ("pretrain a 3B model from scratch, what hardware", 3 * 10**9),
        ("从零预训练7B要几张卡", 7 * 10**9),
    ],
)
def test_hardware_and_time_are_told_on_the_usual_amount(text: str, params: int) -> None:
    _, records, draft = turn(text)
    search = next(one for one in records if one.tool == "configure")
    assert search.request["dataset_tokens"] == 20 * params
    assert any((one.get("speed") or {}).get("time_s") for one in search.result["configurations"])
    assert any("Hoffmann" in one.title for one in draft.citations)
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


def test_data_that_was_stated_is_taken_as_it_is() -> None:
    _, records, draft = turn("how many h100s to train a 7b model from scratch on 1T tokens")
    search = next(one for one in records if one.tool == "configure")
    assert search.request["dataset_tokens"] == 10**12
    assert not any("Hoffmann" in one.title for one in draft.citations)
    assert "90 days" in draft.answer.split("\n")[0]
    assert draft.answer.startswith("**Pre-training")


@pytest.mark.parametrize("text", ["微调 7B 要多久", "how much memory does pretraining a 7B take"])
def test_fine_tuning_and_memory_alone_want_no_data(text: str) -> None:
    _, records, _ = turn(text)
    assert not any(one.request.get("dataset_tokens") for one in records)


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("How long to pre-train gpt2 on an RTX 4090?", "For 2.5B tokens of text, taken because nobody said how much"),
        ("从零预训练 1B 模型，8 张 H100 要多久", "没说数据量，先按 20B tokens 算"),
        ("pretraining Llama-3.2-1B from scratch on 16 A100: time and cost?", "For 24.7B tokens of text, taken because"),
    ],
)
def test_a_time_on_data_nobody_stated_begins_with_the_amount(text: str, amount: str) -> None:
    _, records, draft = turn(text)
    assert draft.answer.removeprefix("**").startswith(amount)
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


def test_a_time_on_stated_data_needs_no_such_word() -> None:
    draft = turn("train a 1B model from scratch on 100B tokens on 8x H100, how long")[2]
    assert draft.answer.startswith("**Training time")


@pytest.mark.parametrize("text", ["nanoGPT on an RTX 3090, how long?", "nanoGPT 训练 gpt2，一张 4090 要多久"])
def test_a_project_is_timed_on_the_data_of_its_own_settings(text: str) -> None:
    _, records, draft = turn(text)
    timed = next(one for one in records if one.tool == "estimate_training_time")
    assert timed.request["dataset_tokens"] == 600_000 * 491_520
    assert "295B" in draft.answer.split("\n")[0]
    assert any("nanoGPT" in one.title for one in draft.citations)


def test_a_project_with_stated_data_or_another_model_is_timed_on_that() -> None:
    stated = turn("nanoGPT with 10B tokens on one 3090, how long?")[1]
    assert next(one for one in stated if one.tool == "estimate_training_time").request["dataset_tokens"] == 10**10
    larger = turn("pre-train gpt2-xl with nanoGPT on 8x A100 80GB, how long?")[1]
    timed = next(one for one in larger if one.tool == "estimate_training_time").request
    assert timed["dataset_tokens"] < 10**11

"""Of several cards one is chosen once, timed in the engine that people run there, however many are named."""

import pytest

from tests.assistant.planning import turn


@pytest.mark.parametrize(
    "text",
    [
        "Is B200 worth it over H200 for serving Llama 3.3 70B to 500 users?",
        "RTX 5090, 4090 or 3090 for Qwen3-32B?",
        "4090 还是 5090 跑 Qwen3-32B",
        "5090、4090、3090 跑 Qwen3-32B 选哪个",
    ],
)
def test_nothing_else_is_taken_beside_the_card_that_was_chosen(text: str) -> None:
    answer = turn(text)[2].answer
    assert "it leaves room beside" not in answer
    assert answer.count("Take 1×") <= 1


@pytest.mark.parametrize(
    "text",
    [
        "DGX Spark or Ryzen AI Max+ 395 128GB or Mac Studio M4 Max 128GB for qwen3-coder-next?",
        "DGX Spark、AI Max 395、M4 Max 128G 跑 gpt-oss-120b 选哪个",
        "RTX 5090, 4090 or 3090 for Qwen3-32B?",
    ],
)
def test_three_machines_are_raced(text: str) -> None:
    _, records, draft = turn(text)
    assert sum(record.tool == "estimate_inference_speed" for record in records) >= 3
    assert "tokens/s" in draft.answer.split("\n", 1)[0]


@pytest.mark.parametrize(
    ("text", "engine"),
    [
        ("what tokens/s should I expect from gpt-oss-120b on a DGX Spark?", "llama.cpp"),
        ("DGX Spark 跑 gpt-oss-20b 能有多快", "llama.cpp"),
        ("Qwen3-32B FP8 on a DGX Spark, tokens/s?", "vllm"),
        ("Qwen3-32B AWQ on a DGX Spark, how fast?", "vllm"),
        ("7B fp16 on a P40, how fast?", "transformers"),
    ],
)
def test_a_card_is_timed_in_what_runs_there(text: str, engine: str) -> None:
    paced = [record for record in turn(text)[1] if record.tool == "estimate_inference_speed"]
    assert paced[0].request["engine"] == engine


def test_a_spark_answers_as_it_was_measured() -> None:
    _, records, _ = turn("what tokens/s should I expect from gpt-oss-120b on a DGX Spark?")
    rate = next(record for record in records if record.tool == "estimate_inference_speed").result
    assert rate["tokens_per_s_per_user"]["low"] < 54 < rate["tokens_per_s_per_user"]["high"]

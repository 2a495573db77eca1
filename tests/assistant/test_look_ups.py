"""Look-ups beside the calculations: never crowded out, and what a case or a supply limits a purchase to."""

import pytest

from assistant.ground.check import ground
from assistant.plan import plan
from assistant.understand import understand
from tests.assistant.planning import talk, turn


@pytest.mark.parametrize(
    "text",
    [
        "4 块 4090 跑 72B-int4 比 2 块还慢，A100 一张也比它快，怎么回事",
        "How many concurrent 8k users can 2x L40S serve with Qwen3-30B-A3B fp8?",
        "LoRA on Llama-3-8B with 20M tokens on two V100s, how many hours?",
        "rent V100 32GB x8 or buy them to run Llama-3.1-70B?",
    ],
)
def test_named_cards_are_checked_however_much_is_calculated(text: str) -> None:
    calls = plan(understand(text))
    assert "check_compatibility" in {call.tool for call in calls}


@pytest.mark.usefixtures("fresh_prices")
@pytest.mark.parametrize(
    "text",
    [
        "Whisper large for hundreds of recordings, under $2000, but my case is a mini-tower. which card?",
        "under $600, PSU is 550W, want to run 14B models",
    ],
)
def test_what_a_case_or_supply_limits_is_told_of_the_candidates(text: str) -> None:
    _, records, draft = turn(text)
    assert any(record.tool == "find_gpus" for record in records)
    assert "| Board power |" in draft.answer
    assert "| Slots |" in draft.answer
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


def test_without_such_a_limit_the_candidates_are_not_looked_up() -> None:
    _, records, draft = turn("under $600, want to run 14B models")
    assert not any(record.tool == "find_gpus" for record in records)
    assert "| Slots |" not in draft.answer


def test_cards_race_at_the_usual_model_where_each_holds_it_with_ease() -> None:
    _, records, draft = turn("ASR 推理用 4090 还是 H20 快")
    assert sum(record.tool == "estimate_inference_speed" for record in records) == 2
    assert "whisper-large-v3" in draft.answer


def test_a_stand_in_that_one_of_the_cards_hardly_holds_decides_nothing() -> None:
    _, records, _ = turn("4060 Ti 16G 和 3080 10G 画 SD 哪个快")
    assert not any(record.tool == "estimate_memory" for record in records)


def test_how_many_requests_fit_is_told_where_those_asked_for_do_not() -> None:
    text = "两张 L40S 跑 qwen3-30b-a3b fp8，8k 上下文最多多少并发，能到 100 吗"
    _, records, draft = turn(text)
    fit = next(record.result["fit"] for record in records if record.tool == "estimate_memory")
    assert draft.verdict == "does_not_fit"
    assert any(f"{fit['max_concurrent_sequences']} 路" in lever for lever in draft.answer.splitlines())


def test_slowness_without_a_model_or_a_card_is_asked_back() -> None:
    assert turn("跑大模型太慢了怎么办")[2].clarifying_questions
    assert turn("can you size a cluster for us")[2].clarifying_questions


def test_a_price_asked_of_a_card_thought_of_does_not_say_that_it_is_there() -> None:
    draft = talk("my 3090 is too slow for flux", "what would a 5090 bring", "ok price? used or new")[2]
    assert "you have" not in draft.answer.splitlines()[0]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("memory bandwidth and FP8 TFLOPS of the B200?", ("FP8", "TB/s")),
        ("RTX PRO 6000 显存带宽多少，支持nvlink吗", ("NVLink", "TB/s")),
        ("H20 算力多少，功耗呢", ("TFLOPS", "W")),
    ],
)
def test_every_figure_asked_for_is_in_the_first_line(text: str, told: tuple[str, ...]) -> None:
    line = turn(text)[2].answer.split("\n")[0]
    assert all(word in line for word in told)


def test_arithmetic_of_a_format_that_is_named_is_told_of_that_format() -> None:
    assert "BF16" not in turn("FP8 TFLOPS of the B200?")[2].answer.split("\n")[0]


def test_the_speed_of_nothing_that_was_named_is_asked_back() -> None:
    assert turn("How fast will it be on my GPU?")[2].verdict == "clarification"

"""The speed of several cards in one question: each with its figure, the fastest first, and who cannot hold the work."""

import re

import pytest

from assistant.answer import ToolCallRecord
from assistant.compose import names, numbers
from assistant.ground.check import ground
from tests.assistant.planning import talk, turn
from tests.assistant.test_follow_ups import conversation


def paced(records: list[ToolCallRecord], gpu: str, key: str, weight_format: str | None = None) -> str:
    """The figure of a card as it is told."""
    found = (
        one.result[key]["value"]
        for one in records
        if one.tool in ("estimate_inference_speed", "estimate_training_time")
        and one.result["gpu"] == gpu
        and weight_format in (None, one.result.get("weight_format"))
    )
    return numbers.figure(next(found))


USER = "tokens_per_s_per_user"


@pytest.mark.parametrize(
    ("text", "cards", "form"),
    [
        ("How fast is Qwen3-8B on a 4090, and on a 3060?", ("rtx-4090-24gb", "rtx-3060-12gb"), "int4"),
        ("4090 跑 Qwen3-8B 每秒多少 token，3060 呢？", ("rtx-4090-24gb", "rtx-3060-12gb"), "int4"),
        ("Qwen3-8B 在 3060 和 4090 上各能跑多快？", ("rtx-4090-24gb", "rtx-3060-12gb"), "int4"),
        (
            "3090、4090、5090 跑 Llama 3.1 8B 各能到多少 tokens/s？",
            ("rtx-5090-32gb", "rtx-4090-24gb", "rtx-3090-24gb"),
            "bf16",
        ),
        (
            "How many tokens per second does Llama 3.1 8B do on a 3090, a 4090 and a 5090?",
            ("rtx-5090-32gb", "rtx-4090-24gb", "rtx-3090-24gb"),
            "bf16",
        ),
        (
            "How fast is Qwen3-8B Q4_K_M on a 3060, a 4070 and a 7900 XTX?",
            ("rx-7900-xtx-24gb", "rtx-4070-12gb", "rtx-3060-12gb"),
            "gguf:Q4_K_M",
        ),
    ],
)
def test_every_card_is_named_with_its_speed_the_fastest_first(text: str, cards: tuple[str, ...], form: str) -> None:
    _, records, draft = turn(text)
    verdict = draft.answer.split("\n\n")[0]
    told = [f"{names.cards(card, 1)} ≈ {paced(records, card, USER, form)}" for card in cards]
    assert [verdict.index(one) for one in told] == sorted(verdict.index(one) for one in told)
    assert draft.verdict == "comparison"
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


@pytest.mark.parametrize(
    "text", ["How fast is Qwen3-8B on a 4090, and on a 3060?", "4090 跑 Qwen3-8B 每秒多少 token，3060 呢？"]
)
def test_the_ratio_is_reckoned_before_the_eyes_and_a_wider_format_is_told_where_one_alone_holds_it(text: str) -> None:
    _, records, draft = turn(text)
    fast, slow = (paced(records, card, USER, "int4") for card in ("rtx-4090-24gb", "rtx-3060-12gb"))
    verdict = draft.answer.split("\n\n")[0]
    assert f"{fast} ÷ {slow} ≈ {float(fast) / float(slow):.1f}" in verdict
    assert f"≈ {paced(records, 'rtx-4090-24gb', USER, 'bf16')}" in verdict
    head, *rows = [line for line in draft.answer.split("\n") if line.startswith("|")]
    assert [head.count(names.gpu_name(card)) for card in ("rtx-4090-24gb", "rtx-3060-12gb")] == [2, 1]
    assert len(re.findall(r"\d+ ?[（(]\d+–\d+", rows[1])) == 3


@pytest.mark.parametrize(
    ("text", "holds", "cannot", "enough"),
    [
        ("How fast is Qwen3-32B on a 4090 and on a 3060?", "1×RTX 4090", "1×RTX 3060 12GB", "2×RTX 3060 12GB"),
        ("Llama 3.1 70B 在 3060 和 H100 上每秒多少 token？", "1×H100 SXM5 80GB", "1×RTX 3060 12GB", "8×RTX 3060 12GB"),
    ],
)
def test_who_cannot_hold_it_is_said_with_how_many_would(text: str, holds: str, cannot: str, enough: str) -> None:
    _, records, draft = turn(text)
    first, missing = draft.answer.split("\n\n")[0].split(cannot + " ")[:2]
    assert holds in first
    assert "≈" in first
    assert enough in missing
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


@pytest.mark.parametrize(
    ("text", "alone"),
    [
        ("How fast is Qwen3-32B on a 3060 12GB and on a 4060 Ti 16GB?", "None of them holds it alone"),
        ("A100 和 H100 跑 Llama-3.1-70B FP8，64 并发吞吐各多少？", "单张都放不下"),
    ],
)
def test_where_no_single_one_holds_it_as_many_as_do_are_raced(text: str, alone: str) -> None:
    _, records, draft = turn(text)
    verdict = draft.answer.split("\n\n")[0]
    counts = {one.result["gpu_count"] for one in records if one.tool == "estimate_inference_speed"}
    assert verdict.removeprefix("**").startswith(alone)
    assert max(counts) > 1
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


@pytest.mark.parametrize(
    ("text", "key", "faster", "slower"),
    [
        ("how fast does SDXL run on 3060 vs 4070?", "time_per_image_s", "rtx-4070-12gb", "rtx-3060-12gb"),
        ("4090 和 3060 跑 SDXL 一张图要多久？", "time_per_image_s", "rtx-4090-24gb", "rtx-3060-12gb"),
        ("Wan2.1 14B 在 4090 和 5090 上生成一段视频要多久？", "time_per_clip_s", "rtx-5090-32gb", "rtx-4090-24gb"),
    ],
)
def test_pictures_and_clips_are_raced_by_the_time_of_one(text: str, key: str, faster: str, slower: str) -> None:
    _, records, draft = turn(text)
    seconds = {}
    for one in records:
        if one.tool == "estimate_inference_speed":
            seconds.setdefault(one.result["gpu"], one.result[key]["value"])
    told = [f"{names.cards(card, 1)} ≈ {numbers.duration(seconds[card])[0]} " for card in (faster, slower)]
    verdict = draft.answer.split("\n\n")[0]
    assert verdict.index(told[0]) < verdict.index(told[1])
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


@pytest.mark.parametrize(
    ("text", "key", "cards"),
    [
        (
            "How fast would I fine-tune Llama 3.1 8B with LoRA on a 3090 vs a 4090?",
            "tokens_per_s_per_gpu",
            ("rtx-4090-24gb", "rtx-3090-24gb"),
        ),
        ("4090 和 3060 训练 ResNet50 每秒多少张图？", "samples_per_s_per_gpu", ("rtx-4090-24gb", "rtx-3060-12gb")),
    ],
)
def test_trainings_are_raced_too(text: str, key: str, cards: tuple[str, str]) -> None:
    _, records, draft = turn(text)
    verdict = draft.answer.split("\n\n")[0]
    told = [f"{names.cards(card, 1)} ≈ {paced(records, card, key)}" for card in cards]
    assert verdict.index(told[0]) < verdict.index(told[1])
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


def test_a_card_that_takes_a_lighter_way_to_train_is_told_in_that_way() -> None:
    _, records, draft = turn("3060 和 4090 LoRA 微调 Llama-3.1-8B 速度分别是多少？")
    ways = {one.result["gpu"]: one.result["task"] for one in records if one.tool == "estimate_training_time"}
    verdict = draft.answer.split("\n\n")[0]
    assert ways == {"rtx-4090-24gb": "lora", "rtx-3060-12gb": "qlora"}
    assert verdict.count("QLoRA") == 2


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("How fast is Qwen3-8B on a 4090?", "on 1×RTX 4090 in BF16"),
        ("4090 跑 Qwen3-8B 多快？", "1×RTX 4090（BF16）单路"),
        ("How fast is Qwen3-8B on a 3060?", "BF16 does not fit 1×RTX 3060 12GB; in GGUF Q8_0: about"),
        ("how fast does SDXL run on a 3060?", "on 1×RTX 3060 12GB"),
        ("3060 跑 SDXL 一张图多久？", "（1×RTX 3060 12GB）"),
    ],
)
def test_the_speed_of_one_card_names_it(text: str, told: str) -> None:
    assert told in turn(text)[2].answer.split("\n\n")[0]


@pytest.mark.parametrize(
    ("texts", "card", "before"),
    [
        (
            ("4090 跑 Qwen3-8B 每秒多少 token", "3060 呢？"),
            "1×RTX 3060 12GB",
            "之前：1×RTX 4090（BF16）为",
        ),
        (("How fast is Qwen3-8B on a 4090?", "And on a 5090?"), "1×RTX 5090", "before: "),
        (("How fast does SDXL run on a 3060?", "And a 4070?"), "1×RTX 4070", "s on 1×RTX 3060 12GB"),
    ],
)
def test_a_follow_up_with_another_card_tells_it_beside_the_former(
    texts: tuple[str, ...], card: str, before: str
) -> None:
    verdict = conversation(*texts)[-1][1].answer.split("\n\n")[0]
    assert card in verdict
    assert before in verdict


def test_a_question_for_the_first_token_is_raced_by_it() -> None:
    _, records, draft = turn("TTFT of Llama 3.1 8B with 8k prompt on L4 vs H100?")
    waits = {one.result["gpu"]: one.result["time_to_first_token_s"] for one in records if "speed" in one.tool}
    verdict = draft.answer.split("\n\n")[0]
    assert verdict.index(numbers.duration(waits["h100-sxm-80gb"]["value"])[0]) < verdict.index("1×L4 ≈")
    assert "irst token" in verdict


@pytest.mark.parametrize(
    "text",
    [
        "A friend has a 4090. I get 20 tok/s with Qwen3-8B on my 3060, is that normal?",
        "我的 3060 跑 Qwen3-8B 只有 20 tok/s，正常吗？",
    ],
)
def test_a_rate_that_was_measured_is_still_judged_first(text: str) -> None:
    first = turn(text)[2].answer.split("\n")[0]
    assert "20" in first
    assert "÷" not in first


def test_embeddings_are_not_told_as_answer_tokens() -> None:
    assert "for one user" not in turn("bge-m3 embedding speed on L4 vs T4?")[2].answer


def test_a_model_split_with_the_host_is_told_as_before() -> None:
    assert "host memory" in talk("I have a 4090 and a 3060: how fast is Llama 3.3 70B in Q4_K_M?")[2].answer


@pytest.mark.parametrize(
    "text",
    ["tokens/s of Llama 3.1 8B: 3090 vs 4090 vs 5090?", "Llama 3.1 8B 每秒多少 token：3090、4090 和 5090 对比"],
)
def test_a_choice_that_asks_for_speeds_shows_them_with_their_intervals(text: str) -> None:
    _, records, draft = turn(text)
    cards = ("rtx-3090-24gb", "rtx-4090-24gb", "rtx-5090-32gb")
    figures = [paced(records, card, USER) for card in cards]
    assert f"{figures[2]} ÷ {figures[0]} ≈" in draft.answer.split("\n\n")[0]
    rows = [line for line in draft.answer.split("\n") if line.startswith("|")]
    assert any(all(re.search(rf"{figure} ?[（(]", row) for figure in figures) for row in rows)
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


@pytest.mark.parametrize(
    "text",
    [
        "What speed will I get from Mistral Small 24B on a 4080 Super versus a 7900 XTX?",
        "Mistral Small 24B 在 4080 Super 和 7900 XTX 上速度对比",
    ],
)
def test_cards_that_hold_it_in_unlike_files_of_as_many_bits_are_raced_with_their_formats(text: str) -> None:
    _, records, draft = turn(text)
    verdict = draft.answer.split("\n\n")[0]
    assert f"≈ {paced(records, 'rtx-4080-super-16gb', USER, 'gguf:Q4_K_M')}" in verdict
    assert f"≈ {paced(records, 'rx-7900-xtx-24gb', USER, 'int4')}" in verdict
    assert "INT4" in verdict
    assert "GGUF Q4_K_M" in verdict

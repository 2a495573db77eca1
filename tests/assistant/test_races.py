"""Cards are raced only where both plainly hold the work; who holds it only just is said before any speed."""

import pytest

from assistant.ground.check import ground
from tests.assistant.planning import talk, turn


def first(*turns: str) -> str:
    return talk(*turns)[2].answer.split("\n")[0]


@pytest.mark.parametrize(
    ("text", "roomy", "snug"),
    [
        ("2x RTX 5090 or one RTX PRO 6000 for gpt-oss-120b?", "RTX PRO 6000", "2×RTX 5090 in GGUF MXFP4"),
        ("2x RTX 3090 or one A6000 for Llama-3.3-70B, which is faster?", "RTX A6000", "2×RTX 3090 in INT4"),
        ("Mac Studio M3 Ultra 256GB or 2x RTX 4090 for Qwen2.5-72B?", "M3 Ultra", "2×RTX 4090 in INT4"),
    ],
)
def test_who_holds_it_only_just_is_said_first(text: str, roomy: str, snug: str) -> None:
    _, records, draft = turn(text)
    line = draft.answer.split("\n")[0]
    assert "faster" not in line
    assert "Worth it" not in line
    before, after = line.split("only just on")
    assert roomy in before
    assert snug in after
    assert line.index("Tokens/s") > line.index("hardly any memory")
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


def test_the_same_in_chinese() -> None:
    line = first("2×3090 和一张 A6000 跑 Llama-3.3-70B 哪个快？")
    assert "更快" not in line
    assert line.index("勉强装下") < line.index("tokens/s")


def test_each_speed_names_its_format_where_one_is_a_file_of_llama_cpp() -> None:
    line = first("2x RTX 5090 or one RTX PRO 6000 for gpt-oss-120b?")
    assert "in MXFP4 ≈" in line
    assert "in GGUF MXFP4 ≈" in line


def test_a_speed_in_a_format_that_does_not_fit_is_not_told() -> None:
    """vLLM does not hold gpt-oss-120b on these; its speed there is nobody's."""
    _, records, draft = turn("2x RTX 5090 or one RTX PRO 6000 for gpt-oss-120b?")
    raced = [one.result for one in records if one.tool == "estimate_inference_speed" and one.result["gpu_count"] == 2]
    assert {one["weight_format"] for one in raced} == {"gguf:MXFP4"}
    assert "can only just do it with GGUF MXFP4" in draft.answer


@pytest.mark.parametrize(
    "text",
    [
        "4090 or 5090 for Qwen3-32B?",
        "V100 32GB or 3090 for a 14B model?",
        "H100 or A100 for Llama 3.1 8B, which is faster?",
        "One RTX PRO 6000 or 4x 3090 for a 70B model, which is faster?",
    ],
)
def test_cards_that_hold_it_with_room_are_raced(text: str) -> None:
    line = first(text)
    assert "faster" in line
    assert "only just" not in line


def test_cards_that_all_hold_it_only_just_are_raced_and_it_is_said() -> None:
    answer = talk("3090 or 4090 for QwQ-32B AWQ with 12k context?")[2].answer
    assert "Each of them holds QwQ-32B in AWQ only just" in answer


def test_a_training_that_fits_only_with_other_settings_is_not_raced() -> None:
    line = first("RTX 4090 vs A6000 full fine-tune of Qwen2.5-1.5B")
    assert "faster" not in line
    assert "too much for 1×RTX 4090" in line


@pytest.mark.parametrize(
    ("text", "timed"),
    [
        ("Is a V100 32G better than two T4s for Qwen2.5-14B?", "in INT8"),
        ("A6000 or two 3060 12G for Qwen3-30B-A3B?", "in INT4"),
    ],
)
def test_the_format_told_is_the_one_that_was_timed(text: str, timed: str) -> None:
    line = first(text)
    assert "faster" in line
    assert timed in line.split("tokens/s")[0]

"""One model on the same card in two formats: which is faster, with both paces and what each takes."""

import pytest

from assistant.ground.check import ground
from assistant.plan.particular import shape
from assistant.understand import understand
from tests.assistant.planning import turn

SPEED = "estimate_inference_speed"


@pytest.mark.parametrize(
    ("text", "formats", "faster"),
    [
        pytest.param("what happens to speed if I go from q4 to q8 on my 3060 with llama 3.1 8b",
                     {"gguf:Q4_K_M", "gguf:Q8_0"}, "GGUF Q4_K_M", id="from-to"),
        pytest.param("3060 上 llama 3.1 8b 从 q4 换成 q8 会慢多少？",
                     {"gguf:Q4_K_M", "gguf:Q8_0"}, "GGUF Q4_K_M", id="zh"),
        pytest.param("Is FP8 faster than BF16 for Qwen3-32B on an H100?", {"fp8", "bf16"}, "FP8", id="served"),
    ],
)  # fmt: skip
def test_both_paces_are_told_the_faster_first(text: str, formats: set[str], faster: str) -> None:
    _, records, draft = turn(text)
    paces = {one.result["weight_format"]: one.result["tokens_per_s_per_user"]["value"]
             for one in records if one.tool == SPEED}  # fmt: skip
    assert set(paces) == formats
    assert draft.verdict == "comparison"
    first = draft.answer.split("\n")[0]
    assert f"{faster} is the faster" in first or f"{faster} 更快" in first
    assert all(f"≈ {value:.0f}" in first for value in paces.values())
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


def test_what_does_not_fit_is_said_beside_the_pace_of_what_does() -> None:
    _, records, draft = turn("Is Q8 slower than Q4 for Qwen3-32B on a 3090?")
    first = draft.answer.split("\n")[0]
    assert "Of these only one fits" in first
    assert "GGUF Q8_0 does not fit" in first
    assert not ground(draft.answer, records, (), draft.citations).ungrounded


@pytest.mark.parametrize(
    "text",
    [
        "How fast is Qwen3-32B in Q4 on a 3090?",
        "3090 or 4090 for Qwen3-32B in Q4 or Q5, which is faster?",
        "Fine-tune Qwen3-8B in FP8 or BF16 on an H100, which is faster?",
        "Does Qwen3-32B fit a 4090 in FP8 or INT4?",
        "Qwen2.5-7B in bitsandbytes 4-bit on a 4090 is slower than fp16, why?",
        "Qwen3-14B 在 4090 上 INT4 反而比 FP16 慢，正常吗",
    ],
)
def test_one_format_several_cards_and_training_are_other_questions(text: str) -> None:
    assert shape(understand(text, None)) != "formats_raced"

"""More speed out of a card that is there: what bounds it first, then the levers in order, each with its rate."""

import pytest

from assistant.ground.check import ground
from assistant.plan import speed_up
from assistant.understand import understand
from tests.assistant.planning import talk, turn


@pytest.mark.usefixtures("fresh_prices")
@pytest.mark.parametrize(
    ("text", "card", "bandwidth"),
    [
        ("how can I get more speed out of my GTX 1080 Ti with an 8B?", "GTX 1080 Ti", "484 GB/s"),
        ("I have a Tesla M40 24GB running Qwen2.5-14B, how do I speed it up?", "Tesla M40 24GB", "288 GB/s"),
        ("how do I make my 3060 run Llama 3.1 8B faster?", "RTX 3060 12GB", "360 GB/s"),
        ("我的 2080Ti 跑 Qwen3-8B 太慢了，怎么提速", "RTX 2080 Ti", "616 GB/s"),
    ],
)
def test_the_bottleneck_comes_first_and_another_card_last(text: str, card: str, bandwidth: str) -> None:
    _, records, draft = turn(text)
    line = draft.answer.split("\n")[0]
    assert card in line
    assert bandwidth in line
    levers = [one for one in draft.answer.splitlines() if one.startswith("- ")]
    assert levers[1].count("tokens/s") >= 2
    assert "$" in next(one for one in levers if "Another card" in one or "换卡" in one)
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


def test_fewer_bits_are_told_to_be_faster() -> None:
    _, records, _ = turn("how do I make the P40 run Qwen2.5-14B faster?")
    rates = {
        one.result["weight_format"]: one.result["tokens_per_s_per_user"]["value"]
        for one in records
        if one.tool == "estimate_inference_speed" and one.result["gpu"] == "p40-24gb" and one.result["gpu_count"] == 1
        and one.result["model"] == "Qwen/Qwen2.5-14B"
    }  # fmt: skip
    assert rates["gguf:Q4_K_M"] > 1.3 * rates["gguf:Q8_0"]


def test_cards_that_pool_only_memory_are_not_advised_for_speed() -> None:
    assert "bring memory, not speed" in turn("how do I make the P40 faster?")[2].answer


def test_a_card_without_tensor_cores_is_told_its_software() -> None:
    assert "llama.cpp with a GGUF file" in turn("how do I make my GTX 1080 Ti faster?")[2].answer
    assert "CUDA graphs" in turn("how do I make my L4 faster with Qwen3-8B?")[2].answer


def test_what_was_just_reckoned_is_what_is_to_be_faster() -> None:
    _, _, draft = talk("4090 跑 Qwen3-32B 多少 tokens/s", "怎么能再快一点")
    assert "显存带宽" in draft.answer.split("\n")[0]


@pytest.mark.parametrize(
    "text",
    [
        "how do I make fine-tuning Llama 3.1 8B on my 4090 faster?",
        "which card makes Llama 70B faster, L40S or A100?",
        "ollama is slow on my 3060 with 14b model, why",
        "3090 显存不够怎么优化显存占用",
        "would a second 3090 make Qwen2.5-32B faster?",
    ],
)
def test_other_questions_of_speed_stay_what_they_are(text: str) -> None:
    assert not speed_up.asked(understand(text))

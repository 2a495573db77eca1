"""What is not known is left open, and what depends on what nobody named is said to depend."""

import pytest

from tests.assistant.planning import turn


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("想给同事部署 GPT-SoVITS 的 api，2080ti、4090 能做到多少并发？", "同时能带多少路没有给数字"),
        ("how many concurrent streams of F5-TTS on a 4090?", "How many at once is left open"),
    ],
)
def test_a_voice_without_a_known_rate_gets_no_number_at_once(text: str, said: str) -> None:
    draft = turn(text)[2]
    assert draft.answer.startswith("**")
    assert said in draft.answer
    assert "转写" not in draft.answer
    assert "transcrib" not in draft.answer


def test_tensor_parallelism_of_nothing_named_is_not_said_to_be_faster_anyway() -> None:
    line = turn("tensor_parallel_size=2 makes vLLM inference far slower than one card, why?")[2].answer.split("\n")[0]
    assert "It may be so" in line
    assert "not normal" not in line


def test_tensor_parallelism_of_a_named_model_and_card_is_judged() -> None:
    line = turn("vLLM TP=2 on two RTX 3090 is slower than one card for Qwen2.5-14B AWQ, why?")[2].answer.split("\n")[0]
    assert "not normal" in line


@pytest.mark.parametrize(
    "text",
    ["Can a 12GB 3060 with 32GB RAM run Llama 3.1 70B?", "RTX 3060 12G 加 32G 内存能跑 Llama-3.3-70B 吗"],
)
def test_a_model_shared_with_host_memory_always_has_its_speed(text: str) -> None:
    """The smaller file that fits is paced, not the larger one that does not."""
    _, records, draft = turn(text)
    shares = {
        one.result["weight_format"]: (one.result["fit"] or {}).get("host")
        for one in records
        if one.tool == "estimate_memory"
    }
    held = [name for name, share in shares.items() if share and share["verdict"] != "no"]
    assert held == ["gguf:Q2_K"]
    assert "tokens/s" in draft.answer.split("\n")[0]

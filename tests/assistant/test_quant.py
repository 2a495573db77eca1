"""Which quantised file to take: the widest that fits, on cards or in a stated memory."""

import pytest

from assistant.ground.check import ground
from tests.assistant.planning import turn


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("What quant of Mistral Large 123B fits in 96GB with 32k context?", "GGUF Q4_K_M is the widest"),
        ("which quant of Qwen3-32B should I use on a 4090 with 16k context?", "GGUF Q4_K_M, just about"),
        ("best GGUF quant of Llama 3.3 70B for 2x 3090?", "GGUF Q4_K_M is the widest"),
        ("24G 显存跑 Qwen3-32B 用什么量化合适", "选 GGUF Q4_K_M"),
        ("what quant of DeepSeek-R1 fits on a 4090?", "None: even GGUF Q2_K"),
    ],
)
def test_the_file_to_take_comes_first(text: str, said: str) -> None:
    _, records, draft = turn(text)
    assert said in draft.answer.split("\n")[0]
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


def test_a_stated_file_is_not_chosen_anew() -> None:
    assert "is the widest" not in turn("Does the Q4_K_M quant of Qwen3-32B fit a 4090?")[2].answer

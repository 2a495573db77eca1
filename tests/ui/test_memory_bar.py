"""The bar of memory on the page is that of the way that the verdict commits to."""

import re

import pytest

from assistant.agent import Advisor
from ui.web.turn import answered

_CAPTION = re.compile(r"<figcaption>(.*?)</figcaption>", re.S)
_TAGS = re.compile(r"<[^>]+>")


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("Can I run Llama 3.3 70B on two 3090s?", "GGUF Q4_K_M"),
        ("How fast is Qwen3-30B-A3B on an RTX 5090?", "GGUF Q6_K"),
        ("Stable Diffusion XL on 8 GB?", "INT4"),
        ("Can a 4060 Ti 16GB run Qwen3-14B?", "GGUF Q"),
        ("Can 4 RTX 4090s run Llama 3.3 70B in vLLM?", "FP8"),
        ("3090 能跑 Qwen3-32B 吗？", "GGUF Q4_K_M"),
        ("5090 上 Qwen3-32B 能开多长上下文？", "GGUF Q6_K"),
        ("给 30 人的公司部署 Qwen3-14B，买什么卡？", "FP8"),
        ("H200 上能跑 Llama 3.3 70B 的 BF16 吗？", "BF16"),
    ],
)
def test_the_bar_shows_the_format_of_the_verdict(advisor: Advisor, text: str, held: str) -> None:
    answer = advisor.ask(text)
    first = answer.answer.split("\n")[0]
    caption = _TAGS.sub("", _CAPTION.search(answered(answer))[1])  # type: ignore[index]
    assert held in caption
    assert held.replace("GGUF Q", "Q") in first or held in first


def test_a_text_without_sources_is_drawn_by_the_first_estimate_on_a_card(advisor: Advisor) -> None:
    answer = advisor.ask("Can I run Llama 3.3 70B on two 3090s?").model_copy(update={"answer": "Yes."})
    first = next(call.result for call in answer.tool_calls if call.tool == "estimate_memory" and call.result.get("fit"))
    caption = _TAGS.sub("", _CAPTION.search(answered(answer))[1])  # type: ignore[index]
    assert first["weight_format"].upper() in caption

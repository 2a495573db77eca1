"""What is taken back inside a turn counts no more; what is said instead stands in its place."""

import pytest

from assistant.understand import understand


def _said(text: str) -> dict[str, object]:
    need = understand(text).need
    return {
        "model": need.model,
        "params": need.params,
        "format": need.weight_format,
        "context": need.context_tokens,
        "cards": {card.gpu: card.count for card in need.gpus_owned} or dict.fromkeys(need.gpus_asked),
    }


@pytest.mark.parametrize(
    ("corrected", "plain"),
    [
        ("qwen2.5 14B 全参微调要几张 A100 80G？不对，是 32B", "qwen2.5 32B 全参微调要几张 A100 80G？"),
        ("Can two 3090s, sorry, three 3090s run Llama 3 70B in int8?", "Can three 3090s run Llama 3 70B in int8?"),
        ("I've got a 4070, no wait, a 4070 Ti Super. Does Phi-4 fit?", "I've got a 4070 Ti Super. Does Phi-4 fit?"),
        ("两张 A100 40G，说错了，是 80G 的，能跑 Yi-34B 吗", "两张 A100 80G，能跑 Yi-34B 吗"),
        ("我要用 fp16，不对，int8 跑 Yi-34B，L40S 够吗", "我要用 int8 跑 Yi-34B，L40S 够吗"),
        ("8 卡 4090，打错了，4 卡 4090，能不能 lora 微调 32B", "4 卡 4090，能不能 lora 微调 32B"),
        ("Does Llama 3.1 8B (I mean 70B) fit an A6000?", "Does Llama 3.1 70B fit an A6000?"),
        ("Qwen3-8B，更正一下，是 Qwen3-14B，16k 上下文，5080 能跑么", "Qwen3-14B，16k 上下文，5080 能跑么"),
        ("16k context, no wait 32k context, Qwen3-14B on 4090", "32k context, Qwen3-14B on 4090"),
        ("单卡 24G，啊不对，48G 的（改版 4090），跑 QwQ-32B int8", "单卡 48G 4090，跑 QwQ-32B int8"),
    ],
)
def test_a_turn_that_corrects_itself_reads_as_the_corrected_one(corrected: str, plain: str) -> None:
    assert _said(corrected) == _said(plain)


@pytest.mark.parametrize(
    "text",
    [
        "3090 跑 14B，这个不对称的配置行不行",
        "Why is the output wrong, not right? Mistral 7B on 3060",
        "is it possible? I mean can the 3060 do it with 13B?",
        "这样对不对：7B 用 int4 跑在 3060 上",
        "4090 比 3090 快不对吗，跑 7B",
    ],
)
def test_words_that_only_look_like_a_correction_take_nothing_back(text: str) -> None:
    need = understand(text).need
    assert need.params or need.model
    assert need.gpus_owned or need.gpus_asked


def test_every_slot_still_says_where_it_was_said() -> None:
    text = "Llama 3.1 8B, no wait, 70B on two A6000s in int4"
    for span in understand(text).spans:
        assert text[span.start : span.end] == span.text

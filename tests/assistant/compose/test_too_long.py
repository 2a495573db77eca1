"""A training that runs out of memory for the length of its samples is told so, with the length that would fit."""

import pytest

from assistant.ground.check import ground
from tests.assistant.planning import turn
from tools.memory.estimate import estimate_memory
from tools.memory.request import MemoryRequest

TOO_LONG = [
    ("QLoRA Qwen2.5-32B OOM on 4x A10G, max sample 13,137 tokens. do I need bigger cards?", "13,137"),
    ("LoRA Qwen2.5-7B on a 4090 with 16k sequences OOM", "16,384"),
    ("QLoRA Llama-3.1-8B 32k 长度，单张 3090 爆显存", "32,768"),
]


@pytest.mark.parametrize(("text", "stated"), TOO_LONG)
def test_the_length_is_named_with_one_that_fits(text: str, stated: str) -> None:
    _, records, draft = turn(text)
    fix = next(
        fix for one in records if one.tool == "diagnose_oom" for fix in one.result["fixes"]
        if fix["change"] == "sequence_tokens"
    )  # fmt: skip
    assert "yes" in {fix["verdict"], fix["together_verdict"]}
    first = draft.answer.split("\n")[0]
    assert stated in first
    assert f"{int(fix['value']):,}" in first
    assert "What rules it out is the length" in first or "放不下的原因是样本长度" in first
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


@pytest.mark.parametrize(
    "text",
    [
        "full fine-tune of Llama-3.1-70B on 8x A100 80GB OOM at 8192 tokens",
        "LoRA Qwen2.5-72B on a 3090 OOM at 4096 tokens",
        "4 张 3090 lora 微调 GLM4-9B，输入 4096 输出 2048，zero3 了还 OOM",
    ],
)  # fmt: skip
def test_where_something_else_decides_the_length_is_not_blamed(text: str) -> None:
    first = turn(text)[2].answer.split("\n")[0]
    assert "rules it out is the length" not in first
    assert "原因是样本长度" not in first


def test_cards_of_another_kind_are_not_counted_among_those_to_shard_over() -> None:
    text = "单机 5 张 3090 lora 微调 Baichuan2-13B OOM，同命令单张 A6000 48G 却可以"
    asked = next(one for one in turn(text)[1] if one.tool == "diagnose_oom")
    assert asked.request["gpu_count"] == 5


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Can 4x A10G QLoRA Qwen2.5-32B at sequence length 13k?", "Not with samples of 13,000 tokens, but"),
        ("4 张 A10G QLoRA Qwen2.5-32B 长度 12k 行吗", "每条 12,000 tokens 不行，缩到"),
    ],
)
def test_a_fit_that_fails_for_its_length_names_the_longest_that_fits(text: str, said: str) -> None:
    _, records, draft = turn(text)
    longest = max(one.result["fit"]["max_sequence_tokens"] or 0 for one in records if one.tool == "estimate_memory")
    first = draft.answer.split("\n")[0]
    assert said in first
    assert f"{longest:,}" in first
    assert not ground(draft.answer, records, (text,), draft.citations).ungrounded


def test_the_longest_sample_fits_and_a_longer_one_does_not() -> None:
    asked = MemoryRequest(
        model="Qwen/Qwen2.5-32B", task="qlora", gpu="a10g-24gb", sharding="fsdp", data_parallel=4, sequence_tokens=13000
    )
    fit = estimate_memory(asked).fit
    assert fit is not None
    assert fit.max_sequence_tokens is not None

    def verdict(tokens: int) -> str:
        found = estimate_memory(asked.model_copy(update={"sequence_tokens": tokens})).fit
        return found.verdict if found else ""

    assert verdict(fit.max_sequence_tokens) != "no"
    assert verdict(fit.max_sequence_tokens + 256) == "no"


def test_where_no_length_would_do_none_is_named() -> None:
    """States alone are more than the card: shorter samples are no help."""
    fit = estimate_memory(MemoryRequest(model="Qwen/Qwen2.5-32B", task="full_finetune", gpu="a10g-24gb")).fit
    assert fit is not None
    assert fit.max_sequence_tokens is None

"""A server that fills the card is told apart from what the model takes, however the surprise is put."""

import pytest

from tests.assistant.planning import turn


@pytest.mark.parametrize(
    "text",
    [
        "Llama-3-8B on my H100 with vllm serve takes nearly all 80GB. The weights are only 16GB, where is the rest?",
        "I loaded a 3B model in vLLM and nvidia-smi shows 21GB used on the 3090. memory leak?",
        "4-bit quantised 14B takes as much VRAM as fp16 in vLLM on an L40S, why?",
        "How do I make vLLM use less memory? Qwen3-4B takes 22GB on my 4090",
        "Why does llama3 8b need 70 GB on vllm when ollama runs it in 6? A100 80GB",
        "一张 4090 部署 qwen2-7b 占 20G，换成两张卡每张还是各占 20G，不应该平摊成 10G 吗",
        "Qwen3-8B int4 量化后显存占用和 bf16 一样都是 72G，A100 上 vllm，量化没生效？",
        "ollama 跑 7B 只占 6G，vllm 却占 22G，为什么，4090",
        "vllm 跑 Qwen2.5-7B 占了 38G 显存，是不是显存泄漏，L20",
        "lmdeploy 跑 7B 为什么占 19G 显存，24G 的卡",
    ],
)
def test_a_full_card_is_the_servers_reservation(text: str) -> None:
    understanding, _, draft = turn(text)
    told = draft.answer.split("\n", 1)[0]
    assert draft.verdict == "diagnosis"
    cause = (
        "划给 KV 缓存" if understanding.language == "zh" else "gives all that the weights leave of it to the KV cache"
    )
    assert cause in told
    assert "not enough" not in draft.answer


def test_the_server_named_is_the_one_blamed() -> None:
    _, _, draft = turn("lmdeploy 跑 7B 为什么占 19G 显存，24G 的卡")
    assert "LMDeploy 启动时" in draft.answer


def test_what_a_program_takes_is_no_card() -> None:
    understanding, _, _ = turn("lmdeploy 跑 7B 为什么占 19G 显存，24G 的卡")
    assert understanding.need.memory_bytes_per_gpu == 24 * 2**30


@pytest.mark.parametrize(
    "text",
    [
        "Qwen3-32B in vLLM runs out of memory on a 4090, what now?",
        "vllm 起 72B 显存不足，两张 3090 怎么办",
    ],
)
def test_memory_that_ran_out_is_no_reservation(text: str) -> None:
    _, records, _ = turn(text)
    assert any(record.tool == "diagnose_oom" for record in records)


@pytest.mark.parametrize(
    "text",
    [
        "vllm 跑 Qwen3-8B 占了 70G，正常吗，换 L4 放得下吗",
        "vLLM shows 70GB used for Qwen2.5-7B on my A100 80GB, why? Would it fit a 4090?",
    ],
)
def test_whether_a_card_does_is_answered_as_well(text: str) -> None:
    understanding, _, draft = turn(text)
    assert draft.verdict == "diagnosis"
    assert ("能。" if understanding.language == "zh" else "Yes: ") in draft.answer


def test_a_conversion_that_takes_as_much_is_no_reservation() -> None:
    assert turn("7B int8 smoothquant 转完显存跟 fp16 一样，16G 的卡能放下么")[2].verdict != "diagnosis"

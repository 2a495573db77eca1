"""A prompt and its answer told apart are one length together, and no size of pictures."""

import pytest

from assistant.understand import understand
from tools.need import Need


def talked(*texts: str) -> Need:
    need: Need | None = None
    for text in texts:
        need = understand(text, need).need
    assert need is not None
    return need


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Llama 3 8B on an A100, each user sends 8K in and expects 2K out. How many users at once?", 10_240),
        ("users send about 3000 tokens and get 500 back, Qwen3-14B on a 4090", 3500),
        ("Qwen3-32B, prompts of 6k tokens and answers of 1k, how many at once on an H100", 7024),
        ("1500 tokens in and 300 out each, on Qwen3-32B. How many H100?", 1800),
        ("input 4096 output 1024, Qwen3-8B on L40S, throughput?", 5120),
        ("each request is 2000 input tokens plus 500 output tokens, Llama 3.1 8B on L4", 2500),
        ("10k prompt + 2k completion on Qwen3-32B, one A100", 12_048),
        ("1024/512 input/output, Llama 3.1 8B on an A100, throughput?", 1536),
        ("ISL 2048 OSL 512, Llama-3.3-70B on 4 H100", 2560),
        ("8k/1k in/out Qwen3-32B H200", 9216),
        ("910B3 两张部署 Qwen3-32B，32 并发、输入输出各 512", 1024),
        ("Qwen3-14B 每次输入 2000 输出 500，要几张 4090", 2500),
        ("每个请求输入 3000 字，输出 500 字，Qwen3-8B 一张 L20 能扛多少并发", 3500),
        ("平均输入 1.5k，平均输出 300，Qwen3-32B 两张 H20", 1800),
        ("入 4k 出 1k，Qwen3-32B 一张 H100 多少并发", 5120),
        ("提示词 6000 token，回答 800 token，14B 4090 能跑几路", 6800),
        ("2000 进 500 出，Qwen3-8B 一张 4090", 2500),
    ],
)
def test_prompt_and_answer_add_up(text: str, tokens: int) -> None:
    need = talked(text)
    assert need.context_tokens == tokens
    assert need.width_px is None


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("32B in 4-bit on a 24GB card with 16k context", 16_384),
        ("two 3090s in one box, out of the box 70B?", None),
        ("Qwen2.5-VL-7B 输入 1024x1024 的图，4090 够吗", None),
    ],
)
def test_other_numbers_are_no_prompt_and_answer(text: str, tokens: int | None) -> None:
    assert talked(text).context_tokens == tokens


@pytest.mark.parametrize(
    ("texts", "tokens"),
    [
        (("两张 RTX PRO 6000 部署 GLM-4.5-Air FP8，开 128K 够几个人用",), 131_072),
        (("GLM-4.5-Air FP8 两张 RTX PRO 6000", "那开 128K 够几个人用"), 131_072),
        (("Qwen3-32B 一张 A100 80G", "拉到 100K 呢"), 100_000),
        (("Qwen3-32B 一张 A100 80G，开到 64K 能带 4 个人吗",), 65_536),
    ],
)
def test_a_length_opened_to_is_a_context(texts: tuple[str, ...], tokens: int) -> None:
    assert talked(*texts).context_tokens == tokens


@pytest.mark.parametrize(
    "texts",
    [
        ("Llama 3.1 8B with kv-cache-dtype fp8 on a 4090, what context?", "and without fp8 kv?"),
        ("Qwen3-32B 用 fp8 kv，A100 80G 能开多长", "不用 fp8 kv 呢"),
        ("Qwen3-32B 用 fp8 kv，A100 80G 能开多长", "关掉 fp8 kv cache 呢"),
    ],
)
def test_a_cache_format_given_up_is_wide_again(texts: tuple[str, ...]) -> None:
    assert talked(*texts).kv_format == "bf16"

"""What is held in fewer bits than published is said, and the flags say it too; batches where weights lie in RAM."""

import pytest

from tools.registry import tool
from tools.ways_to_run.result import Way, WaysToRun

NAMES = {"fp8": ("--kv-cache-dtype fp8", "--kv-cache-dtype fp8_e4m3", "dtype: fp8"), "q8_0": ("-ctk q8_0",),
         "q4_0": ("-ctk q4_0",)}  # fmt: skip
"""Cache formats and the flags that set them."""


def find(**fields: object) -> WaysToRun:
    found = tool("find_ways_to_run").call(dict(fields))
    assert isinstance(found, WaysToRun)
    return found


@pytest.mark.parametrize("asked", [
    {"model": "Llama-3.3-70B", "cards": "2x H100"}, {"model": "Llama-3.1-8B", "cards": "4090", "users": 200},
    {"model": "Qwen3-32B", "cards": "2x 3090", "context_tokens": 32768, "concurrent_sequences": 8},
    {"model": "Qwen3-30B-A3B", "cards": "H20", "concurrent_sequences": 64, "context_tokens": 32768},
])  # fmt: skip
def test_a_narrower_cache_is_in_the_flags_of_every_engine(asked: dict[str, object]) -> None:
    for way in find(**asked).ways:
        assert way.kv_format in ("bf16", "fp16") or any(name in way.flags for name in NAMES[way.kv_format]), way.title


def test_narrower_weights_than_published_are_said_unless_they_were_asked_for() -> None:
    """141 GB of BF16 do not leave room on two cards of 80; in FP8 they are 71."""
    open_ = find(model="Llama-3.3-70B", cards="2x H100").answer
    assert "weights in FP8" in (open_.narrower or "")
    assert "narrower than published" in open_.said
    assert find(model="Llama-3.3-70B", cards="2x H100", weight_format="fp8").answer.narrower is None
    assert find(model="gpt-oss-120b", cards="H100").answer.narrower is None
    assert find(model="DeepSeek-R1", cards="8x H200").answer.narrower is None


def prefill(way: Way) -> tuple[float, float, float]:
    assert way.speed is not None
    assert way.speed.prefill_tokens_per_s is not None
    rate = way.speed.prefill_tokens_per_s
    return rate.low, rate.value, rate.high


def test_prompts_are_read_in_larger_batches_where_weights_lie_in_host_memory() -> None:
    """gpt-oss-120b on an RTX 3090: 1,113 tokens a second were measured in batches of 2,048, with 25 layers' experts
    away (llama-cpp-ubatch); a context of 768 never holds a prompt beyond it."""
    asked = {"model": "gpt-oss-120b", "cards": "3090", "host_memory": "128GB ddr4-3200", "engine": "llama.cpp"}
    long, short = (find(**asked, input_tokens=tokens, output_tokens=256).ways[0] for tokens in (4096, 512))
    assert "-ub 2048" in long.flags
    assert "-ub" not in short.flags
    low, _, high = prefill(long)
    assert low < 1113 < high
    whole = find(model="Qwen3-8B", cards="3090", engine="llama.cpp", input_tokens=4096, output_tokens=256).ways[0]
    assert "-ub" not in whole.flags


def test_the_larger_batch_takes_its_room_on_the_card() -> None:
    """2,048 logits of 201,088 words and four bytes are 1.6 GB, 1.2 more than 512: a layer's experts more are away."""
    asked = {"model": "gpt-oss-120b", "cards": "3090", "host_memory": "128GB ddr4-3200", "engine": "llama.cpp"}
    long, short = (find(**asked, context_tokens=tokens).ways[0].layout.offload for tokens in (2304, 2048))
    assert long is not None
    assert short is not None
    assert long.layers == short.layers + 1

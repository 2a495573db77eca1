"""Remedies that were tried, settings that were told, and what a log shows to have loaded."""

from typing import Any

import pytest

from kb.observation import observation_facts
from tools.observation import explain_observation
from tools.observation.request import ObservationRequest
from tools.observation.result import Explanation
from tools.observation.said.loaded import loaded_format, was_loaded
from tools.observation.said.tried import tried, without

PAIR: dict[str, Any] = {"cards": "2x RTX 4090", "engine": "vllm", "model": "qwen3-14b"}
LOADED = (
    "load_tensors: offloaded 37/37 layers to GPU\nload_tensors:        CUDA0 model buffer size =  4455.34 MiB\n"
    "load_tensors:   CPU_Mapped model buffer size =   333.84 MiB\n"
)
FULL = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate {wanted} GiB. GPU 0 has a total capacity of {total} "
    "GiB of which {free} GiB is free. Of the allocated memory {held} GiB is allocated by PyTorch"
)


def explained(**fields: Any) -> Explanation:
    return explain_observation(ObservationRequest.model_validate(fields))


def ids(**fields: Any) -> list[str]:
    return [cause.id for cause in explained(**fields).causes]


@pytest.mark.parametrize(
    "words",
    ["it hangs when both cards start, NCCL_P2P_DISABLE=1 makes no difference",
     "stuck at init. I disabled P2P. Still hangs.", "两卡启动就卡住，关了 IOMMU 也不行"],
)  # fmt: skip
def test_a_remedy_that_did_not_help_rules_its_cause_down(words: str) -> None:
    assert "p2p_blocked" in tried(words).vain
    assert ids(**PAIR, symptom="it hangs when both cards start")[0] == "p2p_blocked"
    found = explained(**PAIR, symptom=words)
    assert found.causes[0].id != "p2p_blocked"
    assert any("without effect" in one for one in found.assumptions)


@pytest.mark.parametrize(
    "words", ["with --shm-size=8g the training hangs no more and everything works", "加了 --shm-size=8g 就好了"]
)
def test_a_remedy_that_helped_speaks_for_its_cause(words: str) -> None:
    assert "shared_memory_small" in tried(words).cured
    assert not tried(words).vain


def test_one_of_several_remedies_proves_but_rules_nothing_out() -> None:
    assert "data_waits" not in tried("more num_workers did not help").vain
    assert "data_waits" in tried("num_workers=8 fixed it").cured


def test_what_was_tried_is_not_proposed_as_the_next_measurement() -> None:
    steps = ["py-spy dump --pid PID; NCCL_P2P_DISABLE=1 (it runs: the link)"]
    assert list(without(steps, "NCCL_P2P_DISABLE=1 did nothing")) == ["py-spy dump --pid PID"]
    assert list(without(steps, "it hangs")) == steps


def test_every_remedy_in_words_leads_to_causes_that_are_known() -> None:
    facts = observation_facts()
    named = {cause for _, causes in (*facts.tried.remedies, *facts.tried.ruled) for cause in causes}
    assert named - set(facts.causes) <= {"eager_attention", "fragmentation"}


def test_the_buffers_of_a_log_tell_the_format_and_that_it_fitted() -> None:
    assert loaded_format(LOADED, "qwen3-8b") == "gguf:Q4_K_M"
    assert was_loaded(LOADED)
    assert not was_loaded(LOADED + "CUDA error: out of memory")
    found = explained(model="qwen3-8b", cards="RTX 3060", engine="llama.cpp", error_text=LOADED, symptom="slow")
    assert any("weight_format = gguf:Q4_K_M" in one for one in found.assumptions)


def test_a_stated_deal_of_layers_replaces_the_even_split() -> None:
    cards = {"cards": "RTX 4060 Ti 16GB + RTX 3090", "model": "qwen3-32b", "weight_format": "int4", "engine": "vllm"}
    text = FULL.format(wanted="0.50", total="15.6", free="0.2", held="14.9")
    dealt = explained(**cards, error_text=f"VLLM_PP_LAYER_PARTITION=20,44\n{text}")
    assert any("20 : 44" in one for one in dealt.assumptions)
    assert "oom_weights" not in [one.id for one in dealt.causes]


def test_what_a_server_holds_beyond_the_estimate_is_its_pool() -> None:
    text = FULL.format(wanted="1.00", total="79.2", free="0.4", held="75.1")
    found = ids(model="qwen2.5-72b", cards="8x A100 80GB", engine="vllm", tensor_parallel=8, error_text=text)
    assert found[0] == "pool_and_peaks"
    assert "oom_one_card" not in found


@pytest.mark.parametrize(
    ("wanted", "words"), [("16.00", "keys and values of all layers"), ("0.98", "table of the vocabulary")]
)
def test_a_size_that_is_asked_for_names_what_it_is(wanted: str, words: str) -> None:
    # Llama 3.1 8B: 2 · 32 layers · 131,072 tokens · 8 heads · 128 · 2 bytes; 128,256 · 4,096 · 2 bytes
    text = FULL.format(wanted=wanted, total="23.6", free="0.5", held="22.0")
    found = explained(
        model="llama-3.1-8b", cards="RTX 4090", engine="transformers", context_tokens=131_072, error_text=text
    )
    assert found.error_read is not None
    assert words in found.error_read.facts["tensor"]


def test_what_answers_beside_a_training_comes_before_another_process() -> None:
    text = (
        "CUDA out of memory. Tried to allocate 1.00 GiB. GPU 0 has a total capacity of 79.25 GiB of which 0.50 GiB is "
        "free. Process 7 has 30.00 GiB memory in use. Including non-PyTorch memory, this process has 48.00 GiB memory "
        "in use. Of the allocated memory 46.00 GiB is allocated by PyTorch"
    )
    told = {"model": "qwen2.5-7b", "cards": "A100 80GB", "task": "lora", "error_text": text}
    assert ids(**told, method="grpo")[0] == "rollout_reserve"
    assert ids(**told)[0] == "other_process"


def test_a_setting_that_costs_the_speed_is_named_where_it_was_told() -> None:
    slow = {"model": "qwen2.5-1.5b", "cards": "RTX 4090", "engine": "vllm", "seen": {"tokens_per_s": 60}}
    told = explained(**slow, flags="vllm serve m --enforce-eager").causes[:2]
    cause = next(one for one in told if one.id == "no_graphs")
    assert cause.basis == "stated"
    assert cause.figure_after is not None


@pytest.mark.parametrize(
    ("text", "context", "cache"),
    [("max_model_len 65536 > 20480 tokens of the KV cache", 65536, 20480),
     ("上下文 65536 超过 20480，KV cache 放不下", 65536, 20480)],
)  # fmt: skip
def test_a_context_beyond_the_cache_is_read_as_people_copy_it_out(text: str, context: int, cache: int) -> None:
    read = explained(error_text=text, engine="vllm").error_read
    assert read is not None
    assert read.id == "vllm_context"
    assert (read.quantities.context_tokens, read.quantities.cache_tokens) == (context, cache)


def test_links_through_the_processor_are_read_of_a_table() -> None:
    table = "        GPU0    GPU1\nGPU0     X      PHB\nGPU1    PHB      X"
    assert ids(cards="2x RTX 3090", error_text=table, symptom="slower on two cards")[0] == "through_host_bridge"


def test_memory_that_grows_is_another_thing_in_a_server_than_in_a_training() -> None:
    grows = "memory grows with every request"
    assert ids(model="bge-m3", cards="RTX 3090", engine="transformers", symptom=grows)[0] == "peaks_kept"
    assert "history_kept" in ids(model="qwen3-8b", cards="RTX 3090", task="lora", symptom="memory grows every step")


def test_a_cache_in_fp8_is_written_as_the_card_stores_it() -> None:
    text = "max seq len (65536) is larger than the maximum number of tokens that can be stored in KV cache (9000)"
    written = {
        card: " ".join(one.setting or "" for one in explained(
            model="qwen2.5-14b", cards=card, engine="vllm", weight_format="awq", error_text=text
        ).causes)
        for card in ("RTX 3090", "RTX 4090")
    }  # fmt: skip
    assert "fp8_e5m2" not in written["RTX 4090"]
    assert "--kv-cache-dtype fp8 " not in written["RTX 3090"] + " "


def test_a_live_stream_is_no_slow_card() -> None:
    speech = {"model": "whisper-large-v3", "cards": "RTX 3060"}
    assert ids(**speech, seen={"realtime_factor": 1.0})[0] == "paced_by_sound"
    assert "paced_by_sound" not in ids(**speech, seen={"realtime_factor": 3})[:2]

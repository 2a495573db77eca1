"""What is told of a way: flags that match its layout, parts that add up, limits that hold, figures that are its own."""

from typing import Any

import pytest

from kb.units import GIB
from tools.memory.request import MemoryRequest
from tools.memory.shape import shape_of
from tools.registry import tool
from tools.ways_to_run.result import Way, WaysToRun
from tools.ways_to_run.space.layouts import indivisible

PROBLEMS: tuple[dict[str, Any], ...] = (
    {"model": "GLM-4.5-Air", "cards": "2x 3090", "host_memory": "128GB"},
    {"model": "Qwen3-32B", "cards": "3090 + 3060 12GB", "concurrent_sequences": 4},
    {"model": "DeepSeek-R1", "cards": "8x H200", "concurrent_sequences": 16},
    {"model": "Qwen3-8B", "cards": "L20", "users": 100, "context_tokens": 8192},
    {"model": "Qwen3-32B", "cards": "4090", "host_memory": "64GB", "objective": "best_quality"},
    {"model": "Qwen3-14B", "host_memory": "64GB"},
)


def find(**fields: Any) -> WaysToRun:
    """The tool, by its name."""
    found = tool("find_ways_to_run").call(fields)
    assert isinstance(found, WaysToRun)
    return found


def used(way: Way) -> int:
    """Cards of one machine that a way takes."""
    return sum(one.count for one in way.cards)


def _ways() -> list[tuple[dict[str, Any], Way]]:
    return [(fields, way) for fields in PROBLEMS for way in find(**fields).ways]


def test_parts_of_the_memory_add_up_and_fit() -> None:
    for fields, way in _ways():
        memory = way.memory
        parts = memory.weights_bytes_per_gpu + memory.cache_bytes_per_gpu + memory.rest_bytes_per_gpu

        assert abs(parts - memory.needed_bytes_per_gpu) <= 3, fields
        assert memory.needed_bytes_per_gpu <= memory.usable_bytes_per_gpu, fields
        assert memory.surety == "tight" or memory.high_bytes_per_gpu <= memory.usable_bytes_per_gpu + 1, fields
        assert not memory.host_bytes or memory.host_bytes <= (memory.host_usable_bytes or 0), fields


def test_limits_reach_at_least_what_was_asked_and_no_further_than_they_say() -> None:
    for fields, way in _ways():
        limits = way.limits

        assert (limits.max_context_tokens or 0) >= way.context_tokens, fields
        assert (limits.max_concurrent_sequences or 0) >= way.concurrent_sequences, fields


def test_ways_are_really_different() -> None:
    for fields in PROBLEMS:
        ways = find(**fields).ways
        kinds = [(way.engine == "llama.cpp", way.weight_format, bool(way.memory.host_bytes), used(way)) for way in ways]

        assert 1 <= len(ways) <= 6
        assert len(set(kinds)) == len(kinds), fields


@pytest.mark.parametrize(
    ("fields", "cards"),
    [
        ({"model": "Qwen3-30B-A3B", "cards": "2x B580", "host_memory": "48GB"}, 2),
        ({"model": "Qwen3-8B", "cards": "2x 4090"}, 2),
        ({"model": "Qwen3-32B", "cards": "3090 + 3060 12GB", "host_memory": "64GB"}, 2),
    ],
)
def test_a_card_is_not_left_idle_for_quality_that_nobody_notices(fields: dict[str, Any], cards: int) -> None:
    way = find(**fields).ways[0]

    assert used(way) == cards
    assert not way.memory.host_bytes


@pytest.mark.parametrize("cards", ["3090 + 3060 12GB", "4x 4090", "2x B580", "8x H100"])
def test_one_way_takes_all_cards_that_were_named(cards: str) -> None:
    ways = find(model="Qwen3-8B", cards=cards).ways
    several = {"3090 + 3060 12GB": 2, "4x 4090": 4, "2x B580": 2, "8x H100": 8}[cards]

    assert any(used(way) == several for way in ways)
    assert len(ways) <= 6


def test_flags_of_vllm_say_the_layout() -> None:
    way = find(model="DeepSeek-R1", cards="8x H200", concurrent_sequences=16, engine="vllm", parallel={"tp": 8}).ways[0]

    assert "--tensor-parallel-size 8" in way.flags
    assert f"--max-model-len {way.context_tokens}" in way.flags
    assert "--max-num-seqs 16" in way.flags
    assert way.command.startswith("vllm serve deepseek-ai/DeepSeek-R1 ")


def test_flags_of_llama_cpp_say_experts_in_host_memory_and_the_split() -> None:
    way = find(model="GLM-4.5-Air", cards="2x 3090", host_memory="128GB", kv_format="q8_0").ways[0]

    assert way.layout.offload is not None
    assert f"--n-cpu-moe {way.layout.offload.layers + 1}" in way.flags  # its first layer has no experts
    assert "-ngl 99" in way.flags
    assert "-ctk q8_0 -ctv q8_0" in way.flags
    assert "-ts " in way.flags


def test_flags_of_llama_cpp_say_whole_layers_of_a_dense_model() -> None:
    way = find(model="Qwen3-32B", cards="4090", host_memory="64GB", weight_format="gguf:Q6_K").ways[0]

    assert way.layout.offload is not None
    assert way.layout.offload.what == "layers"
    assert f"-ngl {64 - way.layout.offload.layers}" in way.flags


def test_the_context_of_llama_cpp_is_that_of_all_slots() -> None:
    way = find(model="Qwen3-8B", cards="4090", engine="llama.cpp", context_tokens=4096, concurrent_sequences=4).ways[0]

    assert "-c 16384 -np 4" in way.flags


def test_one_card_of_two_is_named() -> None:
    way = next(way for way in find(model="Qwen3-8B", cards="3060 12GB + 3090", engine="llama.cpp").ways
               if len(way.cards) == 1 and way.cards[0].count == 1)  # fmt: skip

    assert "-sm none -mg 1" in way.flags


@pytest.mark.parametrize(
    ("fields", "prompt"),
    [
        ({}, 512),
        ({"context_tokens": 65536}, 512),
        ({"context_tokens": 300}, 150),
        ({"concurrent_sequences": 8}, 1024),
        ({"concurrent_sequences": 8, "context_tokens": 8192}, 7168),
    ],
)
def test_the_prompt_that_first_tokens_are_told_for_is_said(fields: dict[str, Any], prompt: int) -> None:
    said = find(model="Qwen3-8B", cards="4090", **fields).assumptions

    assert any(f"first_token_s is for a prompt of {prompt:,} tokens" in line for line in said), said


def test_no_prompt_is_assumed_where_one_was_given() -> None:
    said = find(model="Qwen3-8B", cards="4090", input_tokens=3000, output_tokens=500).assumptions

    assert not any("first_token_s" in line or "output_tokens not" in line for line in said)


def test_the_pace_without_prompts_is_told_where_it_is_another() -> None:
    fields: dict[str, Any] = {"model": "Qwen3-32B", "cards": "4090", "engine": "vllm", "output_tokens": 200}
    alone, few, many = (
        find(**fields, concurrent_sequences=count, input_tokens=tokens).ways[0].speed
        for count, tokens in ((1, 3000), (4, 20), (4, 3000))
    )
    assert alone is not None
    assert few is not None
    assert many is not None
    assert alone.decode_tokens_per_s_per_user is None
    assert few.decode_tokens_per_s_per_user is None
    assert many.decode_tokens_per_s_per_user is not None
    assert many.decode_tokens_per_s_per_user.value > 1.2 * many.tokens_per_s_per_user.value
    assert many.decode_tokens_per_s_per_user.value < 1.1 * few.tokens_per_s_per_user.value


def test_how_prompts_share_the_time_is_said_with_their_lengths() -> None:
    said = find(
        model="Qwen3-8B", cards="4090", concurrent_sequences=8, input_tokens=3000, output_tokens=200
    ).assumptions

    assert any("3,000 new tokens for every answer of 200" in line for line in said)


def test_adapters_are_loaded_and_held() -> None:
    plain = find(model="Qwen3-8B", cards="4090", engine="vllm", weight_format="fp8").ways[0]
    adapted = find(model="Qwen3-8B", cards="4090", engine="vllm", weight_format="fp8", adapters=8, lora_rank=64).ways[0]

    assert "--enable-lora --max-loras 8 --max-lora-rank 64" in adapted.flags
    assert adapted.memory.needed_bytes_per_gpu > plain.memory.needed_bytes_per_gpu


def test_a_shared_prefix_leaves_room_for_more() -> None:
    fields: dict[str, Any] = {"model": "Qwen3-8B", "cards": "4090", "engine": "vllm", "weight_format": "fp8",
                              "context_tokens": 8192, "concurrent_sequences": 8, "input_tokens": 7000}  # fmt: skip
    plain, shared = find(**fields).ways[0], find(**fields, shared_prefix_tokens=6000).ways[0]

    assert shared.memory.cache_bytes_per_gpu < plain.memory.cache_bytes_per_gpu
    assert shared.speed is not None
    assert plain.speed is not None
    assert shared.speed.first_token_s is not None
    assert plain.speed.first_token_s is not None
    assert shared.speed.first_token_s.value < plain.speed.first_token_s.value


def test_a_prefix_in_a_slot_is_not_read_again_and_takes_its_room() -> None:
    fields: dict[str, Any] = {"model": "Qwen3-14B", "cards": "3090", "engine": "llama.cpp", "context_tokens": 32768,
                              "weight_format": "gguf:Q4_K_M", "input_tokens": 24000, "output_tokens": 400}  # fmt: skip
    plain, held = find(**fields).ways[0], find(**fields, shared_prefix_tokens=22000).ways[0]

    assert held.memory.cache_bytes_per_gpu == plain.memory.cache_bytes_per_gpu
    assert held.speed is not None
    assert plain.speed is not None
    assert held.speed.first_token_s is not None
    assert plain.speed.first_token_s is not None
    assert held.speed.first_token_s.value < plain.speed.first_token_s.value / 3


def test_pictures_take_context() -> None:
    none, four = (find(model="Qwen2.5-VL-7B-Instruct", cards="3090", images_per_request=count) for count in (None, 4))

    assert four.ways[0].context_tokens > none.ways[0].context_tokens


def test_an_own_figure_is_told_as_measured() -> None:
    way = find(model="Qwen3-32B", cards="4090", measured=[{"tokens_per_s": 33, "weight_format": "gguf:Q4_K_M"}]).ways[0]

    assert way.speed is not None
    assert way.speed.label == "own"
    assert way.speed.tokens_per_s_per_user.value == pytest.approx(33)


@pytest.mark.parametrize(
    ("objective", "better"),
    [("fastest", "speed"), ("longest_context", "context"), ("best_quality", "bits"), ("simplest", "cards")],
)
def test_an_objective_is_served(objective: str, better: str) -> None:
    plain, served = (
        find(model="Qwen3-32B", cards="2x 4090", **asked).ways[0] for asked in ({}, {"objective": objective})
    )
    assert plain.speed is not None
    assert served.speed is not None
    told = {
        "speed": served.speed.tokens_per_s_per_user.value >= plain.speed.tokens_per_s_per_user.value,
        "context": (served.limits.max_context_tokens or 0) >= (plain.limits.max_context_tokens or 0),
        "bits": served.bits_per_weight >= plain.bits_per_weight,
        "cards": sum(one.count for one in served.cards) <= sum(one.count for one in plain.cards),
    }

    assert told[better]


@pytest.mark.parametrize(
    ("model", "ways", "divides"),
    [("Qwen/Qwen3-32B", 5, False), ("Qwen/Qwen3-32B", 8, True), ("Qwen/Qwen3-32B", 16, True),
     ("Qwen/Qwen2.5-7B-Instruct", 3, False), ("Qwen/Qwen2.5-7B-Instruct", 4, True),
     ("Qwen/Qwen2.5-7B-Instruct", 8, False),
     ("deepseek-ai/DeepSeek-R1", 16, True), ("deepseek-ai/DeepSeek-R1", 6, False)],
)  # fmt: skip
def test_heads_are_dealt_out_whole(model: str, ways: int, divides: bool) -> None:
    assert (indivisible(shape_of(MemoryRequest(model=model)), ways) is None) == divides


def test_changes_tell_the_figure_they_bring() -> None:
    found = find(model="Qwen3-32B", cards="4090")
    cache = next(one for one in found.changes if one.field == "kv_format")

    assert cache.max_context_tokens is not None
    assert cache.max_context_tokens > (found.ways[0].limits.max_context_tokens or 0)


def test_a_slow_quality_is_not_taken_for_the_best() -> None:
    way = find(model="Qwen3-32B", cards="4090", host_memory="128GB", objective="best_quality").ways[0]

    assert way.speed is not None
    assert way.speed.tokens_per_s_per_user.value >= 4
    assert way.memory.host_bytes > GIB


@pytest.mark.parametrize("engine", ["vllm", "sglang"])
def test_a_card_without_bf16_is_told_to_compute_in_fp16(engine: str) -> None:
    fields = {"model": "Qwen3-8B", "engine": engine}
    old = find(**fields, cards="RTX 2080 Ti 22GB", weight_format="gptq").ways
    new = find(**fields, cards="3090", weight_format="gptq").ways

    assert old
    assert all("--dtype float16" in way.flags for way in old)
    assert not any("--dtype" in way.flags for way in new)


def test_cards_that_the_best_way_leaves_idle_are_told() -> None:
    found = find(model="Qwen3-8B", cards="5x 3090")
    first = found.ways[0]

    assert used(first) < 5
    assert any(f"takes {used(first)} of 5 cards" in one for one in found.warnings)
    assert not any("leaves the others idle" in one for one in find(model="Qwen3-8B", cards="2x 3090").warnings)


def test_no_way_is_faster_than_its_weights_can_be_read() -> None:
    told = [way.speed for _, way in _ways() if way.speed is not None and way.speed.roofline_tokens_per_s]

    assert told
    for speed in told:
        assert speed.tokens_per_s_per_user.value <= speed.roofline_tokens_per_s


def test_late_first_tokens_lie_between_the_mean_and_the_last_of_a_burst() -> None:
    for sequences in (4, 32):
        fields = {"model": "Qwen3-8B", "cards": "4090", "input_tokens": 2000, "output_tokens": 200}
        speed = find(**fields, concurrent_sequences=sequences).ways[0].speed
        assert speed is not None
        assert speed.first_token_s is not None
        assert speed.first_token_p95_s is not None
        assert speed.first_token_burst_s is not None
        last = max(speed.first_token_burst_s.value, speed.first_token_s.value)
        assert speed.first_token_s.value <= speed.first_token_p95_s.value <= last * 1.001


def test_one_sequence_has_no_late_first_token() -> None:
    speed = find(model="Qwen3-8B", cards="4090").ways[0].speed

    assert speed is not None
    assert speed.first_token_p95_s is None


def test_many_at_once_are_served_by_an_engine_that_batches() -> None:
    way = find(model="Qwen3-32B", cards="2x 3090", concurrent_sequences=20, input_tokens=2048, output_tokens=300).ways[
        0
    ]

    assert way.engine in {"vllm", "sglang"}


def test_a_file_in_tables_runs_on_a_processor_where_it_was_asked_for() -> None:
    asked = find(model="Kimi-K2 IQ2_M", host_memory="768GB EPYC 9654")
    left_open = find(model="Kimi-K2", host_memory="768GB EPYC 9654")

    assert asked.answer.weight_format == "gguf:IQ2_M"
    assert not any(way.weight_format.startswith("gguf:IQ") for way in left_open.ways)


@pytest.mark.parametrize("said", ["512GB", "1TB", "96GB", "512GB dual socket", "256GB ddr4-3200 8 channel"])
def test_a_host_is_as_fast_for_one_who_explains_as_for_one_who_plans(said: str) -> None:
    fields = {"model": "Qwen3-235B-A22B Q4_K_M" if "96" not in said else "Qwen3-30B-A3B Q8_0", "host_memory": said}
    way = next(way for way in find(**fields, cards="3060 12GB").ways if way.cards)
    seen = {"tokens_per_s": way.speed.tokens_per_s_per_user.value if way.speed else 1.0}
    told = tool("explain_observation").call({**fields, "cards": "3060 12GB", "engine": "llama.cpp", "seen": seen})

    assert told.model_dump()["answer"]["verdict"] == "normal"
    assert told.model_dump()["answer"]["ratio"] == pytest.approx(1, rel=0.2)


def test_a_number_of_cards_that_shares_no_layers_evenly_is_told_with_its_layout_and_the_next_that_does() -> None:
    """64 heads and four for keys: five cards take stages."""
    found = find(model="Qwen3-235B-A22B", cards="4x H20 96GB", engine="vllm", weight_format="bf16")
    more = [one for one in found.changes if one.field == "cards"]
    assert "PP 5" in more[0].effect
    assert "tightly" in more[0].effect
    assert "TP" in more[1].effect
    assert (more[1].tokens_per_s_per_user or 0) > (more[0].tokens_per_s_per_user or 0)


def test_a_way_whose_upper_estimate_is_beyond_the_card_says_so_in_the_answer() -> None:
    tight = find(model="Qwen3-14B", cards="1x V100 32G", engine="vllm", weight_format="fp16")
    memory = tight.ways[0].memory
    assert memory.needed_bytes_per_gpu <= memory.usable_bytes_per_gpu < memory.high_bytes_per_gpu
    assert tight.answer.tight is not None
    assert find(model="Qwen3-4B", cards="1x 3090").answer.tight is None


def test_a_loss_of_more_than_a_hundred_percent_is_written_out() -> None:
    way = find(model="DeepSeek-R1", cards="8x RTX 4090", host_memory="256GB", weight_format="gguf:IQ1_S").ways[0]
    (said,) = [one for one in way.why if "perplexity" in one]
    assert "e+" not in said
    assert "%" in said


def test_a_card_that_the_newest_release_left_behind_is_told_with_its_ways() -> None:
    assert any("vLLM" in one and "does not run on" in one
               for one in find(model="Qwen3-8B", cards="1x V100 32G", engine="vllm").warnings)  # fmt: skip
    assert not any("does not run on" in one for one in find(model="Qwen3-8B", cards="1x 3090", engine="vllm").warnings)


def test_weights_that_vllm_leaves_in_host_memory_are_reckoned() -> None:
    """Gemma 3 27B in 16 bits lacks room on two 24 GB cards: each reads the rest through its slot for every token."""
    asked = {"model": "gemma-3-27b-it", "cards": "2x 4090", "engine": "vllm", "weight_format": "bf16"}
    found = [one for one in find(**asked, host_memory="128GB").changes if "--cpu-offload-gb" in one.change]
    assert len(found) == 1
    gib = int(found[0].change.split()[1])
    rate = found[0].tokens_per_s_per_user or 0.0
    assert 1 <= gib <= 20
    assert gib * 2**30 * rate <= 12.0e9  # no faster than what comes up
    assert found[0].costs == "speed"
    assert not any("--cpu-offload-gb" in one.change for one in find(**asked).changes)  # no memory was named
    small = find(**asked, host_memory="8GB").changes
    assert not any("--cpu-offload-gb" in one.change for one in small)

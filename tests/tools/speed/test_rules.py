"""The rules a step's time is made of: what is read, who waits for whom, what hides behind what."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from kb.constants.speed_constants import constants
from tools.named import read_card
from tools.speed import estimate_inference_speed
from tools.speed.allreduce import all_reduce_s, network_bytes_per_s, node_cards
from tools.speed.decode import (
    columns,
    decode_step,
    dense_efficiency,
    exchange_s,
    expert_ratio,
    permute_s,
    routed_efficiency,
    wide_share,
)
from tools.speed.layout import best_pace
from tools.speed.pace import Pace
from tools.speed.prefill import prompt_s, prompt_stall_s
from tools.speed.request import InferenceSpeedRequest
from tools.speed.result import InferenceSpeed
from tools.speed.work import Layout, Work, work_of

R1 = "deepseek-ai/DeepSeek-R1"
QUANTISED_WIDE = ("gguf:Q4_K_M", "fp16")


def work(**fields: object) -> Work:
    return work_of(InferenceSpeedRequest.model_validate({"gpu": "h100-sxm-80gb", "model": "Qwen/Qwen3-32B", **fields}))[
        0
    ]


def found(**fields: object) -> Pace:
    request = InferenceSpeedRequest.model_validate({"gpu": "h100-sxm-80gb", "model": "Qwen/Qwen3-32B", **fields})
    return best_pace(work_of(request)[0], request)


def estimate(**fields: object) -> InferenceSpeed:
    return estimate_inference_speed(InferenceSpeedRequest.model_validate(fields))


@pytest.mark.parametrize(
    ("model", "weight_format", "engine", "asked", "cached"),
    [
        pytest.param("meta-llama/Meta-Llama-3.1-70B", "fp8", "tensorrt-llm", "auto", 1.0, id="modelopt-fp8"),
        pytest.param("Qwen/Qwen3-32B", "nvfp4", "tensorrt-llm", "auto", 1.0, id="modelopt-nvfp4"),
        pytest.param("meta-llama/Meta-Llama-3.1-70B", "fp8", "tensorrt-llm", "bf16", 2.0, id="asked-for-16-bits"),
        pytest.param("meta-llama/Meta-Llama-3.1-70B", "fp8", "vllm", "auto", 2.0, id="vllm-keeps-16-bits"),
        pytest.param("meta-llama/Meta-Llama-3.1-70B", "fp8", "vllm", "fp8", 1.0, id="vllm-asked-for-fp8"),
        pytest.param("meta-llama/Meta-Llama-3.1-70B", "bf16", "tensorrt-llm", "auto", 2.0, id="nothing-quantised"),
        pytest.param("openai/gpt-oss-120b", "mxfp4", "tensorrt-llm", "auto", 2.0, id="as-published"),
        pytest.param(R1, "fp8", "tensorrt-llm", "auto", 2.0, id="trained-in-fp8"),
        pytest.param(R1, "nvfp4", "tensorrt-llm", "auto", 1.0, id="requantised"),
    ],
)
def test_the_cache_is_kept_as_the_checkpoint_says(
    model: str, weight_format: str, engine: str, asked: str, cached: float
) -> None:
    assert work(model=model, weight_format=weight_format, engine=engine, kv_format=asked).kv_bytes == cached


@pytest.mark.parametrize(
    ("model", "weight_format", "dense_bits", "expert_bits"),
    [
        pytest.param("openai/gpt-oss-20b", None, 16, 4.25, id="mxfp4-as-published"),
        pytest.param("moonshotai/Kimi-K2.5", None, 16, 4.5, id="int4-as-published"),
        pytest.param("moonshotai/Kimi-K2.5", "nvfp4", 4.5, 4.5, id="requantised-throughout"),
        pytest.param("deepseek-ai/DeepSeek-V4-Flash", None, 8, 4.25, id="fp4-as-published"),
        pytest.param("Qwen/Qwen3-30B-A3B", "mxfp4", 4.25, 4.25, id="mxfp4-of-another-model"),
    ],
)
def test_experts_alone_are_narrow_where_the_maker_left_the_rest_wide(
    model: str, weight_format: str | None, dense_bits: float, expert_bits: float
) -> None:
    form = work(model=model, weight_format=weight_format, gpu="b200-sxm-180gb", gpu_count=8).format
    assert form.body_bits == pytest.approx(dense_bits, abs=0.3)
    assert form.expert_bits == pytest.approx(expert_bits, abs=0.3)


@pytest.mark.parametrize("stages", [2, 4, 8])
def test_stages_of_a_pipeline_wait_for_the_output_head(stages: int) -> None:
    load = work(gpu="rtx-pro-6000-bw-server-96gb", gpu_count=stages, pipeline_parallel=stages, tensor_parallel=1)
    alone, busy = (decode_step(load.on(Layout(1, stages, 1), sequences)) for sequences in (1, 64 * stages))
    assert alone.stage_s == 0.0
    assert busy.stage_s > 0.0
    head = load.arch.head_params * load.format.head_bits / 8 / load.bandwidth
    assert busy.stage_s > (stages - 1) * head


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 4000), st.sampled_from(["vllm", "sglang", "tensorrt-llm"]))
def test_the_host_works_beside_the_card(sequences: int, engine: str) -> None:
    load = work(model="Qwen/Qwen3-8B", engine=engine, tensor_parallel=1)
    step = decode_step(load.on(Layout(1, 1, 1), sequences))
    gpu = step.weights_s + step.cache_s + step.link_s + step.floor_s
    host = load.floor.step_s + load.floor.sequence_s * sequences
    assert max(gpu, host) <= step.total_s <= gpu + host


@pytest.mark.parametrize(
    ("engine", "gpu", "shared"),
    [
        ("tensorrt-llm", "rtx-pro-6000-bw-server-96gb", True),
        ("vllm", "rtx-pro-6000-bw-server-96gb", False),
        ("vllm", "h200-sxm-141gb", True),
    ],
)
def test_who_copies_attention_and_shares_experts(engine: str, gpu: str, shared: bool) -> None:
    pace = found(model="Qwen/Qwen3-30B-A3B", gpu=gpu, gpu_count=4, engine=engine, weight_format="fp8",
                 concurrent_sequences=1024, input_tokens=1000, output_tokens=1000)  # fmt: skip
    assert pace.work.layout.attention_copies is shared


@pytest.mark.parametrize(("gpu", "cards"), [("h100-sxm-80gb", 8), ("mi300x-192gb", 8), ("gb200-186gb", 72)])
def test_partners_on_another_node_are_slower_to_reach(gpu: str, cards: int) -> None:
    card = read_card(gpu)[0]
    assert node_cards(card) == cards
    inside, beyond = (all_reduce_s(card, n, 64e6) for n in (cards, 2 * cards))
    assert beyond > inside + 2 * 0.5 * 64e6 / cards / network_bytes_per_s(card) * 0.9
    load = work(model=R1, weight_format="fp8", gpu=gpu)
    near, far = (
        exchange_s(load._replace(layout=Layout(n, 1, 1, attention_copies=True)), 32 * n) for n in (cards, 4 * cards)
    )
    assert far > near


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(["mi300x-192gb", "h100-sxm-80gb", "l40s-48gb"]), st.integers(2, 64), st.floats(1e3, 1e9))
def test_more_to_add_up_never_takes_less(gpu: str, cards: int, size: float) -> None:
    card = read_card(gpu)[0]
    assert all_reduce_s(card, cards, 2 * size) >= all_reduce_s(card, cards, size)


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 4096), st.integers(2, 8))
def test_fuller_tiles_are_multiplied_better(tokens: int, factor: int) -> None:
    load = work(model="Qwen/Qwen3-30B-A3B", weight_format="fp8")
    assert routed_efficiency(load, tokens * factor) >= routed_efficiency(load, tokens) * 0.999
    split = load._replace(layout=Layout(8, 1, 1))
    assert routed_efficiency(split, tokens) < routed_efficiency(load, tokens)
    assert routed_efficiency(load, 10**6) < constants().compute.fp8_ratio


@pytest.mark.parametrize(
    ("fields", "total"),
    [
        pytest.param({"gpu": "h100-sxm-80gb", "gpu_count": 72, "input_tokens": 2000, "output_tokens": 100,
                      "concurrent_sequences": 18_432}, 22_282 * 9, id="sglang-9-nodes-h100-2025-05"),
        pytest.param({"gpu": "h800-sxm-80gb", "gpu_count": 144, "input_tokens": 4500, "output_tokens": 1000,
                      "concurrent_sequences": 12_672}, 14_800 * 18, id="deepseek-18-nodes-h800-2025-03"),
        pytest.param({"gpu": "gb200-186gb", "gpu_count": 32, "input_tokens": 1024, "output_tokens": 1024,
                      "concurrent_sequences": 4096}, 4096 / 26.64e-3, id="sglang-gb200-32"),
    ],
)  # fmt: skip
def test_published_expert_parallelism_over_nodes_lies_within_the_interval(
    fields: dict[str, object], total: float
) -> None:
    speed = estimate(model=R1, weight_format="fp8", engine="sglang", separate_prefill=True, **fields)
    assert speed.tokens_per_s_total is not None
    assert speed.tokens_per_s_total.low < total < speed.tokens_per_s_total.high
    assert speed.tokens_per_s_total.value == pytest.approx(total, rel=0.25)
    assert any("Other cards read the prompts" in text for text in speed.assumptions)


def test_prompts_read_elsewhere_delay_nobody() -> None:
    load = {"model": R1, "gpu": "h200-sxm-141gb", "gpu_count": 8, "weight_format": "fp8", "engine": "sglang",
            "concurrent_sequences": 64, "input_tokens": 8192, "output_tokens": 1024}  # fmt: skip
    together, apart = (estimate(**load, separate_prefill=flag) for flag in (False, True))
    assert together.tokens_per_s_total
    assert apart.tokens_per_s_total
    assert apart.tokens_per_s_total.value > 1.1 * together.tokens_per_s_total.value


@pytest.mark.parametrize("gpu", ["apple-m1-max-64gb", "apple-m2-ultra-192gb", "apple-m3-max-64gb"])
def test_metal_spends_time_on_widening(gpu: str) -> None:
    fields = {"model": "meta-llama/Meta-Llama-3-8B", "gpu": gpu, "engine": "llama.cpp"}
    narrow, wide = (found(weight_format=form, **fields).output_token_s for form in ("gguf:Q4_K_M", "fp16"))
    bytes_ratio = 4.85 / 16
    assert narrow > wide * bytes_ratio * 1.1
    assert narrow < wide


@pytest.mark.parametrize(("gpu", "family"), [("apple-m2-ultra-192gb", "Apple"), ("rtx-4090-24gb", "Ada")])
def test_widening_is_no_matter_where_integers_are_multiplied(gpu: str, family: str) -> None:
    few, wide = (dense_efficiency(work(gpu=gpu, weight_format=form, engine="llama.cpp"), 2) for form in QUANTISED_WIDE)
    assert (few < wide) == (family in constants().decode.vector_ratios)


def test_metal_multiplies_whole_tiles_of_sequences() -> None:
    load = work(model="Qwen/Qwen2.5-7B", gpu="apple-m2-ultra-192gb", weight_format="gguf:Q8_0")
    assert [columns(load, batch) for batch in (1, 8, 9, 32, 33)] == [1, 8, 32, 32, 64]
    assert columns(load._replace(gpu=read_card("rtx-4090")[0]), 9) == 9


@pytest.mark.parametrize(
    ("model", "shared"), [("Qwen/Qwen2.5-7B", 7), ("Qwen/Qwen3-30B-A3B", 8), ("openai/gpt-oss-20b", 8)]
)
def test_attention_on_a_mac_takes_as_long_as_its_query_heads(model: str, shared: int) -> None:
    """However many of them read one cached head."""
    load = work(model=model, gpu="apple-m2-ultra-192gb", weight_format="gguf:Q8_0", input_tokens=32768)
    assert load.arch.heads == shared * load.arch.kv_heads
    rate = constants().decode.attention_ratios["llama.cpp Apple"] * load.flops_16
    assert decode_step(load).cache_s == pytest.approx(load.attended_flops / rate, rel=1e-9)


@pytest.mark.parametrize(
    ("engine", "model", "built"),
    [
        ("llama.cpp", "Qwen/Qwen2.5-7B", "2024-05"),
        ("llama.cpp", "Qwen/Qwen2.5-7B", "2025-08"),
        ("vllm", "Qwen/Qwen2.5-7B", "2024-10"),
        ("vllm", "mistralai/Mixtral-8x7B-v0.1", "2024-06"),
        ("tensorrt-llm", "meta-llama/Llama-2-70b-hf", "2023-11"),
    ],
)
def test_a_release_of_before_is_slower_than_todays(engine: str, model: str, built: str) -> None:
    asked = {"model": model, "gpu": "a100-sxm-80gb", "gpu_count": 2, "tensor_parallel": 2, "engine": engine}
    before, today = (
        found(**asked, input_tokens=8192, concurrent_sequences=8, engine_built=month).step.total_s
        for month in (built, "2026-10")
    )
    assert before > 1.01 * today


@pytest.mark.parametrize(("model", "old"), [("meta-llama/Meta-Llama-3-8B", True), ("Qwen/Qwen3-8B", False)])
def test_llama_cpp_of_its_time_is_taken_for_an_old_model_unless_the_build_is_stated(model: str, old: bool) -> None:
    asked = {"model": model, "gpu": "rtx-3090", "weight_format": "gguf:Q4_K_M"}
    assumed, then, now = (found(**asked, engine_built=month).per_user for month in (None, "2024-05", "2026-10"))
    assert assumed == (then if old else now)
    assert then < now


@pytest.mark.parametrize("month", ["2024", "2024-13", "may 2024", "24-05"])
def test_a_build_is_a_month(month: str) -> None:
    with pytest.raises(ValidationError):
        InferenceSpeedRequest(model="Qwen/Qwen3-8B", gpu="rtx-3090", engine_built=month)


@pytest.mark.parametrize("model", ["Qwen/Qwen3-30B-A3B", "openai/gpt-oss-120b", R1])
@pytest.mark.parametrize("tokens", [1, 64, 4096])
def test_sorting_tokens_by_expert_costs_in_proportion_to_their_copies(model: str, tokens: int) -> None:
    load = work(model=model, gpu="b200-sxm-180gb")
    arch = load.arch
    moved = permute_s(load, tokens) * load.bandwidth
    copies = arch.moe_layers * arch.experts_per_token * arch.hidden * tokens
    assert moved == pytest.approx(copies * constants().decode.permute_bytes, rel=1e-9)
    assert permute_s(work(model="Qwen/Qwen3-32B"), tokens) == 0.0


@pytest.mark.parametrize("sequences", [1, 64, 1500])
def test_a_host_with_grace_prepares_batches_more_slowly(sequences: int) -> None:
    fields = {"model": "Qwen/Qwen3-30B-A3B", "weight_format": "nvfp4", "engine": "tensorrt-llm"}
    x86, grace = (work(gpu=gpu, **fields) for gpu in ("b200-sxm-180gb", "gb200-186gb"))
    loads = [load.on(Layout(1, 1, 1), sequences) for load in (x86, grace)]
    hosts = [decode_step(load).host_s for load in loads]
    assert hosts[1] >= hosts[0]
    # Beside long steps it hides; where thousands are prepared it does not.
    assert hosts[1] - hosts[0] < 0.7 * x86.floor.sequence_s * sequences


@pytest.mark.parametrize(
    ("model", "cards", "share"),
    [
        pytest.param("mistralai/Mixtral-8x7B-v0.1", 1, (0.8, 1.0), id="whole-of-14336-columns"),
        pytest.param("mistralai/Mixtral-8x7B-v0.1", 8, (0.0, 0.02), id="an-eighth-of-them"),
        pytest.param("Qwen/Qwen3-30B-A3B", 1, (0.0, 0.02), id="768-columns"),
    ],
)
def test_wide_experts_are_read_and_multiplied_like_a_dense_model(
    model: str, cards: int, share: tuple[float, float]
) -> None:
    load = work(model=model, weight_format="fp8", gpu="h200-sxm-141gb", gpu_count=cards)
    assert share[0] <= wide_share(load) <= share[1]
    narrow = constants().decode.expert_bandwidth_ratios["8"]
    assert expert_ratio(load) == pytest.approx(narrow + (1 - narrow) * wide_share(load))


def test_a_split_without_shared_experts_can_be_asked_for() -> None:
    asked = {"model": "mistralai/Mixtral-8x7B-v0.1", "gpu": "l40s-48gb", "gpu_count": 8, "tensor_parallel": 8,
             "engine": "tensorrt-llm", "weight_format": "fp8", "concurrent_sequences": 1024}  # fmt: skip
    assert found(**asked).work.layout.attention_copies
    assert not found(**asked, expert_parallel=1).work.layout.attention_copies


@pytest.mark.parametrize("model", ["Qwen/Qwen3-30B-A3B", "openai/gpt-oss-20b", "zai-org/GLM-4.5-Air"])
def test_two_at_once_gain_little_in_llama_cpp_where_each_token_reads_its_own_experts(model: str) -> None:
    asked = {"model": model, "gpu": "rtx-pro-6000-bw-server-96gb", "weight_format": "gguf:Q4_K_M", "input_tokens": 0}
    alone, two, many = (found(**asked, concurrent_sequences=n).total for n in (1, 2, 32))
    assert alone < two < 1.5 * alone
    assert many > 3 * alone


@pytest.mark.parametrize("gpu", ["ryzen-ai-max-395-128gb", "gb10-dgx-spark-128gb", "rtx-pro-6000-bw-server-96gb"])
def test_fewer_prompt_tokens_an_expert_fill_its_tiles_worse_in_llama_cpp(gpu: str) -> None:
    """Of a batch of 512: all to a dense model, 64 to an expert of gpt-oss-20b, 16 to one of gpt-oss-120b."""
    models = ("meta-llama/Meta-Llama-3-8B", "openai/gpt-oss-20b", "openai/gpt-oss-120b")
    loads = [found(model=model, gpu=gpu, weight_format="gguf:Q4_K_M", input_tokens=512) for model in models]
    reached = [load.prompt_rate * (load.work.arch.active_params - load.work.arch.head_params) for load in loads]
    assert reached == sorted(reached, reverse=True)
    assert reached[2] < 0.6 * reached[0]


@pytest.mark.parametrize(
    ("gpu", "engine", "ratio"),
    [("a100-sxm-80gb", "vllm", 1.73), ("a100-sxm-80gb", "llama.cpp", 1.0), ("rtx-3090-24gb", "vllm", 0.35)],
)
def test_kernels_of_an_a100_are_waited_for_longer_by_engines_that_replay_them(
    gpu: str, engine: str, ratio: float
) -> None:
    load = work(model="Qwen/Qwen3-8B", gpu=gpu, engine=engine)
    assert decode_step(load).floor_s == pytest.approx(load.arch.layers * load.floor.layer_s * ratio, rel=0.01)


@pytest.mark.parametrize(
    ("model", "mixed", "width"),
    [
        ("meta-llama/Llama-4-Maverick-17B-128E-Instruct", 24, 8192),
        ("deepseek-ai/DeepSeek-R1", 58, 2048),
        ("nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16", 23, 1856),
        ("Qwen/Qwen3-30B-A3B", 48, 768),
        ("Qwen/Qwen3-32B", 0, 0),
    ],
)
def test_experts_cost_only_the_layers_that_have_them(model: str, mixed: int, width: int) -> None:
    load = work(model=model, weight_format="fp8", gpu="b200-sxm-180gb", gpu_count=8)
    assert (load.arch.moe_layers, load.arch.expert_width) == (mixed, width)
    none = load._replace(arch=replace(load.arch, moe_layers=0))
    decode = constants().decode
    each = decode.moe_layer_s + (decode.shared_layer_s if load.arch.shared_experts else 0.0)
    assert decode_step(load).floor_s - decode_step(none).floor_s == pytest.approx(
        mixed * each * load.floor.extra_ratio, abs=1e-12
    )


@pytest.mark.parametrize("prompt", [64, 512])
@pytest.mark.parametrize("model", ["Qwen/Qwen3-235B-A22B", "meta-llama/Llama-3.3-70B-Instruct"])
def test_short_prompts_halt_answers_where_their_batch_is_launched_layer_by_layer(model: str, prompt: int) -> None:
    """SGLang's cookbook: the steps between which a prompt was read take a millisecond a layer longer."""
    load = {"model": model, "gpu": "b200-sxm", "gpu_count": 8, "input_tokens": prompt, "output_tokens": 512}
    paces = {engine: found(**(load | {"engine": engine, "concurrent_sequences": 90})) for engine in ("sglang", "vllm")}
    lost = paces["sglang"].interference_s - paces["vllm"].interference_s
    layers = paces["sglang"].work.arch.layers
    assert 0.1e-3 * layers < lost < 0.25e-3 * layers
    alone = found(**(load | {"engine": "sglang"}))
    assert alone.interference_s == 0
    assert alone.first_token_s > 1e-3 * layers


def test_long_prompts_are_launched_beside_their_products() -> None:
    load = {"model": "meta-llama/Llama-3.3-70B-Instruct", "gpu": "h100-sxm", "gpu_count": 4, "engine": "sglang"}
    work = found(**(load | {"input_tokens": 16_000, "output_tokens": 500, "concurrent_sequences": 32})).work
    one = prompt_s(work)
    assert prompt_stall_s(work, one, 31.0) < 1.05 * 31 / 500 * one


@settings(deadline=None)
@given(others=st.floats(0, 500), more=st.floats(1, 10), prompt=st.floats(0, 2))
def test_more_prompts_never_halt_answers_less(others: float, more: float, prompt: float) -> None:
    work = found(model="Qwen/Qwen3-32B", gpu="h100-sxm", engine="sglang", input_tokens=512).work
    assert prompt_stall_s(work, prompt, others * more) >= prompt_stall_s(work, prompt, others) * (1 - 1e-9)


def test_a_sum_over_two_nodes_waits_for_the_network() -> None:
    one, two = (all_reduce_s(read_card("h100-sxm")[0], cards, 14_336) for cards in (8, 16))
    assert two - one > 90e-6


def test_vllm_of_february_2025_still_ran_its_first_engine() -> None:
    # QwQ-32B in 16 bits on A100: github.com/vllm-project/vllm/issues/16300
    load = {"model": "Qwen/QwQ-32B", "gpu": "a100-sxm-80gb", "engine": "vllm", "engine_built": "2025-02"}
    for cards, measured in ((2, 36.2), (4, 50.0), (8, 63.0)):
        pace = found(**load, gpu_count=cards, tensor_parallel=cards, input_tokens=1, output_tokens=200)
        assert pace.per_user == pytest.approx(measured, rel=0.15)


def test_short_prompts_wait_for_the_weights_to_be_read() -> None:
    # MiniMax-M2.7 in NVFP4 on two DGX Spark: 1,436 tokens a second of a prompt of 512, 3,967 of 4,096 (saricles, 2026)
    load = {"model": "MiniMaxAI/MiniMax-M2.7", "gpu": "dgx-spark-gb10", "gpu_count": 2, "tensor_parallel": 2}
    rates = [
        tokens / found(**load, engine="vllm", weight_format="nvfp4", input_tokens=tokens).prefill_s
        for tokens in (512, 4096)
    ]
    assert rates[0] < rates[1] / 2


def test_only_nvidias_cards_added_up_through_a_library_in_2024() -> None:
    def link(gpu: str) -> list[float]:
        load = {"model": "meta-llama/Meta-Llama-3.1-405B", "gpu": gpu, "gpu_count": 8, "weight_format": "fp8"}
        return [
            found(**(load | {"engine": "vllm", "engine_built": built})).step.link_s for built in ("2024-10", "2026-01")
        ]

    before, after = link("mi300x")
    assert before == after
    before, after = link("h100-sxm")
    assert before > 2 * after

"""What training spends beside its products: launches that hide or do not, hooks, widened weights."""

import math
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.base import BadInput
from tools.training_time import estimate_training_time
from tools.training_time.evidence import case_of
from tools.training_time.job import Job, job_of
from tools.training_time.request import TrainingTimeRequest
from tools.training_time.step import token_time

QWEN = {"gpu": "a100-sxm-80gb", "gpu_count": 1, "precision": "bf16", "micro_batch_size": 1}


def job(**fields: object) -> Job:
    return job_of(TrainingTimeRequest.model_validate({"model": "Qwen/Qwen1.5-7B", **QWEN, **fields}))[0]


def rate(**fields: object) -> float:
    return 1 / token_time(job(**fields)).total_s


@pytest.mark.parametrize(
    ("fields", "seconds", "tolerance"),
    [
        pytest.param({"sequence_tokens": 512, "task": "lora"}, 1.5, 0.15, id="7b-lora-512"),
        pytest.param({"sequence_tokens": 2048, "task": "lora"}, 5.2, 0.15, id="7b-lora-2048"),
        pytest.param({"model": "Qwen/Qwen1.5-14B", "sequence_tokens": 256, "task": "lora"}, 1.6, 0.15, id="14b-256"),
        pytest.param({"model": "Qwen/Qwen1.5-14B", "sequence_tokens": 4096, "task": "lora"}, 17.0, 0.15, id="14b-4096"),
        pytest.param({"model": "Qwen/Qwen1.5-72B", "sequence_tokens": 1024, "task": "lora", "gpu_count": 4,
                      "sharding": "zero3"}, 29.4, 0.2, id="72b-zero3-1024"),
        pytest.param({"sequence_tokens": 1024, "task": "full_finetune", "gpu_count": 2, "sharding": "zero3",
                      "engine": "transformers"}, 4.5, 0.3, id="7b-full-zero3-1024"),
    ],
)  # fmt: skip
def test_iterations_of_eager_programs_agree_with_the_published_profile(
    fields: dict[str, object], seconds: float, tolerance: float
) -> None:
    """Qwen's README: a batch of one, eight accumulated."""
    tokens = fields["sequence_tokens"]
    assert isinstance(tokens, int)
    assert 8 * tokens / rate(**fields) == pytest.approx(seconds, rel=tolerance)


@settings(max_examples=40, deadline=None)
@given(st.integers(64, 32_768), st.sampled_from(["lora", "qlora", "full_finetune"]))
def test_launching_hides_behind_long_samples_and_rules_short_ones(tokens: int, task: str) -> None:
    parts = token_time(job(sequence_tokens=tokens, task=task, engine="transformers"))
    launching = 32 * job(task=task, engine="transformers").trainer.layer_s / tokens
    busy = parts.products_s + parts.attention_s + parts.elements_s
    assert 0 <= parts.launch_s <= launching * 1.000001
    assert busy + parts.launch_s >= max(busy, launching) * 0.999


def test_hooks_that_gather_every_module_cost_more_launches() -> None:
    fields = {"sequence_tokens": 256, "task": "full_finetune", "engine": "transformers", "gpu_count": 2}
    plain, sharded = (token_time(job(**fields, sharding=kind)).launch_s for kind in ("ddp", "zero3"))
    assert sharded > 1.2 * plain


@pytest.mark.parametrize("tokens", [256, 1024, 4096])
def test_quantised_weights_are_widened_once_a_micro_batch(tokens: int) -> None:
    lora, qlora = (token_time(job(sequence_tokens=tokens, task=task)) for task in ("lora", "qlora"))
    assert (qlora.products_s - lora.products_s) * tokens == pytest.approx(
        3 * job().arch.params * 5.6 / job().bandwidth, rel=0.01
    )


def test_measurements_of_one_kind_of_adapters_say_little_of_the_other() -> None:
    lora, qlora, full = (case_of(job(task=task)) for task in ("lora", "qlora", "full_finetune"))
    assert len({lora.engine, qlora.engine, full.engine}) == 3
    assert case_of(job(task="lora", gpu_count=4)).cards == pytest.approx(math.log(4))


MOE = {"task": "pretrain", "precision": "bf16", "sequence_tokens": 4096}


@pytest.mark.parametrize("model", ["deepseek-ai/DeepSeek-V3", "Qwen/Qwen3-30B-A3B", "openai/gpt-oss-20b"])
def test_experts_that_stay_on_their_cards_are_not_gathered(model: str) -> None:
    spread = job(model=model, gpu="h100-sxm-80gb", gpu_count=8, engine="fsdp", expert_parallel=8, **MOE)
    gathered = token_time(replace(spread, expert=1)).link_s
    assert token_time(spread).link_s == pytest.approx(
        gathered * (1 - 7 / 8 * spread.arch.routed_params / spread.arch.params), rel=1e-6
    )


@pytest.mark.parametrize("model", ["deepseek-ai/DeepSeek-V3", "Qwen/Qwen3-235B-A22B", "openai/gpt-oss-120b"])
@pytest.mark.parametrize("gpu", ["h100-sxm-80gb", "b200-sxm-180gb"])
def test_tokens_go_once_to_every_node_that_holds_one_of_their_experts(model: str, gpu: str) -> None:
    times = [
        token_time(job(model=model, gpu=gpu, gpu_count=256, engine="megatron", expert_parallel=ways, **MOE)).dispatch_s
        for ways in (8, 16, 32, 64, 128, 256)
    ]
    assert times == sorted(times)
    first, last = times[1] - times[0], times[-1] - times[0]
    arch = job(model=model, **MOE).arch
    assert first > 0.0
    # One other node gets at most one copy; many get at most one for each expert.
    assert last < 2 * arch.experts_per_token * first


def test_a_domain_of_72_cards_reaches_its_experts_without_the_network() -> None:
    fields = {"model": "openai/gpt-oss-120b", "gpu_count": 64, "engine": "megatron", "expert_parallel": 64, **MOE}
    switched, boxed = (token_time(job(gpu=gpu, **fields)).dispatch_s for gpu in ("gb200-186gb", "b200-sxm-180gb"))
    assert boxed > 1.5 * switched


@pytest.mark.parametrize("tokens", [512, 2048, 8192])
@pytest.mark.parametrize("task", ["lora", "qlora"])
def test_fused_kernels_of_unsloth_gain_a_tenth_to_a_fifth_as_published(tokens: int, task: str) -> None:
    """LLaMA-Factory's table on an A100: 11 to 17 % at every length."""
    fields = {"model": "meta-llama/Llama-2-7b-hf", "gpu": "a100-sxm-40gb", "sequence_tokens": tokens, "task": task}
    assert 1.03 < rate(engine="unsloth", **fields) / rate(engine="llama-factory", **fields) < 1.35


@pytest.mark.parametrize(
    ("task", "kept", "widened"),
    [
        pytest.param("lora", None, 0.0, id="16-bits-are-not-widened"),
        pytest.param("lora", "bf16", 0.0, id="16-bits-by-name"),
        pytest.param("qlora", None, 5.6, id="nf4-unless-told"),
        pytest.param("lora", "nf4", 5.6, id="lora-of-a-4-bit-base"),
        pytest.param("qlora", "gptq", 24.0, id="autogptq"),
        pytest.param("qlora", "int8", 6.0, id="eight-bits-take-more-to-read"),
    ],
)
def test_frozen_weights_are_widened_from_the_format_they_are_kept_in(
    task: str, kept: str | None, widened: float
) -> None:
    trained = job(task=task, weight_format=kept, sequence_tokens=1024)
    assert trained.widened_bytes == pytest.approx(widened, abs=0.15)
    plain = token_time(job(task="lora", sequence_tokens=1024)).products_s
    more = 3 * trained.arch.params * trained.widened_bytes / trained.bandwidth / trained.micro_batch_tokens
    assert token_time(trained).products_s == pytest.approx(plain + more)


@pytest.mark.parametrize(
    ("task", "kept"),
    [("lora", "gguf:Q4_K_M"), ("qlora", "bf16"), ("full_finetune", "nf4"), ("pretrain", "fp8"), ("lora", "q17")],
)
def test_formats_that_no_such_training_keeps_are_refused(task: str, kept: str) -> None:
    with pytest.raises(BadInput) as refused:
        job(task=task, weight_format=kept)
    assert refused.value.field == "weight_format"


MIXTURE = {"model": "Qwen/Qwen3-30B-A3B", "gpu": "b200-sxm-180gb", "gpu_count": 8, "precision": "fp8",
           "task": "pretrain", "engine": "megatron", "sequence_tokens": 4096, "expert_parallel": 8}  # fmt: skip


def test_the_more_tokens_an_expert_gets_the_faster_its_products() -> None:
    rates = [rate(**MIXTURE, micro_batch_size=size) for size in (1, 2, 4, 8)]
    assert rates == sorted(rates)
    few, more = (token_time(job(**{**MIXTURE, "gpu_count": 64, "expert_parallel": ways})) for ways in (8, 64))
    assert few.products_s > 1.2 * more.products_s


@pytest.mark.parametrize("model", ["openai/gpt-oss-120b", "meta-llama/Meta-Llama-3-70B"])
def test_gradients_added_up_after_few_micro_batches_cost_more(model: str) -> None:
    asked = {**MIXTURE, "model": model, "gpu_count": 64, "micro_batch_size": 4}
    if "oss" not in model:
        asked.pop("expert_parallel")
    few, many, unsaid = (rate(**asked, global_batch_size=size) for size in (512, 5120, None))
    assert few < many < unsaid


def test_a_pipeline_idles_less_the_more_micro_batches_and_stages_a_card_it_has() -> None:
    asked = {**MIXTURE, "model": "meta-llama/Meta-Llama-3-70B", "gpu_count": 64, "pipeline_parallel": 8}
    asked.pop("expert_parallel")
    idle = [
        token_time(job(**asked, global_batch_size=size, virtual_stages=stages)).idle_s
        for size, stages in ((64, 1), (64, 4), (512, 4))
    ]
    assert idle == sorted(idle, reverse=True)
    assert idle[0] > 2 * idle[1]


def test_experts_in_a_narrower_space_are_sent_less() -> None:
    narrow = job(**{**MIXTURE, "model": "nvidia/NVIDIA-Nemotron-3-Super-120B-A12B-FP8"})
    wide = replace(narrow, arch=replace(narrow.arch, expert_hidden=narrow.arch.hidden))
    assert token_time(narrow).dispatch_s * 4 == pytest.approx(token_time(wide).dispatch_s)


@pytest.mark.parametrize(("gpu", "shares"), [("rtx-4090", (0.4, 1.0)), ("rtx-6000-ada", (0.2, 0.5))])
def test_a_card_held_back_by_its_power_reaches_less_of_its_peak(gpu: str, shares: tuple[float, float]) -> None:
    """Both have one chip; GeForce multiplies at half the rate, which its power limit lets it keep up."""
    found = job(model="meta-llama/Llama-2-7b-hf", gpu=gpu, task="lora", sequence_tokens=2048, micro_batch_size=4)
    share = 6 * found.arch.active_params / token_time(found).total_s / found.peak
    assert shares[0] < share < shares[1]


@pytest.mark.parametrize("model", ["01-ai/Yi-34B", "meta-llama/Llama-2-70b-hf"])
def test_shared_quantised_weights_are_sent_as_they_are_kept(model: str) -> None:
    fields = {"model": model, "gpu": "rtx-4090", "gpu_count": 2, "sharding": "fsdp", "sequence_tokens": 2048}
    wide, narrow = (token_time(job(**fields, task=task)).link_s for task in ("lora", "qlora"))
    assert 3.3 < wide / narrow < 4.0


def test_a_5090_trains_adapters_a_third_faster_than_a_4090() -> None:
    """Their 16-bit rates are 1.27 apart, their bandwidths 1.78."""
    four, five = (rate(model="meta-llama/Meta-Llama-3-8B", gpu=gpu, task="lora", sequence_tokens=2048)
                  for gpu in ("rtx-4090", "rtx-5090"))  # fmt: skip
    assert 1.27 < five / four < 1.78


SHARDED = {"model": "meta-llama/Llama-2-13b-hf", "task": "full_finetune", "sharding": "fsdp", "micro_batch_size": 1}


def test_sharding_over_more_bridged_cards_than_a_pair_goes_over_pcie() -> None:
    def rates(count: int) -> tuple[float, float]:
        return tuple(rate(**SHARDED, gpu=f"a100-{form}-80gb", gpu_count=count) for form in ("pcie", "sxm"))

    bridged, soldered = rates(2)
    assert bridged == pytest.approx(soldered, rel=0.05)
    for count in (4, 8):
        bridged, soldered = rates(count)
        assert bridged < 0.8 * soldered
    assert rate(**SHARDED, gpu="rtx-3090-24gb", gpu_count=8) < rate(**SHARDED, gpu="rtx-3090-24gb", gpu_count=2)


def test_a_bridged_pair_still_splits_layers_over_its_link() -> None:
    pairs, all_of_them = (
        job(**SHARDED | {"sharding": "none"}, gpu="a100-pcie-80gb", gpu_count=8, tensor_parallel=ways)
        for ways in (2, 8)
    )
    assert pairs.bus(pairs.tensor) == job(gpu="a100-sxm-80gb", gpu_count=8).bus(8)
    assert all_of_them.bus(all_of_them.tensor) == job(gpu="rtx-4090-24gb", gpu_count=8).bus(8)


@pytest.mark.parametrize(("gpu", "count", "warned"), [("a100-pcie-80gb", 8, True), ("a100-pcie-80gb", 2, False),
                                                      ("a100-sxm-80gb", 8, False), ("l40s-48gb", 2, True)])  # fmt: skip
def test_sharding_over_pcie_is_said(gpu: str, count: int, warned: bool) -> None:
    found = estimate_training_time(TrainingTimeRequest.model_validate({**SHARDED, "gpu": gpu, "gpu_count": count}))
    assert any("over PCIe" in line for line in found.warnings) is warned

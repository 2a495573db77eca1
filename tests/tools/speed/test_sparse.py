"""One stream of very sparse mixtures: what their checkpoints keep wide, and what launching costs."""

import pytest

from tools.speed.architecture import architecture_of
from tools.speed.estimate import estimate_token_speed
from tools.speed.layout import best_pace
from tools.speed.pace import Pace
from tools.speed.request import InferenceSpeedRequest
from tools.speed.result import TokenSpeed
from tools.speed.work import work_of

NEXT = "Qwen/Qwen3-Next-80B-A3B-Instruct"
CARD = "rtx-pro-6000-bw-ws-96gb"


def request(**fields: object) -> InferenceSpeedRequest:
    return InferenceSpeedRequest.model_validate({"engine": "vllm", "gpu": CARD} | fields)


def found(**fields: object) -> Pace:
    asked = request(**fields)
    return best_pace(work_of(asked)[0], asked)


def speed(**fields: object) -> TokenSpeed:
    return estimate_token_speed(request(**fields))


@pytest.mark.parametrize("weight_format", ["awq", "gptq", "nvfp4"])
def test_hybrid_mixtures_in_four_bits_keep_their_mixers_wide(weight_format: str) -> None:
    form = work_of(request(model=NEXT, weight_format=weight_format))[0].format
    assert form.body_bits == 16
    assert form.expert_bits < 5


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"model": NEXT, "weight_format": "int4"}, id="autoround"),
        pytest.param({"model": NEXT, "weight_format": "fp8"}, id="fp8"),
        pytest.param({"model": "Qwen/Qwen3-30B-A3B", "weight_format": "awq"}, id="no-linear-attention"),
        pytest.param({"model": "Qwen/Qwen3.5-27B", "weight_format": "awq"}, id="dense"),
        pytest.param({"model": NEXT, "weight_format": "gguf:Q4_K_M", "engine": "llama.cpp"}, id="gguf"),
    ],
)
def test_other_checkpoints_are_narrow_throughout(fields: dict[str, str]) -> None:
    assert work_of(request(**fields))[0].format.body_bits < 9


def test_a_checkpoint_that_may_differ_widens_the_interval_and_says_so() -> None:
    unsure, sure = (speed(model=NEXT, weight_format=name) for name in ("awq", "int4"))
    wide, narrow = (one.tokens_per_s_per_user for one in (unsure, sure))
    assert wide.high / wide.low > narrow.high / narrow.low
    assert any("shared experts" in line for line in unsure.assumptions)
    assert not any("shared experts" in line for line in sure.assumptions)


def test_eighty_billion_of_which_three_are_active_answer_one_user_as_people_report() -> None:
    # 80 to 200 tokens a second by engine and release; Qwen3.6-35B-A3B in BF16, whose layers are as many, 170.
    told = speed(model=NEXT, weight_format="awq").tokens_per_s_per_user
    assert told.value < 215
    assert told.low < 170 < told.high


def test_experts_in_fp4_had_no_kernels_on_workstation_cards_once() -> None:
    fields = {"model": "Qwen/Qwen3.5-122B-A10B", "gpu_count": 2, "tensor_parallel": 2}
    then, today = (found(weight_format="nvfp4", engine_built=built, **fields) for built in ("2026-04", None))
    # rtx6kpro: 117 to 120 tokens a second without speculation.
    assert then.per_user == pytest.approx(118, rel=0.1)
    assert today.per_user > 1.2 * then.per_user
    alike = [found(weight_format="awq", engine_built=built, **fields).per_user for built in ("2026-04", None)]
    assert alike[0] == alike[1]


def test_linear_attention_in_llama_cpp_became_faster() -> None:
    fields = {"model": NEXT, "weight_format": "gguf:IQ4_XS", "engine": "llama.cpp", "gpu": "rtx-3090-24gb",
              "gpu_count": 2}  # fmt: skip
    then, today = (found(engine_built=built, **fields).per_user for built in ("2026-02", None))
    assert then == pytest.approx(104, rel=0.2)
    assert then < 0.8 * today


def test_a_mixture_known_by_its_counts_has_no_more_layers_than_its_width_needs() -> None:
    arch = architecture_of(request(params=127_000_000_000, active_params=5_200_000_000))
    assert 20 < arch.layers < 60
    assert arch.moe_layers == arch.layers
    dense = architecture_of(request(params=70_000_000_000))
    assert 60 < dense.layers < 100


FLASH = "deepseek-ai/DeepSeek-V4-Flash"


@pytest.mark.parametrize(
    ("gpu", "measured"),
    [  # other programs and releases of them; github.com/antirez/ds4, README and speed-bench
        pytest.param("apple-m3-max-64gb", 26.7, id="m3-max"), pytest.param("apple-m4-max-128gb", 26.8, id="m4-max"),
        pytest.param("apple-m2-ultra-192gb", 23.2, id="m2-ultra"),
        pytest.param("gb10-dgx-spark-128gb", 13.8, id="spark"),
    ],
)  # fmt: skip
def test_a_two_bit_file_of_a_mixture_is_read_as_wide_as_its_attention_is(gpu: str, measured: float) -> None:
    rate = speed(model=FLASH, gpu=gpu, weight_format="gguf:IQ2_XXS", engine="llama.cpp", output_tokens=128)

    assert rate.tokens_per_s_per_user is not None
    assert measured / 1.6 < rate.tokens_per_s_per_user.value < measured * 1.6


def test_files_of_mixtures_keep_what_every_token_reads_wider_than_their_experts() -> None:
    forms = {
        model: work_of(request(model=model, weight_format="gguf:Q2_K", engine="llama.cpp"))[0].format
        for model in (FLASH, "Qwen/Qwen3.6-35B-A3B", "Qwen/Qwen3-8B")
    }

    assert forms[FLASH].body_bits > forms["Qwen/Qwen3.6-35B-A3B"].body_bits > forms["Qwen/Qwen3-8B"].body_bits
    assert len({form.expert_bits for form in forms.values()}) == 1


@pytest.mark.parametrize(
    ("gpu", "model", "form", "measured"),
    [
        pytest.param("rx-6700-xt-12gb", "google/gemma-4-12B-it", "gguf:IQ4_NL", 653, id="rdna-2"),
        pytest.param("rx-7900-xtx-24gb", "Qwen/Qwen3-32B", "gguf:Q4_K_S", 745, id="rdna-3"),
        pytest.param("ryzen-ai-max-395-128gb", "Qwen/Qwen3-Coder-30B-A3B-Instruct", "gguf:Q4_K_M", 779, id="rdna-3.5"),
    ],
)
def test_prompts_on_rdna_are_read_about_as_fast_as_measured(gpu: str, model: str, form: str, measured: float) -> None:
    rate = speed(model=model, gpu=gpu, weight_format=form, engine="llama.cpp", input_tokens=512).prefill_tokens_per_s

    assert rate is not None
    assert measured / 1.6 < rate.value < measured * 1.8


def test_experts_on_rdna_take_longer_than_dense_products() -> None:
    fields = {"model": "Qwen/Qwen3-Coder-30B-A3B-Instruct", "weight_format": "gguf:Q4_K_M", "engine": "llama.cpp",
              "input_tokens": 512}  # fmt: skip
    dense = {**fields, "model": "Qwen/Qwen3-14B"}
    amd, nvidia = "radeon-ai-pro-r9700-32gb", "rtx-3090-24gb"
    ratios = [found(gpu=gpu, **fields).prompt_rate / found(gpu=gpu, **dense).prompt_rate for gpu in (amd, nvidia)]

    assert ratios[0] < ratios[1]

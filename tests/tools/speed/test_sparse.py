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

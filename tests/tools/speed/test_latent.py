"""One stream of large latent mixtures: in llama.cpp, in formats no kernel was made for, and over several machines."""

import pytest

from tools.speed.estimate import corrected_pace, estimate_token_speed
from tools.speed.layout import best_pace
from tools.speed.pace import Pace
from tools.speed.request import InferenceSpeedRequest
from tools.speed.result import Interval
from tools.speed.work import work_of

R1 = "deepseek-ai/DeepSeek-R1"


def request(**fields: object) -> InferenceSpeedRequest:
    return InferenceSpeedRequest.model_validate({"model": R1} | fields)


def pace(**fields: object) -> Pace:
    asked = request(**fields)
    return best_pace(work_of(asked)[0], asked)


def per_user(**fields: object) -> Interval:
    found = estimate_token_speed(request(**fields)).tokens_per_s_per_user
    assert found is not None
    return found


def test_every_head_of_a_latent_layer_adds_to_a_token_in_llama_cpp() -> None:
    """17.2 to 18.1 tokens a second in github.com/ikawrakow/ik_llama.cpp/issues/263."""
    found = per_user(gpu="rtx-3090-24gb", gpu_count=16, weight_format="gguf:Q3_K_M")
    assert found.low < 17.2 < 18.1 < found.high


@pytest.mark.parametrize("weight_format", ["gguf:IQ1_S", "gguf:IQ2_XXS"])
def test_the_lowest_formats_over_eight_cards_are_not_told_by_their_bytes(weight_format: str) -> None:
    found = per_user(gpu="rtx-3090-24gb", gpu_count=8, weight_format=weight_format)
    assert 10 < found.low < found.value < 25


@pytest.mark.parametrize(
    ("gpu", "count", "measured"), [("a100-sxm-80gb", 8, 46.8), ("l40s-48gb", 8, 46.3), ("h200-sxm-141gb", 4, 58.4)]
)
def test_latent_experts_widened_to_sixteen_bits_as_they_were_measured(gpu: str, count: int, measured: float) -> None:
    """Left out of the fit: huggingface.co/cognitivecomputations/DeepSeek-R1-AWQ, 2 + 2,000 tokens."""
    fields = {"gpu": gpu, "gpu_count": count, "weight_format": "awq", "engine": "vllm"}
    found = per_user(**fields, input_tokens=2, output_tokens=2000)
    assert found.low < measured < found.high


def test_one_stream_over_two_machines_spans_what_was_reported() -> None:
    """19 to 43 tokens a second on sixteen H100."""
    found = per_user(gpu="h100-sxm-80gb", gpu_count=16, weight_format="fp8", engine="sglang")
    assert found.low < 25 < found.value < 43
    assert found.high / found.low > 1.8


def test_one_stream_shares_layers_over_machines_where_heads_divide() -> None:
    assert pace(gpu="h100-sxm-80gb", gpu_count=16, weight_format="fp8").work.layout[:2] == (16, 1)
    uneven = pace(gpu="a800-sxm-80gb", gpu_count=24, weight_format="bf16")
    assert uneven.work.layout[:2] == (8, 3)
    assert uneven.step.link_s > 2 * 10e-3
    assert uneven.per_user < 30


def test_copies_that_do_not_fit_are_not_the_fastest() -> None:
    found = pace(gpu="a100-sxm-80gb", gpu_count=16, weight_format="bf16")
    assert found.room is None
    assert found.work.layout.replicas == 1


@pytest.mark.parametrize("gpu", ["rtx-2080-ti-22gb", "rtx-3090-24gb", "rx-7900-xtx-24gb", "v100-pcie-32gb"])
@pytest.mark.parametrize("weight_format", ["bf16", "gguf:Q8_0"])
def test_no_end_of_a_range_is_faster_than_reading_the_weights(gpu: str, weight_format: str) -> None:
    found = pace(model="meta-llama/Llama-3.1-8B-Instruct", gpu=gpu, weight_format=weight_format)
    assert corrected_pace(found).token.low >= min(found.least_s, corrected_pace(found).token.value)

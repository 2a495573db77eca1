"""Cards before Ampere and beside CUDA: what their prompts are multiplied with, and what their layers wait for."""

import pytest

from kb.catalog import gpus
from kb.constants.speed_constants import constants
from tools.speed.layout import best_pace
from tools.speed.pace import Pace
from tools.speed.prefill import product_flops
from tools.speed.request import InferenceSpeedRequest
from tools.speed.work import work_of


def pace(gpu: str, **fields: object) -> Pace:
    """The formulas alone, of Llama-3-8B in llama.cpp unless told otherwise."""
    usual: dict[str, object] = {
        "model": "meta-llama/Meta-Llama-3-8B", "weight_format": "gguf:Q4_0", "engine": "llama.cpp",
        "input_tokens": 512, "output_tokens": 256,
    }  # fmt: skip
    request = InferenceSpeedRequest.model_validate({**usual, **fields, "gpu": gpu})
    return best_pace(work_of(request)[0], request)


@pytest.mark.parametrize("gpu", ["p40-24gb", "gtx-1080-8gb", "mi50-32gb"])
def test_ordinary_cores_sum_four_integer_products_at_once(gpu: str) -> None:
    found, card = pace(gpu), gpus()[gpu]
    share = product_flops(found.work) / (4 * float(card.fp32_flops or 0))

    assert share in constants().compute.llama_cpp.dot_ratios.values()
    assert found.prompt_rate > 1.5 * pace(gpu, weight_format="fp16").prompt_rate
    assert found.prompt_rate < found.most_prompt_rate


def test_gp100_has_no_such_instruction_and_widens() -> None:
    work = pace("p100-pcie-16gb").work

    assert product_flops(work) == work.flops_16 * constants().compute.llama_cpp.widened_ratios["p100"]


@pytest.mark.parametrize(("tokens", "least"), [(64, 0.75), (512, 0.35)])
def test_volta_widens_the_weights_once_a_batch_however_few_the_tokens(tokens: int, least: float) -> None:
    found = pace("v100-pcie-32gb", weight_format="gguf:Q5_0", input_tokens=tokens)
    products = 2 * (found.work.arch.active_params - found.work.arch.head_params) * tokens / product_flops(found.work)

    assert 1 - products / found.prefill_s > least
    assert pace("v100-pcie-32gb", weight_format="fp16", input_tokens=tokens).prefill_s < found.prefill_s


def test_a_mixture_is_widened_whole_on_volta_and_not_on_ampere() -> None:
    mixture = {"model": "google/gemma-4-26B-A4B"}
    volta, ampere = pace("v100-sxm2-16gb", **mixture), pace("a100-sxm-40gb", **mixture)

    assert ampere.prompt_rate > 2 * volta.prompt_rate
    assert (
        1.3 * pace("v100-sxm2-16gb").prompt_rate > volta.prompt_rate
    )  # a third of the products, three times the weights


def test_layers_of_an_ascend_wait_longer_than_its_bandwidth_says() -> None:
    small = {"model": "Qwen/Qwen3-4B", "weight_format": "bf16", "engine": "vllm"}
    ascend, ampere = (pace(gpu, **small) for gpu in ("ascend-910b3-64gb", "a100-sxm-40gb"))

    assert ascend.work.bandwidth >= ampere.work.bandwidth
    assert ascend.step.floor_s > 3 * ampere.step.floor_s


@pytest.mark.parametrize("gpu", ["v100-sxm2-32gb", "t4-16gb"])
def test_serving_engines_read_prompts_at_less_of_the_peak_below_ampere(gpu: str) -> None:
    served = {"model": "Qwen/Qwen3-4B", "weight_format": "fp16", "engine": "vllm", "input_tokens": 4096}
    found, ampere = pace(gpu, **served), pace("a10-24gb", **served)

    assert found.prompt_rate / found.work.flops < 0.7 * ampere.prompt_rate / ampere.work.flops

"""Cards whose lanes unpack weights more slowly than their memory brings them, and kernels that are launched slowly.

Rows of sources that no constant was fitted to.
"""

import pytest

from kb.catalog import gpus
from kb.constants.speed_constants import constants, speed_sources
from tools.speed.estimate import token_pace
from tools.speed.request import InferenceSpeedRequest
from tools.speed.unpacking import unpack_ops
from tools.speed.work import work_of
from tools.ways_to_run.weigh.ceiling import reached

LEFT_OUT = (
    pytest.param("rx-580-8gb", 1, "meta-llama/Llama-3.2-3B-Instruct", "gguf:Q4_K_M", 36.2, id="ai-benchmarks-20"),
    pytest.param("p100-pcie-16gb", 1, "Qwen/Qwen3.5-9B", "gguf:Q4_K_M", 32.0, id="khmel-p100"),
    pytest.param("gtx-1080-8gb", 1, "Qwen/Qwen3.5-4B", "gguf:Q4_K_M", 48.0, id="khmel-1080"),
    pytest.param("rx-570-4gb", 1, "google/gemma-3-1b-it", "gguf:IQ1_S", 53.55, id="ollama-2453"),
    pytest.param("gtx-1060-3gb", 4, "meta-llama/Llama-2-13b-hf", "gguf:Q4_1", 7.5, id="llama-425"),
    pytest.param(
        "quadro-p6000-24gb", 8, "mistralai/Mistral-7B-Instruct-v0.2", "gguf:Q5_K_M", 40.0, id="llama.cpp-5619"
    ),
    pytest.param("arc-b580-12gb", 1, "google/gemma-3-12b-it", "gguf:Q4_K_M", 35.0, id="ollama-13153"),
    pytest.param("arc-pro-b70-32gb", 1, "Qwen/Qwen3.6-27B", "gguf:Q6_K", 21.2, id="llama.cpp-24408"),
    pytest.param("jetson-agx-orin-64gb", 1, "google/gemma-4-12B-it", "gguf:Q4_0", 14.4, id="jetson-ai-lab-411"),
)


def rate(gpu: str, **fields: object) -> float:
    usual: dict[str, object] = {"engine": "llama.cpp", "input_tokens": 0, "output_tokens": 128}
    request = InferenceSpeedRequest.model_validate({**usual, **fields, "gpu": gpu})
    return token_pace(work_of(request)[0], request).per_user.value


@pytest.mark.parametrize(("gpu", "count", "model", "form", "measured"), LEFT_OUT)
def test_sources_that_nothing_was_fitted_to_are_met_within_two_fifths(
    gpu: str, count: int, model: str, form: str, measured: float
) -> None:
    found = rate(gpu, gpu_count=count, model=model, weight_format=form)
    assert measured / 1.4 < found < measured * 1.4


def test_more_lanes_over_the_same_memory_are_faster_where_unpacking_binds() -> None:
    slow, fast = (
        rate(f"jetson-orin-nx-{size}gb", model="Qwen/Qwen3-4B", weight_format="gguf:Q4_K_M") for size in (8, 16)
    )
    assert gpus()["jetson-orin-nx-8gb"].bandwidth_bytes_per_s == gpus()["jetson-orin-nx-16gb"].bandwidth_bytes_per_s
    assert fast > 1.1 * slow


def test_weights_that_are_not_quantised_are_not_unpacked() -> None:
    card = gpus()["p40-24gb"]
    wide = rate("p40-24gb", model="Qwen/Qwen3-8B", weight_format="gguf:F16")
    assert card.bandwidth_bytes_per_s is not None
    assert wide > 0.6 * card.bandwidth_bytes_per_s / (2 * 8.2e9)


@pytest.mark.parametrize("gpu", ["jetson-orin-nx-16gb", "rx-580-8gb"])
def test_a_lower_clock_than_the_stated_one_is_told_as_the_low_end(gpu: str) -> None:
    found = reached(gpus()[gpu], "llama.cpp")
    assert found is not None
    assert found.decode < 0.9


def test_every_kind_of_card_with_slow_lanes_states_its_rate() -> None:
    for start in constants().decode.unpack_ops:
        held = [one for one in gpus().values() if one.id.startswith(start) or one.architecture.startswith(start)]
        assert held
        assert all(one.fp32_flops for one in held), start


def test_what_the_constants_were_fitted_to_has_a_source() -> None:
    assert {
        "holohub-170",
        "minicpm-331",
        "ai-benchmarks-3",
        "llmfit-1050ti",
        "llamacpp-pr14001",
    } <= speed_sources().keys()


def test_intervals_are_wider_where_an_architecture_was_hardly_measured() -> None:
    def width(gpu: str) -> float:
        asked = InferenceSpeedRequest(
            model="Qwen/Qwen3-8B", gpu=gpu, weight_format="gguf:Q4_K_M", engine="llama.cpp", output_tokens=128
        )
        rate = token_pace(work_of(asked)[0], asked).per_user
        return rate.high / rate.low

    assert width("rx-580-8gb") > width("rx-7900-xtx-24gb") > width("rtx-4090-24gb")


@pytest.mark.parametrize(
    ("gpu", "model", "form", "measured"),
    [
        # github.com/sudoingX/qwen38-mtp; nothing was fitted to it
        pytest.param("rtx-3080-10gb", "Qwen/Qwen3.6-27B", "gguf:IQ2_XXS", 45.1, id="qwen38-mtp"),
        # github.com/ggml-org/llama.cpp/pull/8215, by which the operations were set
        pytest.param("rtx-3090-24gb", "meta-llama/Meta-Llama-3-8B", "gguf:IQ3_XXS", 143.0, id="llama.cpp-8215"),
    ],
)
def test_weights_in_tables_wait_for_the_lanes_of_todays_cards_too(
    gpu: str, model: str, form: str, measured: float
) -> None:
    assert rate(gpu, model=model, weight_format=form) == pytest.approx(measured, rel=0.25)


def test_tables_cost_nothing_in_other_files() -> None:
    plain = InferenceSpeedRequest.model_validate(
        {"model": "Qwen/Qwen3-8B", "gpu": "rtx-3090-24gb", "engine": "llama.cpp", "weight_format": "gguf:Q4_K_M"}
    )
    tabled = plain.model_copy(update={"weight_format": "gguf:IQ3_XXS"})
    assert [unpack_ops(work_of(one)[0]) > 0 for one in (plain, tabled)] == [False, True]

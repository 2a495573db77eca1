"""Cards without BF16 units hold in FP16 what is published in BF16, and every tool says so."""

import pytest

from kb.catalog import gpu
from tools.configure import configure
from tools.configure.request import ConfigureRequest
from tools.launch.make import make_launch_files
from tools.launch.request import LaunchRequest
from tools.memory.estimate import estimate_memory
from tools.memory.request import MemoryRequest
from tools.need import GpuCount
from tools.speed.estimate import estimate_token_speed
from tools.speed.item_estimate import estimate_item_speed
from tools.speed.request import InferenceSpeedRequest
from tools.what_fits import what_fits
from tools.what_fits_request import WhatFitsRequest

WITHOUT = ["v100-sxm2-32gb", "t4-16gb", "rtx-2080-ti-11gb", "p40-24gb", "gtx-1080-ti-11gb", "ascend-310p3-24gb"]
WITH = ["rtx-3090-24gb", "a100-sxm-80gb", "rtx-6000d-84gb", "mi300x-192gb", "apple-m2-ultra-192gb"]


@pytest.mark.parametrize("card", WITHOUT)
def test_cards_without_bf16_compute_in_fp16(card: str) -> None:
    assert gpu(card).half == "fp16"


@pytest.mark.parametrize("card", WITH)
def test_cards_not_known_to_lack_bf16_keep_it(card: str) -> None:
    assert gpu(card).half == "bf16"


@pytest.mark.parametrize("asked", [None, "bf16"])
def test_memory_is_told_in_the_format_the_card_holds(asked: str | None) -> None:
    old, new = (
        estimate_memory(MemoryRequest(model="Qwen/Qwen2.5-7B", task="inference", gpu=card, weight_format=asked))
        for card in ("v100-sxm2-32gb", "rtx-3090-24gb")
    )
    assert (old.weight_format, new.weight_format) == ("fp16", "bf16")
    assert old.per_gpu.total_bytes == new.per_gpu.total_bytes


def test_quantised_weights_keep_their_format() -> None:
    found = estimate_memory(
        MemoryRequest(model="Qwen/Qwen2.5-7B", task="inference", gpu="t4-16gb", weight_format="int8")
    )
    assert found.weight_format == "int8"


@pytest.mark.parametrize("asked", [None, "bf16", "fp16"])
def test_speed_is_one_however_the_half_is_called(asked: str | None) -> None:
    found = estimate_token_speed(
        InferenceSpeedRequest(model="meta-llama/Llama-3.1-8B", gpu="v100-sxm2-32gb", weight_format=asked)
    )
    plain = estimate_token_speed(InferenceSpeedRequest(model="meta-llama/Llama-3.1-8B", gpu="v100-sxm2-32gb"))
    assert found.weight_format == "fp16"
    assert found.tokens_per_s_per_user == plain.tokens_per_s_per_user


def test_speed_of_items_is_told_so_too() -> None:
    asked = InferenceSpeedRequest(
        model="stabilityai/stable-diffusion-xl-base-1.0", gpu="rtx-2080-ti-11gb", weight_format="bf16"
    )
    assert estimate_item_speed(asked).weight_format == "fp16"


def test_configurations_and_what_they_miss_say_fp16() -> None:
    found = configure(
        ConfigureRequest(
            model="meta-llama/Llama-3.1-8B", task="inference", weight_format="bf16",
            gpus_proposed=(GpuCount(gpu="v100-sxm2-32gb", count=1), GpuCount(gpu="t4-16gb", count=1)),
        )
    )  # fmt: skip
    told = {one.weight_format for one in found.configurations if one.gpu in {"v100-sxm2-32gb", "t4-16gb"}}
    assert told == {"fp16"}
    missed = [one for miss in found.rejected for one in miss.reasons if miss.gpu in {"v100-sxm2-32gb", "t4-16gb"}]
    assert all(one.values.get("format") in {None, "fp16"} for one in missed)


def test_what_fits_and_launch_files_say_fp16() -> None:
    fits = what_fits(WhatFitsRequest(gpus=(GpuCount(gpu="titan-rtx-24gb", count=1),), purpose="coding"))
    assert "bf16" not in {one.weight_format for one in (*fits.rows, *fits.candidates)}
    files = make_launch_files(LaunchRequest(model="Qwen/Qwen2.5-7B", gpu="v100-sxm2-32gb", gpu_count=1))
    assert files.weight_format == "fp16"

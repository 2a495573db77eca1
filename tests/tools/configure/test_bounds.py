"""What is ruled out without an estimate would not have been found: bounds of memory and of speed against estimates."""

import math
from collections.abc import Iterator
from typing import NamedTuple

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kb.base import AdvisorError
from kb.catalog import gpus
from tools.configure.load.cut import Cuts
from tools.configure.load.fitting import Held
from tools.configure.load.layout import COUNTS, Layout, layouts
from tools.configure.load.workload import workload
from tools.configure.pace.bound import bound_of_serving, bound_of_training
from tools.configure.pace.judged import Pace
from tools.configure.request import ConfigureRequest
from tools.memory import estimate_memory
from tools.memory.request import MemoryRequest

MODELS = (
    "Llama-3.1-8B", "Qwen2.5-72B", "Mixtral-8x7B-v0.1", "DeepSeek-V3", "Qwen3-30B-A3B", "gemma-2-27b", "gpt-oss-120b",
    "Falcon-7B", "Phi-4", "Kimi-K2-Instruct",
)  # fmt: skip
OTHERS = (
    ("speech", "openai/whisper-large-v3"), ("diffusion", "black-forest-labs/FLUX.1-dev"), ("embedding", "BAAI/bge-m3"),
    ("vision", "ultralytics/yolov8x"), ("diffusion", "tencent/HunyuanVideo"),
)  # fmt: skip
CARDS = (
    "rtx-3090-24gb", "rtx-4090-24gb", "rtx-5090-32gb", "l4-24gb", "l40s-48gb", "a100-sxm-80gb", "h100-sxm-80gb",
    "h100-nvl-94gb", "h20-96gb", "h200-sxm-141gb", "b200-sxm-180gb", "mi300x-192gb", "rtx-pro-6000-bw-ws-96gb",
)  # fmt: skip
FEW = tuple(count for count in COUNTS if count <= 96)

served = st.fixed_dictionaries(
    {
        "task": st.just("inference"),
        "model": st.sampled_from(MODELS),
        "concurrent_sequences": st.sampled_from((1, 2, 7, 16, 64, 300)),
        "context_tokens": st.sampled_from((None, 512, 4096, 32768)),
        "engine": st.sampled_from((None, "sglang", "tensorrt-llm", "llama.cpp")),
        "weight_format": st.sampled_from((None, "fp8", "awq")),
    }
)
trained = st.fixed_dictionaries(
    {
        "task": st.sampled_from(("full_finetune", "lora", "qlora", "pretrain")),
        "model": st.sampled_from(MODELS),
        "sequence_tokens": st.sampled_from((None, 1024, 8192, 65536)),
    }
)


def stated(fields: dict[str, object]) -> dict[str, object]:
    return {name: value for name, value in fields.items() if value is not None}


@settings(deadline=None)
@given(served | trained, st.sampled_from(FEW))
def test_no_estimate_of_memory_is_below_its_bound_and_each_is_what_the_calculator_says(
    fields: dict[str, object], count: int
) -> None:
    request = MemoryRequest.model_validate(stated(fields))
    cuts, compared = Cuts(request), 0
    for layout in layouts(request, count):
        try:
            cut = cuts.cut(layout, large=False)
        except AdvisorError:
            continue
        assert cuts.least(layout) <= cut.total_bytes
        assert cuts.floor.least(count, layout.group) <= cut.total_bytes
        if compared < 3:
            per_gpu = estimate_memory(layout.of(request)).per_gpu
            assert abs(per_gpu.total_bytes - cut.total_bytes) <= 64
            compared += 1


class Rated(NamedTuple):
    """Figures of a layout, each with its bound."""

    rate: float
    most: float
    user: float
    most_of_user: float
    first_s: float
    least_first_s: float


def rates(need: ConfigureRequest, card: str, count: int) -> Iterator[Rated]:
    """Those of every layout that can be estimated."""
    load = workload(need)
    pace, gpu, variant = Pace(need, load), gpus()[card], load.variants[0]
    cuts = Cuts(variant.request)
    for layout in layouts(variant.request, count):
        try:
            held = Held(variant, layout, cuts.cut(layout, large=False))
        except AdvisorError:
            continue
        speed = pace.speed(gpu, held)
        if speed is not None:
            bound = pace._bound(gpu, layout, held.weight_format)
            user, first = (speed.get(name) for name in ("tokens_per_s_per_user", "time_to_first_token_s"))
            yield Rated(
                pace._rate(gpu, held, speed), bound.most(layout), float(user or 0), bound.most_per_user(layout),
                math.inf if first is None else float(first), bound.least_first_s(layout),
            )  # fmt: skip


@settings(deadline=None)
@given(served | trained, st.sampled_from(CARDS), st.sampled_from(FEW))
@example(
    {"task": "inference", "model": "Llama-3.1-8B", "concurrent_sequences": 2, "context_tokens": 512}, "l4-24gb", 1
)  # one that is alone reads the weights itself, two do not
def test_no_estimate_of_speed_is_above_its_bound(fields: dict[str, object], card: str, count: int) -> None:
    for one in rates(ConfigureRequest.model_validate(stated(fields)), card, count):
        assert one.rate <= one.most
        assert one.user <= one.most_of_user
        assert one.first_s >= one.least_first_s


@pytest.mark.parametrize(("task", "model"), OTHERS)
@pytest.mark.parametrize("count", [1, 2, 8, 40])
@pytest.mark.parametrize("sequences", [None, 16])
def test_the_same_holds_for_work_without_tokens(task: str, model: str, count: int, sequences: int | None) -> None:
    fields = stated({"task": task, "model": model, "concurrent_sequences": sequences})
    found = [pair for card in CARDS for pair in rates(ConfigureRequest.model_validate(fields), card, count)]
    assert found
    assert all(one.rate <= one.most and one.first_s >= one.least_first_s for one in found)


def test_bounds_rule_something_out() -> None:
    """A bound of infinity would pass the tests above."""
    need = ConfigureRequest(task="inference", model="Llama-3.1-8B", concurrent_sequences=16)
    found = list(rates(need, "h100-sxm-80gb", 8))
    assert max(one.rate / one.most for one in found) > 0.5
    assert max(one.least_first_s / one.first_s for one in found) > 0.5
    need = ConfigureRequest(task="full_finetune", model="Llama-3.1-8B")
    assert max(one.rate / one.most for one in rates(need, "h100-sxm-80gb", 8)) > 0.5


def test_a_first_token_sooner_than_any_card_gives_it_costs_few_estimates() -> None:
    need = ConfigureRequest(task="inference", params=7e9, concurrent_sequences=143, target_latency_s=1e-3)
    pace = Pace(need, workload(need))
    spread = layouts(pace._load.variants[0].request, 8)[0]
    assert pace.demanding
    assert not pace.hopeful(gpus()["h100-sxm-80gb"], spread, "bf16")


def test_a_card_without_rates_has_no_bound_but_a_refusal() -> None:
    with pytest.raises(AdvisorError):
        bound_of_serving((("model", "Llama-3.1-8B"), ("gpu", "no such card"), ("gpu_count", 1),
                          ("tensor_parallel", 1), ("pipeline_parallel", 1)), 1)  # fmt: skip
    with pytest.raises(AdvisorError):
        bound_of_training((("model", "Llama-3.1-8B"), ("gpu", "no such card"), ("gpu_count", 1)))


def test_a_layout_is_told_apart_by_more_than_its_size() -> None:
    request = MemoryRequest(model="Qwen2.5-72B", concurrent_sequences=16)
    cuts = Cuts(request)
    whole, split = cuts.cut(Layout(8, 8), large=False), cuts.cut(Layout(8, 4, 1, 2), large=False)
    assert whole.total_bytes < split.total_bytes

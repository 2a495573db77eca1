"""Mixtures served with attention on every card and the experts shared, within a node and over several."""

import pytest

from tools.configure import configure
from tools.configure.load.fitting import arrangeable
from tools.configure.load.layout import Layout, layouts
from tools.configure.request import ConfigureRequest
from tools.memory.request import MemoryRequest


def shared(model: str, sequences: int, count: int, engine: str | None = None) -> list[int]:
    request = MemoryRequest.model_validate(
        {"model": model, "concurrent_sequences": sequences, **({"engine": engine} if engine else {})}
    )
    return [one.expert_parallel for one in layouts(request, count) if one.expert_parallel > 1]


@pytest.mark.parametrize(
    ("model", "sequences", "count", "engine", "expected"),
    [
        pytest.param("DeepSeek-V3", 256, 16, None, [8, 16], id="two-nodes"),
        pytest.param("Kimi-K2-Instruct", 512, 64, "sglang", [8, 16, 32, 64], id="384-experts"),
        pytest.param("Mixtral-8x7B-v0.1", 64, 16, None, [8], id="eight-experts"),
        pytest.param("DeepSeek-V3", 8, 16, None, [], id="fewer-requests-than-cards"),
        pytest.param("DeepSeek-V3", 256, 16, "llama.cpp", [], id="llama.cpp-cannot"),
        pytest.param("Llama-3.1-405B", 256, 16, None, [], id="dense"),
    ],
)
def test_experts_are_shared_where_there_are_experts_and_requests_enough(
    model: str, sequences: int, count: int, engine: str | None, expected: list[int]
) -> None:
    assert shared(model, sequences, count, engine) == expected


@pytest.mark.parametrize(
    ("ways", "machine", "linked", "expected"),
    [
        pytest.param(8, 8, True, True, id="inside"),
        pytest.param(16, 8, True, True, id="over-two-nodes"),
        pytest.param(16, 8, False, False, id="not-over-two-of-PCIe"),
        pytest.param(8, 8, False, False, id="not-over-PCIe"),
        pytest.param(16, 12, True, False, id="not-over-parts-of-machines"),
    ],
)
def test_tokens_travel_only_between_linked_cards(ways: int, machine: int, linked: bool, expected: bool) -> None:
    layout = Layout(16, data_parallel=16, expert_parallel=ways) if ways == 16 or machine == 8 else Layout(ways)
    assert arrangeable(layout, machine, linked=linked, training=False) is expected


def test_a_mixture_under_many_requests_is_spread_over_nodes() -> None:
    found = configure(
        ConfigureRequest(
            task="inference", model="DeepSeek-V3", concurrent_sequences=2048, gpus_asked=("h200-sxm-141gb",)
        )
    )
    first = found.configurations[0]
    assert first.nodes > 1
    assert first.expert_parallel > 8
    assert first.data_parallel == first.gpu_count


def test_a_dense_model_too_large_for_a_node_takes_its_stages_over_several() -> None:
    found = configure(
        ConfigureRequest(
            task="inference", model="Llama-3.1-405B", weight_format="bf16", concurrent_sequences=16,
            gpus_asked=("h100-sxm-80gb",),
        )
    )  # fmt: skip
    first = found.configurations[0]
    assert first.nodes > 1
    assert first.pipeline_parallel > 1
    assert first.tensor_parallel <= 8


def test_a_large_mixture_is_fine_tuned_on_a_cluster() -> None:
    found = configure(ConfigureRequest(task="full_finetune", model="DeepSeek-V3"))
    assert found.configurations
    assert any(item.nodes > 1 and item.expert_parallel > 1 for item in found.configurations)

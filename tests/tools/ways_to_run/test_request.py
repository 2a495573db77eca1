"""Names and quantities as people write them; what cannot be is refused by name."""

from itertools import pairwise
from typing import Any

import pytest

from kb.base import AdvisorError, AmbiguousName, BadInput, UnknownName
from kb.catalog import gpus
from kb.records.gpu import Gpu
from kb.units import GIB
from tools.registry import tool
from tools.ways_to_run.request import WaysToRunRequest
from tools.ways_to_run.result import WaysToRun
from tools.ways_to_run.space.machine import machine_of


def find(**fields: Any) -> WaysToRun:
    """The tool, by its name."""
    found = tool("find_ways_to_run").call(fields)
    assert isinstance(found, WaysToRun)
    return found


def test_words_and_typed_values_are_the_same_problem() -> None:
    said = find(model="Qwen3-32B AWQ", cards="2x 3090", host_memory="128GB", context_tokens="32k", kv_format="fp8")
    typed = find(
        model="Qwen/Qwen3-32B", weight_format="awq", cards=[{"gpu": "rtx-3090-24gb", "count": 2}],
        host_memory_bytes=128 * GIB, context_tokens=32768, kv_format="fp8",
    )  # fmt: skip

    assert said.ways == typed.ways


def test_cards_of_a_year_ago_are_not_so_many_of_another() -> None:
    request = WaysToRunRequest.model_validate({"model": "Qwen3-8B", "cards": ["7900 XTX"]})

    assert [(card.gpu, card.count) for card in request.cards] == [("rx-7900-xtx-24gb", 1)]


def test_memory_that_others_hold_is_taken_off_card_by_card() -> None:
    request = WaysToRunRequest.model_validate(
        {"model": "Qwen3-8B", "cards": "2x 3090", "memory_taken_bytes": [0, 8 * GIB]}
    )
    first, second = machine_of(request).cards

    assert first.usable - second.usable == 8 * GIB


def test_a_modified_card_has_its_own_memory() -> None:
    request = WaysToRunRequest.model_validate(
        {"model": "Qwen3-8B", "cards": [{"gpu": "4090", "memory_bytes": 48 * GIB}]}
    )

    assert machine_of(request).cards[0].usable > 46 * GIB


@pytest.mark.parametrize(
    ("fields", "needed_gib"),
    [
        pytest.param({"model": "DeepSeek-R1 FP8", "cards": "M3 Ultra 512GB"}, 630, id="the-published-one-by-its-name"),
        pytest.param({"model": "DeepSeek-R1", "weight_format": "fp8", "cards": "M3 Ultra 512GB"}, 630, id="as-a-field"),
        pytest.param({"model": "Qwen3-32B BF16", "cards": "2x 3090"}, 63, id="sixteen-bits-by-its-name"),
    ],
)
def test_a_format_that_does_not_fit_is_not_quietly_another(fields: dict[str, Any], needed_gib: float) -> None:
    found = find(**fields)
    short = [one for one in found.binds if one.what == "weights_memory" and one.needed is not None]

    assert found.answer.verdict == "fits_with_changes"
    assert found.answer.changed == ("weight_format",)
    assert not any(way.as_asked for way in found.ways)
    assert any(abs(float(one.needed or 0) / GIB - needed_gib) < 0.02 * needed_gib for one in short)
    assert any(one.kind == "memory" for one in found.rejected)


def test_a_format_that_no_engine_reads_there_is_said_to_be_so() -> None:
    found = find(model="Qwen3-8B FP8", cards="M3 Ultra 512GB")

    assert found.answer.changed == ("weight_format",)
    assert [one.what for one in found.binds] == ["format_published"]


def test_the_format_of_a_name_that_the_model_is_published_in_is_kept() -> None:
    ways = find(model="gpt-oss-120b MXFP4", cards="4x 3090").ways

    assert {way.weight_format for way in ways} == {"mxfp4", "gguf:MXFP4"}


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"engine": "vllm", "parallel": {"tp": 4}}, id="sums-over-cards"),
        pytest.param({"engine": "vllm", "parallel": {"tp": 2, "pp": 2}}, id="stages"),
        pytest.param({"engine": "llama.cpp"}, id="layers-dealt-out"),
    ],
)
def test_lanes_and_generation_of_the_slots_reach_prompt_and_answer(fields: dict[str, Any]) -> None:
    speeds = []
    for link in ("PCIe 3.0 x4", "PCIe 4.0 x4", "PCIe 4.0 x8", "PCIe 4.0 x16"):
        found = find(model="Qwen3-32B", cards="4x 3090", link=link, input_tokens=4000,
                     output_tokens=400, **fields)  # fmt: skip
        speed = found.ways[0].speed
        assert any(link in line for line in found.assumptions)
        assert speed is not None
        assert speed.first_token_s is not None
        speeds.append((found.ways[0].title, speed.tokens_per_s_per_user.value, speed.first_token_s.value))

    for slow, fast in pairwise(speeds):
        assert slow[0] == fast[0]
        assert slow[1] < fast[1]
        assert slow[2] > fast[2]


def test_a_slot_is_never_faster_than_the_card_has_it() -> None:
    narrow = find(model="Qwen3-8B", cards="2x 4060 Ti 16GB", engine="vllm", link="PCIe 5.0 x16")

    assert any("PCIe 4.0 x8" in line for line in narrow.assumptions)


def test_a_link_between_machines_is_said_to_be_left_out() -> None:
    found = find(model="Qwen3-8B", cards="2x 4090", link="100GbE")

    assert any("100g is not part of the speed" in line for line in found.assumptions)


BOARDS = tuple(one for one in gpus().values() if one.devices > 1)


@pytest.mark.parametrize("board", BOARDS, ids=[one.id for one in BOARDS])
def test_a_board_of_several_devices_is_unfolded_and_said_to_be(board: Gpu) -> None:
    request = WaysToRunRequest.model_validate({"model": "Qwen3-4B", "cards": [{"gpu": board.id, "count": 2}]})
    machine = machine_of(request)

    assert len(machine.cards) == 2 * board.devices
    assert sum(card.gpu.memory_bytes for card in machine.cards) == 2 * board.memory_bytes
    if board.bandwidth_bytes_per_s:
        assert {card.gpu.bandwidth_bytes_per_s for card in machine.cards} == {
            board.bandwidth_bytes_per_s // board.devices
        }
    assert any(f"{board.devices} devices" in line for line in machine.said)


def test_a_device_of_a_board_is_as_fast_as_its_part() -> None:
    whole = find(model="Qwen3-8B", cards="Atlas 300I Duo 96GB", engine="vllm", weight_format="bf16")
    speeds = {
        way.layout.tp: way.speed.tokens_per_s_per_user.value for way in whole.ways if way.speed is not None
    }  # fmt: skip

    assert speeds[2] < 408e9 / (2 * 8.19e9)  # all weights in 16 bits at the bandwidth of both


def test_channels_of_host_memory_set_its_bandwidth() -> None:
    few, many = (
        machine_of(WaysToRunRequest.model_validate({"model": "Qwen3-8B", "host_memory_bytes": 512 * GIB} | channels))
        for channels in ({"memory_channels": 2}, {"memory_channels": 12})
    )

    assert few.host.bandwidth < many.host.bandwidth


@pytest.mark.parametrize(
    ("fields", "error", "field"),
    [
        ({"model": "Qwen3-8B", "cards": "4090", "link": "nvlink"}, BadInput, "link"),
        ({"model": "Qwen3-8B", "cards": "4090", "memory_taken_bytes": 40 * GIB}, BadInput, "memory_taken_bytes"),
        ({"model": "Qwen3-8B", "cards": "2x 4090", "memory_taken_bytes": [1]}, BadInput, "memory_taken_bytes"),
        ({"model": "Qwen3-8B", "cards": "4090", "context_tokens": 0}, BadInput, "context_tokens"),
        (
            {"model": "Qwen3-8B", "cards": "4090", "context_tokens": 100, "input_tokens": 200},
            BadInput,
            "context_tokens",
        ),
        ({"model": "Qwen3-8B", "cards": "4090", "shared_prefix_tokens": 9000}, BadInput, "shared_prefix_tokens"),
        ({"model": "Qwen3-8B", "cards": "4090", "weight_format": "nonsense"}, BadInput, "weight_format"),
        ({"model": "Qwen3-8B"}, BadInput, "cards"),
        ({"model": "FLUX.1-dev", "cards": "4090"}, BadInput, "model"),
        ({}, BadInput, "model"),
        ({"model": "Qwen3-8B", "cards": "4090", "works": [{"model": "Qwen3-4B"}]}, BadInput, "model"),
        ({"model": "Qwen3-8B", "cards": "GTX 9999"}, UnknownName, None),
        ({"model": "no-such-model-at-all", "cards": "4090"}, UnknownName, None),
        ({"model": "qwen3", "cards": "4090"}, AmbiguousName, None),
    ],
    ids=str,
)
def test_what_cannot_be_is_refused_by_name(
    fields: dict[str, Any], error: type[AdvisorError], field: str | None
) -> None:
    with pytest.raises(error) as refused:
        find(**fields)

    assert field is None or getattr(refused.value, "field", None) == field


def test_a_model_outside_the_catalog_is_found_ways_by_its_shape() -> None:
    found = find(params=30_000_000_000, layers=48, hidden_size=6144, heads=48, kv_heads=8, cards="2x 4090")

    assert found.answer.verdict == "fits"
    assert found.answer.model is None

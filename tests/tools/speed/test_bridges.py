"""Cards joined by a bridge talk over it as far as it reaches, and over PCIe beyond."""

import pytest

from tools.named import read_card
from tools.speed.allreduce import all_reduce_s, bus_bytes_per_s, link_name
from tools.speed.layout import best_pace
from tools.speed.pace import Pace
from tools.speed.request import InferenceSpeedRequest
from tools.speed.work import work_of


def found(**fields: object) -> Pace:
    request = InferenceSpeedRequest.model_validate(fields)
    return best_pace(work_of(request)[0], request)


@pytest.mark.parametrize(
    ("gpu", "reach"), [("a100-pcie-80gb", 2), ("a30-24gb", 2), ("h100-nvl-94gb", 2), ("h200-nvl-141gb", 4)]
)
def test_a_bridge_carries_no_more_cards_than_it_joins(gpu: str, reach: int) -> None:
    card = read_card(gpu)[0]
    assert bus_bytes_per_s(card, reach) > 3 * bus_bytes_per_s(card, reach + 1)
    assert link_name(card, reach + 1).startswith("pcie")
    assert all_reduce_s(card, reach, 1e8) < all_reduce_s(card, reach + 1, 1e8)


@pytest.mark.parametrize("cards", [4, 8])
def test_more_bridged_cards_than_a_pair_are_slower_than_soldered_ones(cards: int) -> None:
    fields = {"model": "Qwen/Qwen2.5-72B-Instruct", "weight_format": "int4", "concurrent_sequences": 64}
    paces = {
        (gpu, count): found(gpu=gpu, gpu_count=count, tensor_parallel=count, **fields).total
        for gpu in ("a100-pcie-80gb", "a100-sxm-80gb")
        for count in (2, cards)
    }
    assert paces["a100-pcie-80gb", cards] < 0.7 * paces["a100-sxm-80gb", cards]
    assert paces["a100-pcie-80gb", 2] > 0.95 * paces["a100-sxm-80gb", 2]


def test_bridged_pairs_take_turns_where_the_layout_is_open() -> None:
    fields = {"model": "Qwen/Qwen2.5-72B-Instruct", "weight_format": "int4", "gpu_count": 8}
    layout = found(gpu="a100-pcie-80gb", concurrent_sequences=64, **fields).work.layout
    assert (layout.tensor, layout.pipeline) == (2, 4)
    assert found(gpu="a100-sxm-80gb", concurrent_sequences=64, **fields).work.layout.tensor == 8

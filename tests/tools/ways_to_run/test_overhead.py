"""What vLLM holds beside weights and cache, against what its own profile said on such cards."""

import pytest

from kb.units import GIB
from tools.memory import estimate_memory
from tools.memory.request import MemoryRequest
from tools.ways_to_run import find_ways_to_run
from tools.ways_to_run.request import WaysToRunRequest
from tools.ways_to_run.result import Way

THIRTY_TWO = {"model": "Qwen3-32B", "weight_format": "awq", "engine": "vllm", "context_tokens": 32_768,
              "concurrent_sequences": 3}  # fmt: skip


def way(cards: str, **fields: object) -> Way:
    return find_ways_to_run(WaysToRunRequest.model_validate({**THIRTY_TWO, "cards": cards, **fields})).ways[0]


def test_boards_over_pcie_hold_about_as_much_beside_as_was_seen() -> None:
    """Some 2.5 GiB a card: Qwen3-32B in AWQ on two RTX 4090."""
    assert way("2x RTX 4090").memory.rest_bytes_per_gpu == pytest.approx(2.5 * GIB, rel=0.1)


def test_cards_on_nvlink_map_one_anothers_buffers() -> None:
    boards, joined = way("2x L40S", parallel={"tp": 2}), way("2x H100", parallel={"tp": 2})
    more = joined.memory.rest_bytes_per_gpu - boards.memory.rest_bytes_per_gpu
    assert 1.6 * GIB < more < 3.3 * GIB  # vLLM's logs: 2 to 3.6 GiB against 0.2 to 0.33 GiB


def test_the_engine_is_told_to_take_no_more_than_the_card_has() -> None:
    found = way("2x RTX 4090")
    share = float(found.flags.split("--gpu-memory-utilization ")[1].split()[0])
    card = 24 * GIB
    assert found.memory.needed_bytes_per_gpu <= share * card <= found.memory.usable_bytes_per_gpu


@pytest.mark.parametrize(("few", "many"), [(1, 16), (16, 17), (17, 256)])
def test_graphs_of_few_sequences_hold_no_more_than_those_of_many(few: int, many: int) -> None:
    held = [
        next(part.bytes for part in estimate_memory(
            MemoryRequest.model_validate({"model": "Qwen/Qwen3-32B", "engine": "vllm", "max_num_sequences": count})
        ).per_gpu.parts if part.name == "cuda_graphs")
        for count in (few, many)
    ]  # fmt: skip
    assert held[0] <= held[1]
    assert (held[0] < held[1]) is (few <= 16 < many)

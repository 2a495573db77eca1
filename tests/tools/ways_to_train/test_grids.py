"""Trainings over several machines: what one process cannot reach, and grids of tensors, stages and experts."""

import pytest

from tools.ways_to_train.find import find_ways_to_train
from tools.ways_to_train.grids import grids
from tools.ways_to_train.problem import problem_of
from tools.ways_to_train.request import WaysToTrainRequest
from tools.ways_to_train.result import WaysToTrain


def find(**fields: object) -> WaysToTrain:
    return find_ways_to_train(WaysToTrainRequest.model_validate(fields))


def test_layers_are_dealt_out_within_a_machine_alone() -> None:
    over = find(model="Qwen/Qwen2.5-32B", method="lora", cards="8x RTX 4090", nodes=4, samples=1000)
    within = find(model="Qwen/Qwen2.5-32B", method="lora", cards="4x RTX 4090", samples=1000)
    assert all(one.sharding != "layers" or one.cards.count <= 2 for one in over.ways)
    assert any(one.sharding == "layers" for one in within.ways)


@pytest.mark.parametrize(
    ("model", "method", "cards", "nodes"),
    [("zai-org/GLM-4.5", "lora", "32x H100", 4), ("Qwen/Qwen2.5-72B", "full", "64x H800", 8)],
)
def test_a_model_beyond_a_machine_is_trained_in_a_grid(model: str, method: str, cards: str, nodes: int) -> None:
    found = find(model=model, method=method, cards=cards, nodes=nodes, dataset_tokens="500M")
    best = found.ways[0]
    assert best.sharding == "grid"
    assert "--tensor-model-parallel-size" in best.flags["megatron_lm"]
    assert best.speed is not None
    assert 0.05 < (best.speed.model_flops_utilisation or 0) < 0.6
    assert not any("Megatron) instead" in line for line in best.speed.reckoned)


def test_a_small_model_over_machines_stays_with_plain_sharding_unless_megatron_is_named() -> None:
    asked = {"model": "Qwen/Qwen2.5-7B", "method": "full", "cards": "16x H100", "nodes": 2, "dataset_tokens": "500M"}
    assert find(**asked).ways[0].sharding != "grid"
    assert find(**asked, engine="megatron-lm").ways[0].sharding == "grid"


def test_a_grid_divides_cards_heads_and_experts() -> None:
    request = WaysToTrainRequest.model_validate(
        {"model": "zai-org/GLM-4.5", "method": "lora", "cards": "32x H100", "nodes": 4}
    )
    shape = problem_of(request).bases[0][1].shape
    found = list(grids(shape, 32, 8))
    assert found
    for one in found:
        assert 32 % one.of_a_copy == 0
        assert shape.heads % one.tensor == 0
        assert one.experts <= 32 // one.of_a_copy


def test_time_once_tuned_lies_within_its_own_range() -> None:
    found = find(model="Qwen/Qwen3-8B", method="lora", cards="1x RTX 4090", samples=20000, sample_tokens=400)
    speed = found.ways[0].speed
    assert speed is not None
    assert speed.time_s is not None
    said = next(line for line in speed.reckoned if "once packed" in line)
    unit = {"h": 3600, "min": 60, "days": 86400}
    number, word = said.partition("; ")[2].split()[:2]
    assert float(number) * unit[word] >= speed.time_s.low * 0.99

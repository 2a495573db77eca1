"""Training on a Mac: its speed is reckoned from the rate of its cores, told as that, and holds what was measured."""

import re

import pytest

from kb.catalog import gpus
from tests.tools.ways_to_train.problems import found
from tools.agent_tools.ledger import Ledger
from tools.agent_tools.toolset import agent_tool
from tools.training_time.macs import mac_pace


def warnings(cards: str) -> str:
    asked = {"model": "Qwen2.5-7B", "method": "lora", "cards": cards}
    told = agent_tool("find_ways_to_train").look_up(asked, Ledger()).shown
    assert told["answer"]["verdict"] == "fits"
    return " ".join(told.get("warnings", []))


def test_the_speed_of_a_mac_is_told_as_reckoned() -> None:
    said = warnings("M2 Ultra 192GB")
    assert "reckoned" in said
    assert "MLX" in said
    assert "How fast" not in said


def test_a_card_of_known_speed_warns_of_neither() -> None:
    said = warnings("1x 4090")
    assert "How fast" not in said
    assert "MLX" not in said


@pytest.mark.parametrize(
    ("chip", "active", "layers", "measured"),
    [
        pytest.param("apple-m2-ultra-192gb", 6.74e9, 16 / 32, 475, id="mlx-lora"),
        pytest.param("apple-m1-max-32gb", 7.24e9, 4 / 32, 250, id="mlx-lm-lora"),
        pytest.param("apple-m4-pro-48gb", 0.6e9, 16 / 28, 2.2 * 1024, id="mlx-tune"),
    ],
)
def test_measured_speeds_lie_within(chip: str, active: float, layers: float, measured: float) -> None:
    """Adapters in some of the layers spare the backward pass of the others: 2 + 2 · share FLOPs a weight, not 4."""
    rate = mac_pace(gpus()[chip], active, adapters=True, recompute=False).rate
    more = 4 / (2 + 2 * layers)

    assert rate.low * more < measured < rate.high * more


def test_larger_chips_train_faster_and_larger_models_slower() -> None:
    rates = [mac_pace(gpus()[chip], 8e9, adapters=True, recompute=True).rate.value
             for chip in ("apple-m4-pro-48gb", "apple-m4-max-64gb", "apple-m3-ultra-256gb")]  # fmt: skip
    assert rates == sorted(rates)
    small, large = (mac_pace(gpus()["apple-m4-max-64gb"], size, adapters=True, recompute=True).rate.value
                    for size in (4e9, 8e9))  # fmt: skip
    assert small == pytest.approx(2 * large)


def test_a_chip_whose_cores_nobody_states_has_the_wider_interval() -> None:
    known, guessed = (mac_pace(gpus()[chip], 8e9, adapters=True, recompute=True).rate
                      for chip in ("apple-m2-max-64gb", "apple-m2-pro-32gb"))  # fmt: skip
    assert guessed.high / guessed.low > 1.5 * known.high / known.low


def test_time_and_settings_are_those_of_mlx() -> None:
    way = found(
        {"model": "Qwen/Qwen3-8B", "method": "qlora", "cards": "M4 Max 64GB", "dataset_tokens": 2_000_000}
    ).ways[0]
    assert way.speed is not None
    assert way.speed.tokens_per_s is not None
    assert way.speed.time_s is not None

    assert list(way.flags) == ["mlx_lm.lora"]
    assert way.speed.time_s.value == pytest.approx(2e6 / way.speed.tokens_per_s.value / 0.95)
    assert re.search(r"17.2 TFLOPS × 38 %", way.speed.reckoned[0])


def test_no_more_samples_are_held_than_make_it_faster() -> None:
    """The rate of a Mac does not depend on how many samples it computes at once."""
    way = found({"model": "Qwen/Qwen3-8B", "method": "full", "cards": "M3 Ultra 512GB"}).ways[0]

    assert way.micro_batch_size <= 2

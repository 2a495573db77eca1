"""Who serves a team is shown one or two large cards, and what answers briskly, beside what is cheapest."""

from decimal import Decimal

import pytest

from tools.configuration import Configuration
from tools.configure import configure
from tools.configure.rank.fewer import BRISK, FEWER_FOR, MANY
from tools.configure.request import ConfigureRequest

TEAMS = [("Qwen3-32B", 10), ("Qwen3-30B-A3B", 30), ("gemma-3-27b-it", 12), ("Llama-3.3-70B-Instruct", 20)]
FINE = {"bf16", "fp16", "fp8", "int8"}


def bought(**need: object) -> list[Configuration]:
    found = configure(ConfigureRequest.model_validate({"task": "inference", **need})).configurations
    return [one for one in found if one.acquisition == "buy"]


def pace(one: Configuration) -> float:
    found = (one.speed or {})["tokens_per_s_per_user"]
    assert isinstance(found, float)
    return found


def fine(one: Configuration) -> bool:
    return one.weight_format in FINE and one.memory.verdict == "yes" and one.condition == "new"


@pytest.mark.parametrize("way", [None, "buy"])
@pytest.mark.parametrize(("model", "users"), TEAMS)
def test_few_cards_with_headroom_lead(model: str, users: int, way: str | None) -> None:
    first, *others = bought(model=model, users=users, acquisition=way)
    assert pace(first) >= BRISK
    assert first.memory.verdict == "yes"
    assert first.gpu_count <= min(one.gpu_count for one in others if one.memory.verdict == "yes" and pace(one) >= BRISK)


@pytest.mark.parametrize(
    ("model", "sequences"), [("Qwen2.5-72B", 20), ("Qwen2.5-72B", 25), ("Llama-3.3-70B-Instruct", 40)]
)
def test_a_brisk_one_is_shown_where_the_cheapest_keeps_everyone_waiting(model: str, sequences: int) -> None:
    shown = [one for one in bought(model=model, concurrent_sequences=sequences, acquisition="buy") if fine(one)]
    least = min(shown, key=lambda one: one.price.amount or 0)
    assert pace(least) < BRISK  # else the case says nothing
    most = FEWER_FOR * (least.price.amount or Decimal(0))
    brisk = [one for one in shown if pace(one) >= BRISK and (one.price.amount or 0) <= most]
    assert brisk
    assert min(one.gpu_count for one in brisk) < MANY


def test_a_speed_that_was_asked_for_is_not_read_as_brisk() -> None:
    """Ten tokens a second were asked for: the cheapest that reaches them is enough, and nothing is added."""
    asked = {"model": "Qwen2.5-72B", "concurrent_sequences": 30, "acquisition": "buy"}
    shown = {(one.gpu, one.gpu_count, one.weight_format) for one in bought(**asked)}
    slow_will_do = {(one.gpu, one.gpu_count, one.weight_format) for one in bought(**asked, target_tokens_per_s=10.0)}
    assert shown - slow_will_do


def test_a_single_user_is_led_by_fewer_cards_than_the_published_precision_takes() -> None:
    first, *others = bought(model="Qwen2.5-Coder-32B-Instruct", acquisition="buy")
    assert first.gpu_count <= 2
    assert any(one.gpu_count >= 2 * first.gpu_count for one in others)

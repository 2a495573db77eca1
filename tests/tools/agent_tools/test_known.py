"""A card that is not known voids no call: it is named with its field, and the rest is worked out."""

from typing import Any

import pytest

from tools.agent_tools.ledger import Ledger
from tools.agent_tools.toolset import agent_tool


def shown(tool: str, **asked: Any) -> dict[str, Any]:
    return dict(agent_tool(tool).look_up(asked, Ledger()).shown)


@pytest.mark.parametrize(
    ("cards", "names"),
    [
        ("RTX 3090 + Zorb 9000", ["zorb 9000"]),
        ("2x Zorb 9000, 1x RTX 3090", ["2x zorb 9000"]),
        ("Blip X77 + 3090 + Zorb 9000", ["blip x77", "zorb 9000"]),
    ],
)
def test_the_cards_that_are_known_are_worked_out(cards: str, names: list[str]) -> None:
    found = shown("find_ways_to_run", model="Qwen3-8B", cards=cards)
    assert [one["name"] for one in found["not_known"]] == names
    assert all(one["field"] == "cards" for one in found["not_known"])
    assert found["answer"]["cards"] == "1 × GeForce RTX 3090"


def test_with_no_other_card_the_model_alone_is_worked_out() -> None:
    assert shown("find_ways_to_run", model="Qwen3-8B", cards="Zorb 9000")["needs"]
    assert shown("find_ways_to_train", model="Qwen3-8B", method="lora", cards="4x Zorb 9000")["needed"]


def test_what_is_had_and_not_known_is_left_out_of_an_order() -> None:
    found = shown("configure", model="Qwen3-8B", owned="1x Zorb 9000", budget="$3000")
    assert found["not_known"][0]["field"] == "owned"
    assert found["orders"]


def test_where_nothing_can_be_said_without_it_the_error_names_the_field_and_the_closest() -> None:
    error = shown("cost", what="power", cards="RTX 3091")["error"]
    assert error["code"] == "unknown_name"
    assert error["field"] == "cards"
    assert error["close"]


@pytest.mark.parametrize(
    ("said", "memory_gib"),
    [
        ("Quadro M4000", 8), ("Quadro P4000", 8), ("Quadro K6000", 12), ("P102-100", 10), ("P104-100", 8),
        ("P106-100", 6), ("CMP 50HX", 10), ("CMP 170HX", 8), ("RX 5700 XT", 8), ("Vega 64", 8), ("GTX 980", 4),
        ("MI25", 16),
    ],
)  # fmt: skip
def test_cards_that_people_put_into_computers_are_known(said: str, memory_gib: int) -> None:
    found = shown("find_ways_to_run", model="Qwen3-1.7B", cards=said)
    way = found["ways"][0]
    assert "not_known" not in found
    usable = float(way["memory"]["usable_per_gpu"].split()[0])
    assert memory_gib * 0.85 < usable < memory_gib


@pytest.mark.parametrize(
    ("said", "cards"),
    [
        ("mlx-vlm", "M4 Max 128GB"),
        ("vmlx", "M2 Ultra 192GB"),
        ("exl2", "2x 4090"),
        ("hf", "4090"),
        ("LM Studio", "3090"),
    ],
)
def test_an_engine_of_which_another_stands_is_told_beside_the_answer(said: str, cards: str) -> None:
    told = (
        agent_tool("find_ways_to_run").look_up({"model": "Qwen3-14B", "cards": cards, "engine": said}, Ledger()).shown
    )

    assert told["answer"]["engine"] in told["answer"]["engine_asked"]


@pytest.mark.parametrize("said", ["vLLM", "llama-server", "llama.cpp with MTP", "sglang"])
def test_an_engine_that_is_known_is_not_told_twice(said: str) -> None:
    told = (
        agent_tool("find_ways_to_run").look_up({"model": "Qwen3-14B", "cards": "4090", "engine": said}, Ledger()).shown
    )

    assert "engine_asked" not in told["answer"]


@pytest.mark.parametrize(("said", "left"), [("InvokeAI", True), ("ComfyUI", False)])
def test_a_program_of_pictures_that_is_not_known_is_not_counted(said: str, left: bool) -> None:
    found = shown("find_ways_to_run", model="FLUX.1-dev", cards="3090", engine=said)

    assert ("engine" in found.get("not_counted", [])) == left


def test_which_models_run_is_told_with_the_program_asked_of() -> None:
    found = shown("find_ways_to_run", cards="M3 Max 64GB", engine="mlx")

    assert "mlx was asked" in found["answer"]["engine_asked"]

"""Training on a Mac: its memory is told, and what is not known or does not run there is said."""

from tools.agent_tools.ledger import Ledger
from tools.agent_tools.toolset import agent_tool


def warnings(cards: str) -> str:
    asked = {"model": "Qwen2.5-7B", "method": "lora", "cards": cards}
    found = agent_tool("find_ways_to_train").look_up(asked, Ledger()).shown
    assert found["answer"]["verdict"] == "fits"
    return " ".join(found.get("warnings", []))


def test_no_speed_means_no_duration_and_that_is_said() -> None:
    said = warnings("M2 Ultra 192GB")
    assert "How fast Apple M2 Ultra" in said
    assert "MLX" in said


def test_a_card_of_known_speed_warns_of_neither() -> None:
    said = warnings("1x 4090")
    assert "How fast" not in said
    assert "MLX" not in said

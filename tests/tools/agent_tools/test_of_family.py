"""A family without a size: its largest member that the cards hold, and no other family's."""

from typing import Any

import pytest

from kb.models import models
from tools.agent_tools.ledger import Ledger
from tools.agent_tools.of_family import members_named
from tools.agent_tools.toolset import agent_tool


def run(model: str, cards: str) -> dict[str, Any]:
    return dict(agent_tool("find_ways_to_run").look_up({"model": model, "cards": cards}, Ledger()).shown)


@pytest.mark.parametrize("said", ["Qwen", "the largest Qwen model", "最大的Qwen模型", "Qwen series"])
def test_a_family_is_read_with_or_without_words_around_it(said: str) -> None:
    assert members_named(said) == members_named("Qwen") != ()


@pytest.mark.parametrize("said", [
    "Qwen3-32B", "Qwen2.5-72B AWQ", "70B", None, "", "gpt2", "unheard-of", "DeepSeek-R1", "GLM-4.5", "Phi-4",
])  # fmt: skip
def test_a_model_by_itself_is_no_family(said: str | None) -> None:
    assert members_named(said) == ()


def test_a_release_of_a_family_is_not_the_next_one() -> None:
    assert {models()[one].name.partition("-")[0] for one in members_named("Qwen3")} == {"Qwen3"}


@pytest.mark.parametrize(("family", "maker"), [("Qwen", "Qwen"), ("Gemma", "google"), ("Llama", "meta-llama")])
def test_only_members_of_the_family_are_told_and_the_largest_is_worked_out(family: str, maker: str) -> None:
    told = run(family, "2x 3090")
    assert told["answer"]["model"].startswith(f"{maker}/")
    rows = [one for one in told["models"] if isinstance(one, dict)]  # the last may say how many more there are
    assert rows
    assert all(one["name"].lower().startswith(family.lower()) for one in rows)


def test_more_cards_hold_no_smaller_member() -> None:
    sizes = [models()[run("Qwen", f"{count}x 3090")["answer"]["model"]].params for count in (1, 2, 4)]
    assert sizes == sorted(sizes)

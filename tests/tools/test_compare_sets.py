"""Sets of cards side by side: each is what the solver says of it, and the matter asked decides."""

from typing import Any, get_args

import pytest

from kb.base import AdvisorError, BadInput
from tools.agent_tools.ledger import Ledger
from tools.agent_tools.shown import SHOWN_MAX, written
from tools.agent_tools.toolset import agent_tool
from tools.compare_gpus import Comparison, ComparisonRequest, compare_gpus
from tools.compare_sets import ALIKE, Matter, SetsCompared, compare_sets
from tools.ways_to_run import find_ways_to_run
from tools.ways_to_run.request import WaysToRunRequest

SETS = ("2x 3090", "1x 5090", "Mac Studio 512GB", "DGX Spark")


def compared(**fields: Any) -> SetsCompared:
    found = compare_gpus(ComparisonRequest.model_validate(fields)).compared
    assert found is not None
    return found


@pytest.mark.parametrize("model", ["Qwen3-32B", "openai/gpt-oss-120b", "Qwen3-8B"])
def test_every_set_is_told_what_the_solver_tells_of_it(model: str) -> None:
    found = compared(sets=SETS, model=model)
    for row in found.sets:
        alone = find_ways_to_run(WaysToRunRequest.model_validate({"model": model, "cards": row.name}))
        assert row.verdict == alone.answer.verdict
        best = alone.ways[0] if alone.ways else None
        assert row.way == (best.title if best else None)
        assert row.tokens_per_s == (best.speed.tokens_per_s_per_user if best and best.speed else None)


@pytest.mark.parametrize("by", get_args(Matter))
def test_the_winner_has_the_best_figure_of_those_that_run(by: Matter) -> None:
    found = compared(sets=SETS, model="Qwen3-32B", by=by)
    held = {name: value for name, value in found.values.items() if value is not None}
    assert held
    best = min(held.values()) if by in {"first_token", "cost", "power"} else max(held.values())
    assert found.winner is None or held[found.winner] == best
    assert [name for name, value in held.items() if value == best] == [found.winner] or found.winner is None


def test_a_set_that_does_not_run_it_wins_nothing_but_is_told() -> None:
    found = compared(sets=("1x 3060 12GB", "Mac Studio 512GB"), model="Qwen3-235B-A22B", by="cost")
    small = found.sets[0]
    assert small.price_usd is not None
    assert small.verdict == "does_not_fit"
    assert found.winner == "Mac Studio 512GB"
    assert "does not run it" in found.reason


def test_the_order_of_sets_changes_no_figure() -> None:
    one, other = compared(sets=SETS, model="Qwen3-8B"), compared(sets=SETS[::-1], model="Qwen3-8B")
    assert one.values == other.values
    assert one.winner == other.winner


def test_a_training_is_compared_by_its_speed() -> None:
    found = compared(sets=("1x A100 80GB", "4x A100 80GB"), model="Qwen3-8B", method="lora", dataset_tokens="10M")
    assert found.winner == "4x A100 80GB"
    assert all(row.time_s is not None for row in found.sets)


def test_without_a_work_cards_are_held_against_each_other() -> None:
    found = compared(sets=("2x 3090", "1x 5090"))
    assert found.by == "memory"
    assert found.winner == "2x 3090"
    assert [row.verdict for row in found.sets] == [None, None]


@pytest.mark.parametrize(
    "fields",
    [
        {"sets": ("2x 3090",)}, {"sets": ("2x 3090", "3090 x2")}, {"sets": ("2x 3090", "1x 5090"), "by": "speed"},
        {"sets": ("2x 3090", "one 24GB card")}, {"sets": ("2x 3090", "5090"), "gpus": ("4090", "5090")}, {},
        {"sets": ("2x 3090", "3x Foobar 9000")},
    ],
    ids=["one", "twice", "no-work", "no-name", "both", "nothing", "unknown"],
)  # fmt: skip
def test_what_cannot_be_compared_is_refused(fields: dict[str, Any]) -> None:
    with pytest.raises((BadInput, AdvisorError)):
        compare_gpus(ComparisonRequest.model_validate(fields))


def test_single_cards_are_compared_as_before() -> None:
    found: Comparison = compare_gpus(ComparisonRequest(gpus=("4090", "5090")))
    assert found.compared is None
    assert len(found.gpus) == 2


def test_a_language_model_reaches_it_by_looking_up() -> None:
    asked = {"kind": "compare", "names": list(SETS), "model": "Qwen3-32B", "by": "speed"}
    told = agent_tool("look_up").look_up(asked, Ledger()).shown
    assert told["winner"] == compared(sets=SETS, model="Qwen3-32B", by="speed").winner
    assert [one["name"] for one in told["sets"]] == list(SETS)
    assert len(written(told)) <= SHOWN_MAX


def test_power_is_of_the_cards_and_hosts_stand_beside() -> None:
    """A card for servers is drawn with a server: by the wall, its 72 W would lose to a 350 W card on a desktop."""
    found = compare_sets(("1x L4", "1x 3090"), "power", None)
    small, large = found.sets

    assert found.winner == "1x L4"
    assert (small.cards_w, large.cards_w) == (72, 350)
    assert small.power_w is not None
    assert small.power_w > 72
    assert found.reason == "1x L4: best by power, 72 W (others: 1x 3090 350 W)."


@pytest.mark.parametrize("many", ["4x 4060 Ti 16GB", "4x 3060 12GB"])
def test_an_advantage_smaller_than_the_error_goes_to_the_plainer_set(many: str) -> None:
    """One 4090 and four small cards give a 7B model about as many tokens: the one is named, whichever has more."""
    found = compare_gpus(ComparisonRequest(sets=("1x 4090", many), model="Mistral-7B"))
    assert found.compared is not None
    one, other = (float(found.compared.values[name] or 0) for name in ("1x 4090", many))
    assert 1 / ALIKE <= one / other <= ALIKE  # else the case says nothing
    assert found.winner == "1x 4090"
    assert "within what estimates are off" in found.reason


def test_of_alike_sets_those_that_are_not_are_told_apart() -> None:
    sets = ("1x 4090", "4x 3060 12GB", "1x 3060 12GB")
    found = compare_gpus(ComparisonRequest(sets=sets, model="Mistral-7B", by="speed"))
    alike, _, others = found.reason.partition("Others: ")
    assert "4x 3060 12GB" in alike
    assert "1x 3060 12GB" in others


def test_a_size_alone_is_a_model() -> None:
    found = compare_gpus(ComparisonRequest(sets=("4x RTX A6000", "2x H100"), model="120B"))
    assert found.compared is not None
    assert all(one.tokens_per_s for one in found.compared.sets)

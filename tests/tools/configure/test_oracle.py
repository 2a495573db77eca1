"""The search against nested loops that know nothing of its streams, bounds and caches."""

import os
import random
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))
from configure_oracle import disagreement, least_price, random_need, rows_of, second_to, tight_rows

from tools.configure.request import ConfigureRequest

NEEDS = int(os.environ.get("CONFIGURE_NEEDS", "60"))
"""Random needs; `make bench-configure` asks 200 others."""
NEAR_TIES = (66, 75, 84)
"""Needs where what leads is not the cheapest."""
TIGHT = (
    ("rtx-5090-32gb", "Llama-2-13B", "full_finetune", 1024),
    ("l4-24gb", "Llama-3.1-8B", "full_finetune", 4096),
    ("rtx-3060-12gb", "Llama-3.1-8B", "qlora", 2048),
)
"""Cards on which nothing that can be ordered whole fits for sure."""


@pytest.mark.parametrize("seed", [*range(NEEDS), *NEAR_TIES])
def test_nested_loops_find_the_same_cheapest_and_the_same_frontier(seed: int) -> None:
    assert disagreement(random_need(random.Random(seed))) is None


def test_the_loops_find_something_in_most_of_those_needs() -> None:
    """Otherwise the agreement would be about nothing."""
    answered = sum(bool(rows_of(random_need(random.Random(seed)))) for seed in range(NEEDS))
    assert answered >= NEEDS / 2


@pytest.mark.usefixtures("fresh_prices")
@pytest.mark.parametrize("seed", NEAR_TIES)
def test_something_else_than_the_cheapest_leads_in_those(seed: int) -> None:
    request = random_need(random.Random(seed))
    assert second_to(request, rows_of(request))


@pytest.mark.parametrize(("card", "model", "task", "tokens"), TIGHT)
def test_nested_loops_find_the_same_frontier_of_tight_fits(card: str, model: str, task: str, tokens: int) -> None:
    need = {"task": task, "model": model, "sequence_tokens": tokens, "gpus_asked": (card,), "acquisition": "buy"}
    request = ConfigureRequest.model_validate(need | {"max_gpus": 8, "max_results": 50})
    assert least_price(request, rows_of(request)) is None
    assert tight_rows(request)
    assert disagreement(request) is None

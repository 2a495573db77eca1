"""A mixture of experts known by its size alone is laid out as one: experts go to the host, not all of it."""

import math
from statistics import median

import pytest

from kb.models import models
from tools.agent_tools.ledger import Ledger
from tools.agent_tools.toolset import agent_tool
from tools.memory.shape import mixture_of_size, shape_from_model
from tools.registry import tool
from tools.ways_to_run.result import WaysToRun

MIXTURES = [
    one for one in models().values()
    if one.experts and one.active_params and one.kind in ("llm", "vlm") and one.hidden_size and one.attention == "gqa"
]  # fmt: skip


def ways(params: float, active: float, cards: str, host: str) -> WaysToRun:
    found = tool("find_ways_to_run").call(
        {"params": int(params), "active_params": int(active), "cards": cards, "host_memory": host}
    )
    assert isinstance(found, WaysToRun)
    return found


@pytest.mark.parametrize(
    ("params", "active", "cards", "host"),
    [
        (35e9, 3e9, "RTX 3060 12GB", "64GB"), (80e9, 3e9, "RTX 3090", "64GB"), (106e9, 12e9, "2x 3090", "96GB"),
        (230e9, 10e9, "RTX 5090", "192GB"), (21e9, 3e9, "RTX 3060 8GB", "32GB"),
    ],
)  # fmt: skip
def test_experts_go_to_the_host_and_the_rest_stays_on_the_card(
    params: float, active: float, cards: str, host: str
) -> None:
    best = ways(params, active, cards, host).ways[0]
    assert best.cards
    assert best.layout.offload is not None
    assert best.layout.offload.what == "experts"


def test_what_people_write_of_such_a_model_is_enough() -> None:
    asked = {"model": "42b-a3b", "cards": "RTX 4070 12GB", "host_memory": "64GB"}
    found = agent_tool("find_ways_to_run").look_up(asked, Ledger()).shown
    assert "experts in host memory" in found["ways"][0]["title"]
    assert found["answer"]["cards"] == "1 × GeForce RTX 4070"


def test_the_guess_is_near_the_mixtures_that_are_known() -> None:
    experts, cache = [], []
    for one in MIXTURES:
        real, guess = shape_from_model(one), mixture_of_size(one.params, one.active_params or 0, None)
        experts.append(abs(math.log(guess.expert_params / real.expert_params)))
        kept = (shape.layers * shape.kv_heads * shape.head_dim for shape in (guess, real))
        cache.append(abs(math.log(next(kept) / next(kept))))
    assert len(MIXTURES) > 40
    assert median(experts) < 0.05
    assert median(cache) < 0.5


def test_the_size_is_kept_and_the_guess_is_said() -> None:
    guess = mixture_of_size(35_000_000_000, 3_000_000_000, None)
    assert guess.params == 35_000_000_000
    assert guess.active_params == 3_000_000_000
    parts = guess.embed_params + guess.head_params + guess.expert_params + guess.body_params + guess.plain_params
    assert parts == pytest.approx(guess.params, rel=0.01)
    assert "experts" in guess.guesses[0]

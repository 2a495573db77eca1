"""Streams of choices: what one of them holds in common, how it grows, and what cards in hand make of it."""

from decimal import Decimal
from typing import Any

import pytest

from kb.catalog import gpus
from tools.configure import configure
from tools.configure.asked import read
from tools.configure.load.cut import Floor
from tools.configure.market.purchases import purchases
from tools.configure.market.rentals import rentals
from tools.configure.market.stream import Stream
from tools.configure.market.wanted import LASTING
from tools.configure.rank.ranking import LOSSES
from tools.configure.request import ConfigureRequest
from tools.configure.search import Search

Fields = dict[str, Any]


def streams(country: str | None = None, owned: int = 0) -> list[Stream]:
    every = [gpu for gpu in gpus().values() if not owned or gpu.market in {"consumer", "data_center"}]
    bought = [one for gpu in every for one in purchases(gpu, owned=owned, asked=True, country=country)]
    return bought + ([] if owned else [one for gpu in every for one in rentals(gpu, None, country)])


@pytest.mark.parametrize("country", [None, "CN"])
@pytest.mark.parametrize("owned", [0, 3, 16])
def test_a_stream_grows_in_rank_power_and_price_and_is_of_one_kind(country: str | None, owned: int) -> None:
    """The search ends a stream at the first choice beyond a limit, and takes all of it as wanted or none."""
    found = streams(country, owned)
    assert len(found) > 300
    for stream in found:
        assert [choice.key for choice in stream.choices] == sorted(choice.key for choice in stream.choices)
        for grown in ("count", "amount", "power_w"):
            values = [getattr(choice, grown) or 0 for choice in stream.choices]
            assert values == sorted(values)
        kinds = {
            (one.gpu.id, one.used, one.complete, one.unsure, one.aged, one.count <= one.owned) for one in stream.choices
        }
        assert len(kinds) == 1
        for wanted in LASTING:  # what a search keeps of a stream it asks of the first choice alone
            assert len({wanted(choice) for choice in stream.choices}) == 1


@pytest.mark.parametrize("floor", [Floor(0, 9e9), Floor(140e9, 0), Floor(140e9, 60e9), Floor(9e12, 9e12)])
def test_place_of_the_first_number_that_memory_does_not_rule_out_is_that_of_a_scan(floor: Floor) -> None:
    for stream in streams():
        usable = stream.gpu.usable_bytes
        held = [floor.least(count, together) <= usable for count, together in stream.numbers]
        assert floor.first(stream.numbers, usable) == (held.index(True) if True in held else len(held))


def naive_least(search: Search, way: str) -> Decimal | None:
    """The lowest whole price of all choices of all streams, each asked by itself."""
    amounts = []
    for gpu in search.pool:
        for choice in (one for stream in search.options.streams(way, gpu) for one in stream.choices):
            most = search.asked.request.max_gpus
            admitted = choice.complete and search.limits.within(choice) and (most is None or choice.count <= most)
            if not admitted or not search.wanted(choice) or choice.amount is None:
                continue
            for loss in LOSSES:
                option = search.options.option(choice, "yes", loss)
                if option is not None and search.pace.best(gpu, option.rows) is not None:
                    amounts.append(choice.amount)
                    break
    return min(amounts, default=None)


@pytest.mark.parametrize("way", ["buy", "rent"])
@pytest.mark.parametrize("limits", [{}, {"max_power_w": 400}, {"max_gpus": 4}, {"budget": 6000}, {"budget": 2500}])
@pytest.mark.parametrize(
    "need",
    [
        {"model": "Qwen2.5-32B", "concurrent_sequences": 16, "context_tokens": 8192},
        {"model": "Qwen2.5-14B-Instruct", "concurrent_sequences": 4, "context_tokens": 8192},
        {"model": "Mixtral-8x7B-v0.1", "concurrent_sequences": 4},
        {"model": "Llama-3.1-8B", "target_tokens_per_s": 60.0, "concurrent_sequences": 16},
    ],
    ids=lambda need: need["model"],
)
def test_the_least_is_the_least_of_every_choice(need: Fields, limits: Fields, way: str) -> None:
    """Whatever stands before it in its stream: a machine of more cards may be cheaper, its price older or unknown."""
    changes = dict(limits)
    if "budget" in limits:
        period = None if way == "buy" else "month"
        amount = limits["budget"] if way == "buy" else limits["budget"] / 2
        changes["budget"] = {"amount": amount, "mode": way, "period": period}
    request = {"task": "inference", "acquisition": way, **need, **changes}
    search = Search(read(ConfigureRequest.model_validate(request)))
    found = search.ranking.least(way, search.wanted)
    assert (found.option.choice.amount if found else None) == naive_least(search, way)


@pytest.mark.parametrize(("card", "owned", "singles"), [("rtx-3090-24gb", 2, (1, 2)), ("h100-sxm-80gb", 16, (8, 16))])
def test_cards_in_hand_stand_apart_from_more_of_them(card: str, owned: int, singles: tuple[int, ...]) -> None:
    found = purchases(gpus()[card], owned=owned, asked=False, country=None)
    in_hand = [choice for stream in found for choice in stream.choices if choice.count <= owned]
    assert set(singles) <= {choice.count for choice in in_hand}
    assert all(choice.amount == 0 for choice in in_hand)
    more = [choice for stream in found for choice in stream.choices if choice.count > owned]
    assert more
    assert all(choice.owned == owned and choice.amount for choice in more)


@pytest.mark.parametrize(
    ("card", "owned", "model", "users"),
    [("rtx-3090-24gb", 2, "gpt-oss-120b", None), ("rtx-4090-24gb", 1, "Qwen2.5-32B", 40),
     ("rtx-3090-24gb", 1, "Mixtral-8x7B-v0.1", 20)],
)  # fmt: skip
def test_the_least_that_it_costs_may_be_one_more_of_the_cards_in_hand(
    card: str, owned: int, model: str, users: int | None
) -> None:
    """Even of a card whose price nobody read of late, and in a precision that does not lead."""
    need = {"task": "inference", "model": model, "users": users, "gpus_owned": [{"gpu": card, "count": owned}]}
    found = configure(ConfigureRequest.model_validate(need)).configurations
    bought = [one for one in found if one.acquisition == "buy" and one.memory.verdict == "yes" and one.price.complete]
    cheapest = min(bought, key=lambda one: one.price.amount or Decimal(0))
    assert (cheapest.gpu, cheapest.owned_count) == (card, owned)

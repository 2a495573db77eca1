"""Streams of choices: what one of them holds in common, how it grows, and what cards in hand make of it."""

from decimal import Decimal

import pytest

from kb.catalog import gpus
from tools.configure import configure
from tools.configure.purchases import purchases
from tools.configure.rentals import rentals
from tools.configure.request import ConfigureRequest
from tools.configure.stream import Stream


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
        whole = [choice.amount or Decimal(0) for choice in stream.choices if choice.complete]
        assert whole == sorted(whole)
        assert [choice.key for choice in stream.choices] == sorted(choice.key for choice in stream.choices)
        watts = [choice.power_w or 0 for choice in stream.choices if choice.complete]
        assert watts == sorted(watts)
        assert len({(one.gpu.id, one.used, one.unsure, one.count <= one.owned) for one in stream.choices}) == 1


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

"""A claim to be the cheapest is held against the very list that it is from."""

import pytest

from assistant.grounding.claims import false_superlatives, priced
from tests.assistant.grounding.results import CARDS, OFFERS, ORDERS, RUN, looked_up

RENTS = looked_up(
    "R9", "look_up",
    {"offers": [
        {"provider": "A", "gpu_text": "H100", "usd_per_gpu_hour": "$2.10/h"},
        {"provider": "B", "gpu_text": "H100", "usd_per_gpu_hour": "$2.90/h"},
        {"provider": "C", "gpu_text": "A100 80GB", "usd_per_gpu_hour": "$1.20/h"},
    ]},
)  # fmt: skip


def wrong(answer: str) -> list[str]:
    return [reason for _, reason in false_superlatives(answer, (RUN, CARDS, OFFERS, ORDERS, RENTS))]


@pytest.mark.parametrize(
    ("answer", "less"),
    [
        pytest.param("The RTX 4090 is the cheapest here.", "2 × RTX 3090", id="orders"),
        pytest.param("最便宜的是 RTX 4090。", "2 × RTX 3090", id="orders-zh"),
        pytest.param("The H100 has the lowest price.", "A100 80GB", id="rents"),
    ],
)
def test_the_list_itself_denies_it(answer: str, less: str) -> None:
    assert any(less in reason for reason in wrong(answer))


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param("The cheapest order is two RTX 3090.", id="true"),
        pytest.param("The A100 80GB is the cheapest to rent.", id="true-of-rents"),
        pytest.param("The RTX 4090 is the fastest.", id="another-claim"),
        pytest.param("The cheapest of RTX 4090 and RTX 3090 is enough.", id="two-named"),
        pytest.param("The MI300X is the cheapest.", id="in-no-list"),
        pytest.param("The cheapest one will do.", id="none-named"),
    ],
)
def test_what_the_list_does_not_deny_stands(answer: str) -> None:
    assert wrong(answer) == []


def test_prices_of_different_times_are_not_compared() -> None:
    assert {(one.period, one.currency) for one in priced([OFFERS])} <= {("h", "USD"), ("month", "CNY")}
    assert [one.amount for one in priced([RENTS])] == [2.1, 2.9, 1.2]


def test_a_refusal_offers_nothing() -> None:
    refused = RENTS.model_copy(update={"shown": {"error": {"code": "x"}, **RENTS.shown}})
    assert priced([refused]) == ()

"""The person's own prices, rents and tariff: they change what rests on them, nothing else, and are named as theirs."""

from decimal import Decimal
from typing import Any

import pytest

from kb.base import BadInput
from tools.configuration import Configuration
from tools.configure import configure
from tools.configure.request import ConfigureRequest
from tools.configure.result import ConfigureResult

SERVED = {"task": "inference", "model": "Qwen/Qwen3-32B", "with_frontier": False, "max_results": 20}
NEEDS: list[dict[str, Any]] = [
    SERVED,
    SERVED | {"concurrent_sequences": 20, "context_tokens": 16384},
    SERVED | {"model": "Llama-3.1-8B", "country": "US"},
    {"task": "lora", "model": "Qwen/Qwen2.5-14B-Instruct", "with_frontier": False, "max_results": 20},
]


def ask(need: dict[str, Any], **more: object) -> ConfigureResult:
    return configure(ConfigureRequest.model_validate(need | more))


def told(found: ConfigureResult, way: str = "buy") -> dict[tuple[str, str | None], Configuration]:
    return {(one.title, one.weight_format): one for one in found.configurations if one.acquisition == way}


@pytest.mark.parametrize("need", NEEDS)
@pytest.mark.parametrize("amount", [400, 5000])
def test_a_price_changes_only_orders_of_its_card(need: dict[str, Any], amount: int) -> None:
    before = told(ask(need, acquisition="buy"))
    after = told(ask(need, acquisition="buy", prices=[f"RTX 5090 ${amount} each"]))
    assert any(one.gpu == "rtx-5090-32gb" for one in after.values())
    for key in before.keys() & after.keys():
        one, other = before[key], after[key]
        if one.gpu != "rtx-5090-32gb":
            assert (one.price, one.items, one.memory, one.speed) == (
                other.price,
                other.items,
                other.memory,
                other.speed,
            )
    for one in after.values():
        assert any(item.given for item in one.items) == (one.gpu == "rtx-5090-32gb")


def test_a_bill_rests_on_the_price_of_its_cards() -> None:
    bills = [
        told(ask(SERVED, acquisition="buy", gpus_asked=["rtx-5090-32gb"], prices=[f"5090 ${amount}"]))
        for amount in (1000, 1500)
    ]
    shared = bills[0].keys() & bills[1].keys()
    assert shared
    for key in shared:
        low, high = (one[key] for one in bills)
        assert (high.price.amount or 0) - (low.price.amount or 0) == 500 * low.gpu_count
        assert "price_given" in {reason.code for reason in low.reasons}


def test_a_machine_costs_what_was_said_with_its_cards() -> None:
    need = SERVED | {"model": "deepseek-ai/DeepSeek-R1", "acquisition": "buy"}
    found = ask(need, prices=["8x H20 141GB server $100,000"])
    one = next(one for one in found.configurations if any(item.given for item in one.items))
    assert (one.gpu, one.gpu_count, one.nodes) == ("h20-141gb", 8, 1)
    assert one.price.amount == 100_000
    assert [row.model_dump() for row in found.given] == [
        {"field": "prices", "said": "8x H20 141GB server $100,000", "value": 100_000.0, "unit": "usd"}
    ]


@pytest.mark.parametrize(
    ("said", "cards", "hourly"),
    [
        pytest.param("H100 $1.00/gpu/h", 1, "1", id="each-by-the-hour"),
        pytest.param("8x H100 SXM $7.30 per hour for the machine", 8, "7.3", id="a-machine-by-the-hour"),
        pytest.param("8卡 H100 SXM 包月 $7300", 8, "10", id="a-machine-by-the-month"),
    ],
)
def test_a_rent_stands_in_place_of_every_offer_of_its_card(said: str, cards: int, hourly: str) -> None:
    found = ask(SERVED, acquisition="rent", gpus_asked=["h100-sxm-80gb"], rents=said).configurations
    assert {one.provider for one in found} == {"your offer"}
    assert (found[0].gpu_count, found[0].price.amount) == (cards, Decimal(hourly))
    assert all(item.given for item in found[0].items)


def test_other_rents_stay_as_they_are() -> None:
    before, after = (told(ask(SERVED, acquisition="rent", rents=rents), "rent") for rents in ([], ["L4 $9/h"]))
    for key in before.keys() & after.keys():
        assert before[key].model_copy(update={"rank": 1}) == after[key].model_copy(update={"rank": 1})


def test_a_tariff_changes_only_what_the_energy_costs() -> None:
    before, after = (ask(SERVED, acquisition="buy", tariff=tariff) for tariff in ("$0.10/kWh", "$0.40/kWh"))
    for one, other in zip(before.configurations, after.configurations, strict=True):
        low, high = one.running_cost or {}, other.running_cost or {}
        assert float(high["energy_cost_per_month"] or 0) == pytest.approx(4 * float(low["energy_cost_per_month"] or 0))
        assert one.model_copy(update={"running_cost": None}) == other.model_copy(update={"running_cost": None})


def test_a_price_lets_in_a_card_that_nobody_sells_any_more_but_not_one_that_is_barred() -> None:
    assert any(one.gpu == "p40-24gb" for one in ask(SERVED, acquisition="buy", prices="P40 $150").configurations)
    barred = ask(SERVED, acquisition="buy", country="CN", prices="H100 SXM $10,000 each")
    assert all(one.gpu != "h100-sxm-80gb" for one in barred.configurations)


def test_what_the_price_buys_is_shown_where_something_else_leads() -> None:
    found = ask(SERVED, acquisition="buy", prices="RTX 6000 Ada $9,000").configurations
    assert found[0].gpu != "rtx-6000-ada-48gb"
    assert any(one.gpu == "rtx-6000-ada-48gb" for one in found[:3])


@pytest.mark.parametrize(
    ("field", "said"),
    [("prices", "$700"), ("prices", "4090 or 5090"), ("prices", "8x H100 chassis without the cards $9,000"),
     ("rents", "$2 per hour"), ("tariff", "PUE 1.3 kW"), ("tariff", "$70/kWh")],
)  # fmt: skip
def test_what_is_no_price_of_a_card_is_refused(field: str, said: str) -> None:
    with pytest.raises(BadInput):
        ask(SERVED, **{field: said})

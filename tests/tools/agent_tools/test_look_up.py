"""Look-ups in people's words: prices in any money, ways of renting, names with several meanings, years."""

from typing import Any

import pytest

from kb.catalog import gpus
from kb.market.rates import convert
from tools.agent_tools.ledger import Ledger
from tools.agent_tools.shown import shown
from tools.agent_tools.toolset import agent_tool


def looked(**fields: Any) -> dict[str, Any]:
    found = agent_tool("look_up").look_up(fields, Ledger())
    assert not found.failed, found.shown
    return found.shown


@pytest.mark.parametrize(
    ("written", "amount", "currency"), [("900 EUR", 900, "EUR"), ("¥6000", 6000, "CNY"), ("$700", 700, "USD")]
)
def test_cards_are_found_by_a_price_in_any_money(written: str, amount: float, currency: str) -> None:
    found = looked(kind="find_cards", min_memory="12GB", max_price=written, sort="memory")
    most = float(convert(amount, currency, "USD"))

    prices = [
        float(row["price"]["amount_usd"].strip("$").replace(",", "")) for row in found["cards"] if isinstance(row, dict)
    ]
    assert prices
    assert max(prices) <= most
    assert ("assumptions" in found) == (currency != "USD")


@pytest.mark.parametrize(
    ("said", "meant"),
    [("on demand", "on_demand"), ("On-Demand", "on_demand"), ("按需", "on_demand"), ("preemptible", "spot")],
)
def test_ways_of_renting_are_read_as_people_write_them(said: str, meant: str) -> None:
    offers = looked(kind="offers", names=["A100 80GB"], purchase=said)["offers"]

    assert {one["purchase"] for one in offers if isinstance(one, dict)} == {meant}


@pytest.mark.parametrize("kind", ["spec", "compatibility", "offers"])
def test_which_of_several_cards_was_meant_is_told(kind: str) -> None:
    told = looked(kind=kind, names=["V100"])["read_as"]

    assert any("V100 SXM2 32GB" in one and "PCIe" in one for one in told)
    assert "read_as" not in looked(kind=kind, names=[gpus()["v100-sxm2-16gb"].name])


def test_a_day_of_a_price_is_no_money() -> None:
    assert shown({"price_as_of": "2026", "price_usd": 100.0}) == {"price_as_of": "2026", "price_usd": "$100.00"}


def test_a_set_tells_what_its_power_includes() -> None:
    rows = looked(kind="compare", names=["1x T4", "1x 3060"], by="power")["sets"]

    assert rows[0]["cards_alone"] == "70 W"
    assert "wall_with_host" in rows[0]


@pytest.mark.parametrize("engine", ["ktransformers", "KTransformers"])
def test_a_program_that_stands_on_another_is_judged_as_that_and_says_so(engine: str) -> None:
    """As find_ways_to_run reads it: what one tool knows the other does not refuse."""
    found = looked(kind="compatibility", names=["RTX 4090"], engine=engine)
    assert found["verdict"] == looked(kind="compatibility", names=["RTX 4090"], engine="llama.cpp")["verdict"]
    assert any("judged as llama.cpp" in one for one in found["read_as"])
    assert "read_as" not in looked(kind="compatibility", names=["RTX 4090"], engine="vllm")


def test_a_program_that_trains_is_judged_as_what_it_stands_on_and_says_so() -> None:
    found = looked(kind="compatibility", names=["A100"], engine="verl 0.4")

    assert found["verdict"] == looked(kind="compatibility", names=["A100"], engine="pytorch")["verdict"]
    assert any("judged as pytorch" in one for one in found["read_as"])
    assert any("is read as" in one for one in found["read_as"])  # which A100


def test_an_engine_that_nobody_knows_leaves_the_rest_judged() -> None:
    found = looked(kind="compatibility", names=["T4"], engine="nosuchengine", feature="bf16")

    assert found["verdict"] == looked(kind="compatibility", names=["T4"], feature="bf16")["verdict"]
    assert any("nosuchengine" in one for one in found["read_as"])


@pytest.mark.parametrize("feature", ["awq", "gptq"])
def test_an_engine_with_kernels_of_its_own_is_not_judged_by_those_of_another(feature: str) -> None:
    own = looked(kind="compatibility", names=["V100"], engine="lmdeploy 0.6", feature=feature)
    other = looked(kind="compatibility", names=["V100"], engine="vllm", feature=feature)

    assert own["verdict"] == "works_with"  # from 0.6.0 on
    assert own["reason"] != other["reason"]


def test_vllm_on_ascend_goes_by_its_own_name() -> None:
    found = looked(kind="compatibility", names=["Atlas 300I Duo"], engine="vllm-ascend 0.9.2")

    assert found["verdict"] == looked(kind="compatibility", names=["Atlas 300I Duo"], engine="vllm")["verdict"]


def test_of_several_measures_the_first_decides() -> None:
    sets = {"kind": "compare", "names": ["2x 3090", "1x 5090"], "model": "Qwen3-32B"}

    assert looked(**sets, by="power, speed")["by"] == looked(**sets, by="power")["by"]
    assert looked(**sets, by="price")["by"] == "cost"

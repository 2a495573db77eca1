"""A limit that is relaxed never raises the least that a need costs, and a bigger budget never buys less."""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kb.units import HOURS_PER_MONTH
from tools.configuration import Configuration
from tools.configure import configure
from tools.configure.rank.options import precision_lost
from tools.configure.request import ConfigureRequest
from tools.configure.result import ConfigureResult

SERVED = ("Llama-3.1-8B", "Qwen2.5-14B-Instruct", "Qwen2.5-32B", "Qwen2.5-72B", "Mixtral-8x7B-v0.1", "Qwen3-30B-A3B")
TRAINED = ("Llama-3.2-3B", "Llama-3.1-8B", "Qwen2.5-14B-Instruct", "Qwen2.5-32B")
EXAMPLES = settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
Fields = dict[str, Any]


def ask(fields: Fields) -> ConfigureResult:
    return configure(ConfigureRequest.model_validate(fields))


def whole(result: ConfigureResult) -> list[Configuration]:
    """Sure fits that can be ordered as they stand."""
    return [one for one in result.configurations if one.memory.verdict == "yes" and one.price.complete]


def least(result: ConfigureResult) -> Decimal:
    """What the need costs at least; infinite when nothing meets it."""
    amounts = [one.price.amount for one in whole(result) if one.price.amount is not None and one.condition == "new"]
    return min(amounts, default=Decimal("Infinity"))


@st.composite
def needs(draw: st.DrawFn) -> Fields:
    """Serving or training, bought or rented, anywhere, over the whole catalog."""
    need: Fields = {
        "acquisition": draw(st.sampled_from(["buy", "rent"])),
        "country": draw(st.sampled_from([None, "US", "DE", "CN", "IN"])),
        "max_results": draw(st.sampled_from([2, 6, 20])),
        "with_frontier": False,
    }
    if draw(st.booleans()):
        return need | {
            "task": "inference",
            "model": draw(st.sampled_from(SERVED)),
            "context_tokens": draw(st.sampled_from([2048, 8192, 16384])),
            "concurrent_sequences": draw(st.sampled_from([1, 4, 16, 64])),
        }
    return need | {
        "task": draw(st.sampled_from(["full_finetune", "lora", "qlora"])),
        "model": draw(st.sampled_from(TRAINED)),
        "sequence_tokens": draw(st.sampled_from([1024, 4096])),
        "dataset_tokens": 10**8,
    }


def growing(draw: st.DrawFn, *values: float) -> tuple[float, float]:
    first = draw(st.integers(0, len(values) - 2))
    return values[first], values[draw(st.integers(first + 1, len(values) - 1))]


@st.composite
def relaxed(draw: st.DrawFn, need: Fields) -> tuple[Fields, Fields]:
    """A limit and the same, looser or gone."""
    money = (2500, 6000, 15_000, 40_000, 150_000) if need["acquisition"] == "buy" else (200, 700, 2000, 8000)
    small, large = growing(draw, *money)
    period = None if need["acquisition"] == "buy" else "month"
    budgets = [{"amount": amount, "mode": need["acquisition"], "period": period} for amount in (small, large)]
    few, many = growing(draw, 1, 2, 4, 8, 16)
    limits: list[tuple[Fields, Fields]] = [
        ({"budget": budgets[0]}, {"budget": draw(st.sampled_from([budgets[1], None]))}),
        ({"max_gpus": int(few)}, {"max_gpus": draw(st.sampled_from([int(many), None]))}),
    ]
    watts, more = growing(draw, 200, 300, 400, 700, 1500, 6000)
    limits.append(({"max_power_w": int(watts)}, {"max_power_w": draw(st.sampled_from([int(more), None]))}))
    if need["task"] == "inference":
        slow, fast = growing(draw, 8.0, 20.0, 45.0, 90.0)
        soon, late = growing(draw, 0.1, 0.3, 1.0, 4.0)
        light, heavy = growing(draw, 1, 2, 3, 8, 32, 100)
        limits += [
            ({"target_tokens_per_s": fast}, {"target_tokens_per_s": slow}),
            ({"target_latency_s": soon}, {"target_latency_s": draw(st.sampled_from([late, None]))}),
            ({"concurrent_sequences": int(heavy)}, {"concurrent_sequences": int(light)}),
            ({"context_tokens": 32768}, {}),
            ({"weight_format": draw(st.sampled_from(["bf16", "fp8", "awq"]))}, {}),
        ]
    else:
        early, later = growing(draw, 3600.0, 4 * 3600.0, 86400.0, 30 * 86400.0)
        limits += [
            ({"deadline_s": early}, {"deadline_s": draw(st.sampled_from([later, None]))}),
            ({"sequence_tokens": 8192}, {}),
        ]
    return draw(st.sampled_from(limits))


@EXAMPLES
@given(st.data())
def test_a_relaxed_limit_never_raises_the_least_price(data: st.DataObject) -> None:
    need = data.draw(needs())
    hard, easy = data.draw(relaxed(need))
    assert least(ask(need | easy)) <= least(ask(need | hard))


def least_told(result: ConfigureResult) -> list[Decimal]:
    """What money would do at least, where no money of the need does; cards without a machine are told besides."""
    dear = [one for one in result.rejected if one.price_usd and one.reasons[0].code == "too_dear"]
    return [one.price_usd for one in dear if all(told.code != "host_must_take" for told in one.reasons)]


@EXAMPLES
@given(need=needs(), small=st.sampled_from([1, 200, 1000, 2500]), more=st.sampled_from([1.0, 1.3, 2.0, 5.0]))
def test_the_least_told_is_what_that_money_buys_and_nothing_shown_costs_less(
    need: Fields, small: float, more: float
) -> None:
    """Second-hand cards and tight fits that would be shown for less are told as well."""
    way = need["acquisition"]
    budget = {"amount": small, "mode": way, "period": "month" if way == "rent" else None}
    short = ask(need | {"budget": budget})
    told = least_told(short)
    if short.configurations or not told:
        return
    assert told == sorted(told)
    enough = float(min(told)) * more * (HOURS_PER_MONTH * 1.0001 if way == "rent" else 1)
    found = ask(need | {"budget": {**budget, "amount": enough}})
    shown = [one.price.amount for one in found.configurations if one.price.complete and one.price.amount]
    assert all(amount >= min(told) for amount in shown)
    assert shown or need["max_results"] == 2  # a tight fit takes no room from sure ones


@pytest.mark.parametrize("model", ["Llama-3.1-8B", "Qwen2.5-32B", "Qwen2.5-72B"])
def test_what_leads_for_its_precision_stands_beside_what_costs_less(model: str) -> None:
    """The published precision is shown where it is to be had, and so is the least price."""
    found = whole(ask({"task": "inference", "model": model, "acquisition": "buy", "with_frontier": False}))
    alone = [
        least(ask({"task": "inference", "model": model, "acquisition": "buy", "weight_format": form}))
        for form in (None, "fp8", "awq")
    ]
    assert any(precision_lost(str(one.weight_format), "bf16") == 0 for one in found)
    assert min(one.price.amount or 0 for one in found if one.condition == "new") == min(alone)


SPENT = (
    {"task": "full_finetune", "params": 13_000_000_000},
    {"task": "qlora", "model": "Llama-3.1-70B"},
    {"task": "lora", "model": "Qwen2.5-14B-Instruct"},
    {"task": "vision"},
    {"task": "diffusion"},
    {"task": "speech"},
    {"task": "inference"},
    {"task": "embedding"},
)


def bought(result: ConfigureResult, native: str) -> tuple[bool, int, float] | None:
    """Whether it is whole, the precision kept and the speed of what leads; null when nothing does."""
    if not result.configurations or not result.frontier:
        return None
    first, measure = result.configurations[0], result.frontier[0].measure
    kept = -precision_lost(str(first.weight_format), native)
    return first.price.complete, kept, float((first.speed or {}).get(measure) or 0)


@EXAMPLES
@given(work=st.sampled_from(SPENT), small=st.floats(2000, 600_000), times=st.floats(1.0, 2.0))
def test_a_bigger_budget_never_buys_less(work: Fields, small: float, times: float) -> None:
    native = "nf4_dq" if work["task"] == "qlora" else "bf16"
    before, after = (
        bought(ask({**work, "budget": {"amount": amount, "mode": "buy"}}), native) for amount in (small, small * times)
    )
    assert before is None or (after is not None and after >= before)


@pytest.mark.parametrize(
    ("work", "least_usd", "most_usd"),
    [
        ({"task": "speech"}, 200_000, 400_000),
        ({"task": "embedding"}, 8_000, 150_000),
        ({"task": "lora"}, 20_000, 120_000),
    ],
    ids=lambda given: given["task"] if isinstance(given, dict) else None,
)
def test_no_step_of_a_growing_budget_buys_less(work: Fields, least_usd: int, most_usd: int) -> None:
    """Where cards of many kinds are near equals, each few per cent more money is at least as fast."""
    amounts = [least_usd * 1.04**step for step in range(100) if least_usd * 1.04**step <= most_usd]
    found = [bought(ask({**work, "budget": {"amount": amount, "mode": "buy"}}), "bf16") for amount in amounts]
    known = [one for one in found if one is not None]
    assert len(known) == len(found)
    assert known == sorted(known)

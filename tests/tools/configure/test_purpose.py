"""Needs that say what a model is for, but not which."""

from itertools import pairwise

from kb.models import models
from tools.configure import configure
from tools.configure.request import ConfigureRequest
from tools.configure.result import ConfigureResult


def bought_for(amount: float | None, **need: object) -> ConfigureResult:
    budget = {"budget": {"amount": amount, "currency": "USD", "mode": "buy"}} if amount else {}
    return configure(ConfigureRequest.model_validate({"purpose": "coding", "acquisition": "buy", **budget, **need}))


def test_more_money_never_means_a_smaller_model() -> None:
    sizes = [models()[str(bought_for(amount).model)].params for amount in (3_000, 10_000, 40_000, 400_000)]
    assert all(less <= more for less, more in pairwise(sizes))
    assert sizes[0] < sizes[-1]


def test_what_is_found_stays_within_the_budget() -> None:
    found = bought_for(40_000)
    assert found.configurations
    assert all(one.price.amount is not None and one.price.amount <= 40_000 for one in found.configurations)


def test_the_model_taken_is_said_first_with_its_source() -> None:
    found = bought_for(40_000)
    assert models()[str(found.model)].name in found.assumptions[0]
    assert any(source.id == "qwen-coder-model-cards" for source in found.sources)


def test_without_a_limit_the_model_is_a_middling_one() -> None:
    assert models()[str(bought_for(None).model)].params < models()["Qwen/Qwen3-Coder-480B-A35B-Instruct"].params


def test_a_named_model_is_not_replaced() -> None:
    assert bought_for(40_000, model="Qwen/Qwen3-8B").model == "Qwen/Qwen3-8B"

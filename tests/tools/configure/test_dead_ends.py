"""Money that buys nothing: the nearest that does, what to give up for it, and that what is told then holds."""

import random
from typing import Any

import pytest

from tools.configure import configure
from tools.configure.request import ConfigureRequest
from tools.configure.result import ConfigureResult, Rejected

MODELS = ("Qwen/Qwen3-32B", "Llama-3.3-70B-Instruct", "Qwen/Qwen3-8B", "openai/gpt-oss-120b", "Qwen/Qwen3-235B-A22B")
SEEDS = 12


def _need(seed: int) -> dict[str, Any]:
    chance = random.Random(seed)
    return {
        "task": "inference", "model": MODELS[seed % len(MODELS)], "acquisition": "buy", "with_frontier": False,
        "concurrent_sequences": chance.choice([16, 64, 128]), "context_tokens": chance.choice([8192, 16384, 32768]),
        "budget": {"amount": chance.choice([1500, 4000, 9000]), "currency": "USD", "mode": "buy"},
    }  # fmt: skip


def ask(need: dict[str, Any]) -> ConfigureResult:
    return configure(ConfigureRequest.model_validate(need))


def of(found: ConfigureResult, code: str) -> list[Rejected]:
    return [one for one in found.rejected if code in {reason.code for reason in one.reasons}]


@pytest.mark.parametrize("seed", range(SEEDS))
def test_nothing_within_the_money_is_no_dead_end(seed: int) -> None:
    need = _need(seed)
    found = ask(need)
    if found.configurations:
        return
    dear = of(found, "raise_budget")
    assert dear, "what more money does"
    raised = need | {"budget": need["budget"] | {"amount": float(dear[0].price_usd or 0) * 1.3}}
    assert ask(raised).configurations
    for code, field in (("fewer_at_once", "concurrent_sequences"), ("shorter_texts", "context_tokens")):
        for one in of(found, code):
            reached = next(reason.values["reached"] for reason in one.reasons if reason.code == code)
            assert int(str(reached)) < need[field]
            assert ask(need | {field: reached}).configurations
            assert float(one.price_usd or 0) <= need["budget"]["amount"]


def test_both_happen_among_those() -> None:
    """Otherwise the test above would be about nothing."""
    found = [ask(_need(seed)) for seed in range(SEEDS)]
    empty = [one for one in found if not one.configurations]
    assert len(empty) >= SEEDS / 3
    assert sum(bool(of(one, "fewer_at_once")) for one in empty) >= 2

"""Whatever else is to be had, with more money, cards or memory, what leads is worth no less."""

import random
from decimal import Decimal
from typing import Any

import pytest

from kb.units import GIB
from tools.configure.asked import read
from tools.configure.rank.bands import cost, lacking, leaders
from tools.configure.rank.ranking import Found
from tools.configure.request import ConfigureRequest
from tools.configure.search import Search

MODELS = ("Qwen/Qwen3-32B", "Llama-3.3-70B-Instruct", "Qwen/Qwen3-8B", "openai/gpt-oss-120b", "Qwen/Qwen3-30B-A3B")
SEEDS = 12
MORE: dict[str, tuple[dict[str, Any], ...]] = {
    "money": tuple(
        {"budget": {"amount": amount, "currency": "USD"}} for amount in (2500, 5000, 12_000, 30_000, 90_000)
    ),
    "cards": tuple({"max_gpus": count} for count in (1, 2, 4, 8, 16)),
    "memory": tuple({"card_memory_most_bytes": size * GIB} for size in (12, 16, 24, 48, 96)),
}


def _need(seed: int, way: str) -> dict[str, Any]:
    chance = random.Random(seed)
    need = {
        "task": "inference", "model": MODELS[seed % len(MODELS)], "acquisition": way,
        "concurrent_sequences": chance.choice([1, 1, 4, 20, 64]), "context_tokens": chance.choice([4096, 8192, 16384]),
        "target_tokens_per_s": chance.choice([None, None, 15.0, 30.0]),
    }  # fmt: skip
    return {name: value for name, value in need.items() if value is not None}


def _leading(fields: dict[str, Any], way: str) -> tuple[Search, Found | None]:
    search = Search(read(ConfigureRequest.model_validate(fields)))
    return search, next(leaders(search, way), None)


@pytest.mark.parametrize("more", MORE)
@pytest.mark.parametrize("seed", range(SEEDS))
def test_more_never_makes_what_leads_worth_less(seed: int, more: str) -> None:
    way = "buy" if more == "money" else ("buy", "rent")[seed % 2]
    need = _need(seed, way)
    before: Found | None = None
    for change in MORE[more]:
        search, found = _leading(need | change, way)
        assert before is None or found is not None
        if before is not None and found is not None and before.option.choice.complete:
            assert found.option.choice.complete
            assert cost(search, found) <= cost(search, before) * Decimal("1.000000001")
            if more == "money":  # more of it buys no slower, coarser or more scattered order
                assert lacking(search, found) <= lacking(search, before) * 1.000000001
        before = found or before


def test_what_leads_changes_among_those() -> None:
    """Otherwise the test above would be about nothing."""
    changed = 0
    for seed in range(SEEDS):
        found = [_leading(_need(seed, "buy") | change, "buy")[1] for change in MORE["money"]]
        names = {one.option.choice.gpu.id for one in found if one is not None}
        changed += len(names) > 1
    assert changed >= SEEDS / 2

"""What must hold of every problem: more never makes the best way worse, a constraint only narrows."""

import random
from itertools import pairwise

import pytest

from kb.units import GIB
from tools.ways_to_run.request import WaysToRunRequest
from tools.ways_to_run.search import search
from tools.ways_to_run.space.load import load_of
from tools.ways_to_run.space.machine import machine_of
from tools.ways_to_run.weigh.worth import Weighed

SEEDS = range(40)
MODELS = (
    "Qwen/Qwen3-8B", "Qwen/Qwen3-32B", "Qwen/Qwen3-30B-A3B", "meta-llama/Llama-3.3-70B-Instruct", "openai/gpt-oss-120b",
    "zai-org/GLM-4.5-Air", "deepseek-ai/DeepSeek-R1",
)  # fmt: skip
CARDS = ("rtx-3090-24gb", "rtx-4090-24gb", "rtx-3060-12gb", "h100-sxm-80gb", "l20-48gb", "p40-24gb", "h20-96gb")
LINES = (
    ("rtx-3090-24gb", "rtx-3090-ti-24gb"), ("rtx-4080-16gb", "rtx-4090-24gb"), ("rtx-4090-24gb", "rtx-5090-32gb"),
    ("a100-sxm-40gb", "a100-sxm-80gb"), ("h100-sxm-80gb", "h200-sxm-141gb"), ("h200-sxm-141gb", "b200-sxm-180gb"),
    ("apple-m3-max-64gb", "apple-m3-ultra-96gb"), ("l4-24gb", "l40s-48gb"),
)  # fmt: skip
"""A card, and one of its line with more memory, bandwidth and compute."""
ROUNDING = 1e-9


def best(**fields: object) -> Weighed | None:
    """The best way, or null."""
    request = WaysToRunRequest.model_validate(fields)
    ways = search(machine_of(request), load_of(request, request.objective)).ways
    return ways[0] if ways else None


def _problem(seed: int) -> dict[str, object]:
    draw = random.Random(seed)
    return {
        "model": draw.choice(MODELS), "context_tokens": draw.choice((2048, 8192, 32768)),
        "concurrent_sequences": draw.choice((1, 1, 8, 32)), "target_tokens_per_s": draw.choice((None, None, 15.0)),
        "cards": [{"gpu": draw.choice(CARDS), "count": draw.choice((1, 2, 3))}],
        "host_memory_bytes": draw.choice((None, 64 * GIB, 256 * GIB)),
    }  # fmt: skip


def _no_worse(more: Weighed | None, less: Weighed | None) -> bool:
    return less is None or (more is not None and more.rank >= tuple(value - ROUNDING for value in less.rank))


@pytest.mark.parametrize("seed", SEEDS)
def test_one_more_card_never_makes_the_best_way_worse(seed: int) -> None:
    fields = _problem(seed)
    (card,) = fields["cards"]  # type: ignore[misc]

    assert _no_worse(best(**fields | {"cards": [card | {"count": card["count"] + 1}]}), best(**fields))


@pytest.mark.parametrize("seed", SEEDS)
def test_more_memory_on_the_cards_never_makes_the_best_way_worse(seed: int) -> None:
    fields = _problem(seed)
    (card,) = fields["cards"]  # type: ignore[misc]
    larger = [best(**fields | {"cards": [card | {"memory_bytes": size * GIB}]}) for size in (24, 40, 72, 96)]

    assert all(_no_worse(more, less) for less, more in pairwise(larger))


@pytest.mark.parametrize("seed", SEEDS)
def test_more_host_memory_never_makes_the_best_way_worse(seed: int) -> None:
    fields = _problem(seed)
    grown = [best(**fields | {"host_memory_bytes": size and size * GIB}) for size in (None, 32, 128, 256, 768)]

    assert all(_no_worse(more, less) for less, more in pairwise(grown))


@pytest.mark.parametrize("seed", SEEDS)
def test_memory_taken_never_makes_the_best_way_better(seed: int) -> None:
    fields = _problem(seed)

    assert _no_worse(best(**fields), best(**fields | {"memory_taken_bytes": 4 * GIB}))


@pytest.mark.parametrize(
    "constraint",
    [{"weight_format": "fp8"}, {"weight_format": "gguf:Q4_K_M"}, {"kv_format": "q8_0"}, {"engine": "vllm"},
     {"engine": "llama.cpp"}, {"parallel": {"tp": 2}}, {"parallel": {"pp": 2}}],
    ids=str,
)  # fmt: skip
@pytest.mark.parametrize("seed", range(8))
def test_a_constraint_only_narrows(seed: int, constraint: dict[str, object]) -> None:
    fields = _problem(seed)

    assert _no_worse(best(**fields), best(**fields | constraint))


@pytest.mark.parametrize(("older", "newer"), LINES, ids=str)
@pytest.mark.parametrize("model", MODELS[:5])
def test_a_card_with_more_of_everything_is_never_slower(older: str, newer: str, model: str) -> None:
    """Of the same format: a better card may be given a better one."""
    fields: dict[str, object] = {"model": model, "objective": "fastest", "context_tokens": 8192}
    slow, fast = (best(**fields | {"cards": [{"gpu": gpu}]}) for gpu in (older, newer))

    assert slow is None or (fast is not None and (fast.rank[1], fast.rate) >= (slow.rank[1], slow.rate))


def test_the_order_of_cards_does_not_matter() -> None:
    one, other = (
        best(model="Qwen/Qwen3-32B", cards=cards)
        for cards in (["rtx 3090", "rtx 3060 12gb"], ["rtx 3060 12gb", "rtx 3090"])
    )

    assert one is not None
    assert other is not None
    assert one.rank == other.rank

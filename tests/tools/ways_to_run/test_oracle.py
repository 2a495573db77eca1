"""The search finds what trying everything finds, on random problems."""

import random

import pytest

from kb.constants.quality import quality
from kb.units import GIB
from tests.tools.ways_to_run.brute import best_by_force
from tools.ways_to_run.request import WaysToRunRequest
from tools.ways_to_run.search import search
from tools.ways_to_run.space.load import Load, load_of
from tools.ways_to_run.space.machine import machine_of
from tools.ways_to_run.weigh.worth import Weighed

PROBLEMS, BATCH = 200, 20
MODELS = (
    "Qwen/Qwen3-8B", "Qwen/Qwen3-32B", "Qwen/Qwen3-30B-A3B", "meta-llama/Llama-3.3-70B-Instruct", "openai/gpt-oss-120b",
    "zai-org/GLM-4.5-Air", "Qwen/Qwen2.5-14B-Instruct", "google/gemma-3-27b-it", "Qwen/Qwen3-235B-A22B",
)  # fmt: skip
CARDS = (
    "rtx-3090-24gb", "rtx-4090-24gb", "rtx-3060-12gb", "rtx-5090-32gb", "h100-sxm-80gb", "p40-24gb", "l20-48gb",
    "v100-sxm2-32gb", "apple-m3-ultra-96gb",
)  # fmt: skip
CLOSE = 0.04
"""Ranks this close are alike: the oracle deals its layers out by its own arithmetic."""


def _problem(draw: random.Random) -> dict[str, object]:
    fields: dict[str, object] = {
        "model": draw.choice(MODELS), "cards": [{"gpu": draw.choice(CARDS), "count": draw.choice((1, 1, 2, 3, 4))}],
        "context_tokens": draw.choice((2048, 8192, 32768)), "concurrent_sequences": draw.choice((1, 1, 1, 4, 16)),
    }  # fmt: skip
    if draw.random() < 0.4:
        fields["host_memory_bytes"] = draw.choice((32, 64, 128, 512)) * GIB
    if draw.random() < 0.2:
        fields["memory_taken_bytes"] = draw.choice((1, 6)) * GIB
    if draw.random() < 0.2:
        fields["target_tokens_per_s"] = draw.choice((5.0, 20.0, 60.0))
    if draw.random() < 0.15:
        fields["engine"] = draw.choice(("vllm", "llama.cpp"))
    if draw.random() < 0.15:
        fields["weight_format"] = draw.choice(("fp8", "awq", "gguf:Q4_K_M", "bf16"))
    return fields


def _leads_rightly(load: Load, ways: list[Weighed]) -> None:
    """No way of like quality is faster than the first without host memory, or much faster on more of the cards."""
    first, most = ways[0], ways[0].loss_percent + quality().exchange.like_percent
    for one in ways[1:] if load.objective in (None, "fastest") else ():
        alike = one.loss_percent <= most and one.rank[0] >= first.rank[0]
        if not alike or (one.candidate.held.surety == "tight" and first.candidate.held.surety == "yes"):
            continue
        assert one.candidate.used <= first.candidate.used or one.rate < 1.3 * first.rate, (one, first)
        assert one.candidate.offloads or not first.candidate.offloads or one.rate <= first.rate, (one, first)


@pytest.mark.parametrize("start", range(0, PROBLEMS, BATCH))
def test_the_search_finds_what_trying_everything_finds(start: int) -> None:
    for seed in range(start, start + BATCH):
        fields = _problem(random.Random(seed))
        request = WaysToRunRequest.model_validate(fields)
        machine, load = machine_of(request), load_of(request)

        found, forced = search(machine, load).ways, best_by_force(machine, load)

        assert bool(found) == (forced is not None), fields
        if found and forced is not None:
            best = max(found, key=lambda one: one.rank)
            assert best.rank == pytest.approx(forced.rank, abs=CLOSE), (fields, best, forced)
            _leads_rightly(load, found)

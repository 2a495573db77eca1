"""Leave a source out, refit what was fitted on the others, and measure on the one left out."""

from collections.abc import Iterator
from contextlib import contextmanager
from statistics import median
from typing import Any

from published import Run, Score, score

from kb.base import Frozen
from kb.constants.memory_constants import constants

FACTORS = (0.7, 0.85, 1.0, 1.15, 1.3)
Path = tuple[str | int, ...]
FITTED: tuple[Path, ...] = (
    ("training", "context_bytes"),
    ("training", "slack_bytes"),
    ("training", "fragmentation_ratio"),
    ("training", "zero3_slack_ratio"),
    ("training", "logit_bytes", "autocast"),
    ("training", "logit_bytes", "shifted"),
    ("training", "logit_bytes", "native16"),
    ("training", "logit_bytes", "chunked"),
    ("transformers", "context_bytes"),
    ("transformers", "cache_copy_ratio"),
    ("transformers", "cache_slack_ratio"),
    ("vllm", "context_bytes"),
    ("vllm", "versions", -1, "sampler_copies"),
    ("vllm", "versions", -1, "non_torch_bytes"),
    ("vllm", "versions", -1, "non_torch_parallel_bytes"),
    ("vllm", "versions", -1, "graphs_bytes"),
    ("vllm", "versions", -2, "sampler_copies"),
    ("vllm", "versions", -2, "non_torch_parallel_bytes"),
    ("diffusion", "step_bytes_per_token"),
    ("diffusion", "vae_bytes_per_pixel"),
    ("diffusion", "video_vae_bytes_per_pixel"),
    ("diffusion", "base_bytes"),
    ("encoder", "context_bytes"),
)
"""Constants of `kb/facts/memory.yaml` that were chosen to fit measurements, by their path."""


@contextmanager
def scaled(factors: dict[Path, float]) -> Iterator[None]:
    """The constants with these factors on, for a while."""
    before: list[tuple[dict[str, Any], Any, Any]] = []
    for path, factor in factors.items():
        holder: Any = constants()
        for name in path[:-1]:
            holder = getattr(holder, str(name)) if isinstance(holder, Frozen) else holder[name]
        fields: dict[str, Any] = holder.__dict__ if isinstance(holder, Frozen) else holder
        before.append((fields, path[-1], fields[path[-1]]))
        fields[path[-1]] = type(fields[path[-1]])(fields[path[-1]] * factor)
    try:
        yield
    finally:
        for fields, name, value in before:
            fields[name] = value


def refitted(runs: list[Run]) -> dict[str, list[Score]]:
    """Each source's runs as estimated with constants refitted on every other source.

    Constants are refitted one at a time, each to the factor with the least mean absolute error over the other
    sources; where several do equally well, the one closest to no change.
    """
    errors: dict[tuple[Path, float], list[float]] = {}
    for path in FITTED:
        for factor in FACTORS:
            with scaled({path: factor}):
                errors[path, factor] = [abs(score(run).error) for run in runs]
    found: dict[str, list[Score]] = {}
    for source in {run.source for run in runs}:
        others = [index for index, run in enumerate(runs) if run.source != source]
        chosen = {path: _best({factor: errors[path, factor] for factor in FACTORS}, others) for path in FITTED}
        with scaled(chosen):
            found[source] = [score(run) for run in runs if run.source == source]
    return found


def _best(errors: dict[float, list[float]], rows: list[int]) -> float:
    """The factor with the least mean error over these rows; of equals, the one closest to no change."""
    return min(errors, key=lambda factor: (round(sum(errors[factor][row] for row in rows), 4), abs(factor - 1)))


def median_error(scores: list[Score]) -> float:
    """Of the absolute errors."""
    return median(abs(row.error) for row in scores)

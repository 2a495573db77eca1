"""Published measurements as requests, and how far an estimate is from them."""

import math
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median
from typing import Any

import yaml

from tools.memory import estimate_memory
from tools.memory.request import MemoryRequest
from tools.memory.result import MemoryEstimate

CASES = Path(__file__).parents[1] / "cases"
FIRST, LATER = "memory.yaml", "memory_more.yaml"
"""Runs in sight while constants were chosen, and runs read afterwards."""
UNSEEN = {"allocated": {"framework", "fragmentation"}, "reserved": {"framework"}, "total": set[str]()}
"""Meter → the parts it does not see."""


@dataclass(frozen=True)
class Run:
    """One measurement."""

    source: str
    kind: str
    part: str
    bytes: int
    capped: bool
    request: MemoryRequest


@dataclass(frozen=True)
class Score:
    """One measurement beside its estimate."""

    run: Run
    predicted: float
    error: float
    covered: bool | None
    """Whether the interval holds the measurement; None for a part alone."""
    half_width: float


def runs(*names: str) -> list[Run]:
    """The published runs of these files; of both without a name."""
    texts = [(CASES / name).read_text(encoding="utf-8") for name in names or (FIRST, LATER)]
    groups: list[dict[str, Any]] = [group for text in texts for group in yaml.safe_load(text)]
    return [
        Run(
            group["source"],
            row["class"],
            row["part"],
            row["bytes"],
            row.get("capped", False),
            MemoryRequest(**row["request"]),
        )
        for group in groups
        for row in group["runs"]
    ]


def score(run: Run) -> Score:
    """The estimate of a run against what was measured."""
    estimate = estimate_memory(run.request)
    predicted = seen(estimate, run.part)
    per_gpu = estimate.per_gpu
    unseen = per_gpu.total_bytes - predicted
    whole = run.part in UNSEEN
    covered = per_gpu.low_bytes <= run.bytes + unseen <= per_gpu.high_bytes if whole else None
    half = (per_gpu.high_bytes - per_gpu.low_bytes) / 2 / per_gpu.total_bytes
    return Score(run, predicted, predicted / run.bytes - 1, covered, half)


def seen(estimate: MemoryEstimate, part: str) -> float:
    """The bytes a meter sees, or the sum of the named parts."""
    if part in UNSEEN:
        return sum(row.bytes for row in estimate.per_gpu.parts if row.name not in UNSEEN[part])
    return sum(row.bytes for row in estimate.per_gpu.parts if row.name in part.split("+"))


def p90(errors: list[float]) -> float:
    """Nearest-rank 90th percentile of the absolute errors."""
    return sorted(map(abs, errors))[math.ceil(0.9 * len(errors)) - 1]


def summary(errors: list[float]) -> dict[str, float]:
    """Count, median and 90th percentile of the absolute errors, and the mean signed error."""
    return {"n": len(errors), "median": median(map(abs, errors)), "p90": p90(errors), "signed": fmean(errors)}

"""Near measurements: what they say beside the formula, and how far they move it."""

import math
from dataclasses import dataclass
from functools import lru_cache

from kb.measured_speed import MeasuredSpeed, measured_speeds
from kb.speed_constants import Neighbours, constants
from tools.speed.result import Evidence, Label
from tools.speed.work import Work

SHOWN = 5
"""Rows of evidence in a result."""
SAME = 1e-6
NEAR = 0.4
"""Distance below which a measurement has moved the estimate noticeably."""
FAR = 3.0
"""Distance from which a measurement says nothing."""


@dataclass(frozen=True, slots=True)
class Case:
    """What two cases are compared by."""

    model: str
    active_params: float
    moe: bool
    gpu: str
    architecture: str
    engine: str
    format: str
    cards: int
    sequences: float
    input_tokens: float
    output_tokens: float


@dataclass(frozen=True, slots=True)
class Correction:
    """What the evidence does to the formula."""

    factor: float
    weight: float
    """0 = no evidence near; towards 1 = many near measurements."""
    label: Label
    evidence: tuple[Evidence, ...]

    @property
    def factor_of_rate(self) -> float:
        """The correction of a rate rather than of a time."""
        return 1 / self.factor


def correction(work: Work) -> Correction:
    """Near decode measurements against the formula at the same cases.

        factor = exp(Σ k·log(measured / formula) / (Σ k + nugget)),   k = exp(-distance / scale)

    Far from every measurement the factor is 1 and the formula stands alone.
    """
    return corrected(case_of(work), "decode")


def prompt_correction(work: Work) -> Correction:
    """The same for the reading of prompts."""
    return corrected(case_of(work), "prefill")


def corrected(
    case: Case, kind: str, settings: Neighbours | None = None, *, skip: frozenset[str] = frozenset()
) -> Correction:
    """The correction of a case from rows of one kind, leaving out the rows of ids in `skip`."""
    settings = settings or constants().neighbours
    rows = (row for row in measured_speeds() if row.kind == kind and row.id not in skip)
    apart_from = ((distance(case, row_case(row)), row) for row in rows)
    near = sorted((pair for pair in apart_from if pair[0] < FAR), key=lambda pair: (pair[0], pair[1].id))
    total = shift = 0.0
    for apart, row in near:
        weight = math.exp(-apart / settings.scale)
        total += weight
        shift += weight * math.log(_seconds(row, row.value) / _seconds(row, row.estimate))
    weight = total / (total + settings.nugget)
    factor = math.exp(shift / (total + settings.nugget)) if total else 1.0
    label: Label = "formula"
    if near and near[0][0] < SAME:
        label = "measured"
    elif weight >= settings.near:
        label = "interpolated"
    shown = tuple(_shown(apart, row) for apart, row in near[:SHOWN])
    return Correction(factor=factor, weight=weight, label=label, evidence=shown)


def case_of(work: Work) -> Case:
    """The case a load is."""
    layout = work.layout
    return Case(
        model=work.arch.id or work.arch.name, active_params=work.arch.active_params, moe=work.arch.moe, gpu=work.gpu.id,
        architecture=work.gpu.architecture, engine=work.engine, format=work.format.name, cards=layout.tensor,
        sequences=work.sequences * layout.replicas, input_tokens=work.input_tokens, output_tokens=work.output_tokens,
    )  # fmt: skip


@lru_cache(maxsize=4096)
def _row_case(identity: str) -> Case:
    row = next(row for row in measured_speeds() if row.id == identity)
    return Case(
        model=row.model, active_params=row.active_params, moe=row.moe, gpu=row.gpu, architecture=row.architecture,
        engine=row.engine, format=row.format, cards=row.tensor_parallel, sequences=row.sequences,
        input_tokens=row.input_tokens, output_tokens=row.output_tokens,
    )  # fmt: skip


def row_case(row: MeasuredSpeed) -> Case:
    """The case a measurement is."""
    return _row_case(row.id)


def distance(one: Case, other: Case) -> float:
    """0 for the same case; about 1 for each of model, card, format or engine that differs."""
    apart = 0.0
    if one.model != other.model:
        size = abs(math.log(one.active_params / other.active_params))
        apart += 0.6 * (one.moe != other.moe) + min(0.5 + 0.25 * size, 1.5)
    if one.gpu != other.gpu:
        apart += 0.5 if one.architecture == other.architecture else 1.0
    apart += 0.6 * (one.format != other.format) + 0.6 * (one.engine != other.engine)
    apart += 0.2 * abs(math.log(one.cards / other.cards))
    apart += 0.12 * abs(math.log(one.sequences / other.sequences))
    apart += 0.06 * abs(math.log((one.input_tokens + 64) / (other.input_tokens + 64)))
    return apart + 0.04 * abs(math.log((one.output_tokens + 64) / (other.output_tokens + 64)))


def _seconds(row: MeasuredSpeed, value: float) -> float:
    """A figure as time: rates the other way round."""
    return value if row.measure.endswith("_s") and "per_s" not in row.measure else 1 / value


def _shown(apart: float, row: MeasuredSpeed) -> Evidence:
    label: Label = "measured" if apart < SAME else "interpolated" if apart < NEAR else "formula"
    return Evidence(
        id=row.id, label=label, description=row.description, measure=row.measure, value=row.value,
        estimate=row.estimate, distance=round(apart, 3), source=row.source,
    )  # fmt: skip

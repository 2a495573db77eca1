"""Near measurements: what they say beside the formula, and how far they move it."""

import math
from dataclasses import dataclass
from functools import lru_cache
from operator import itemgetter
from typing import NamedTuple

from kb.measured_speed import MeasuredSpeed, measured_speeds
from kb.speed_constants import Neighbours, constants
from tools.speed.result import Evidence, Label
from tools.speed.work import Work

SHOWN = 5
"""Rows of evidence in a result."""
SAME = 1e-6
NEAR = 0.4
"""Distance below which a measurement has moved the estimate noticeably."""
FAR = 2.0
"""Distance from which a measurement says nothing."""


class Case(NamedTuple):
    """What two cases are compared by; counts as logarithms, so that distances are ratios."""

    model: str
    gpu: str
    architecture: str
    engine: str
    format: str
    moe: bool
    active: float
    cards: float
    sequences: float
    input: float
    output: float


def case(
    model: str, gpu: str, architecture: str, engine: str, weight_format: str, moe: bool, active_params: float,
    cards: float, sequences: float, input_tokens: float, output_tokens: float,
) -> Case:  # fmt: skip
    """A case from its counts; 64 tokens are added so that very short prompts count as alike."""
    return Case(
        model, gpu, architecture, engine, weight_format, moe, math.log(active_params), math.log(cards),
        math.log(sequences), math.log(input_tokens + 64), math.log(output_tokens + 64),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Correction:
    """What the evidence does to the formula."""

    factor: float
    weight: float
    """0 = no evidence near; towards 1 = many near measurements."""
    label: Label
    nearest: tuple[tuple[float, MeasuredSpeed], ...]
    """(distance, row) of the nearest few."""

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """The nearest measurements as they are shown."""
        return tuple(_shown(apart, row) for apart, row in self.nearest)

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
    asked: Case, kind: str, settings: Neighbours | None = None, *, skip: frozenset[str] = frozenset()
) -> Correction:
    """The correction of a case from rows of one kind, leaving out the rows of ids in `skip`."""
    settings = settings or constants().neighbours
    near = _near(asked, kind, skip)
    total = shift = 0.0
    for apart, _, away, _ in near:
        weight = math.exp(-apart / settings.scale)
        total += weight
        shift += weight * away
    weight = total / (total + settings.nugget)
    factor = math.exp(shift / (total + settings.nugget)) if total else 1.0
    label: Label = "formula"
    if near and near[0][0] < SAME:
        label = "measured"
    elif weight >= settings.near:
        label = "interpolated"
    nearest = tuple((apart, row) for apart, _, _, row in near[:SHOWN])
    return Correction(factor=factor, weight=weight, label=label, nearest=nearest)


def case_of(work: Work) -> Case:
    """The case a load is."""
    arch, layout = work.arch, work.layout
    engine = f"{work.engine} answering only" if work.separate_prefill else work.engine
    return case(
        arch.id or arch.name, work.gpu.id, work.gpu.architecture, engine, work.format.name, arch.moe,
        arch.active_params, layout.tensor, work.sequences * layout.replicas, work.input_tokens, work.output_tokens,
    )  # fmt: skip


def _near(asked: Case, kind: str, skip: frozenset[str]) -> list[tuple[float, str, float, MeasuredSpeed]]:
    """(distance, id, log(measured / formula) of times, row) of near rows, the nearest first."""
    found = []
    for far, other, away, row in _alike(asked[:7], kind):
        apart = far + _apart_in_load(asked, other)
        if apart < FAR and row.id not in skip:
            found.append((apart, row.id, away, row))
    return sorted(found, key=itemgetter(0, 1))


def least_factor(asked: Case, kind: str) -> float:
    """A factor below which no correction of this model, card, engine and format goes, whatever its load and layout.

    A correction is a mean of what single rows say, shrunk towards 1.
    """
    return math.exp(min(_least_shift(asked[:7], kind), 0.0))


@lru_cache(maxsize=8192)
def _least_shift(asked: tuple[object, ...], kind: str) -> float:
    return min((away for _, _, away, _ in _alike(asked, kind)), default=0.0)


@lru_cache(maxsize=8192)
def _alike(asked: tuple[object, ...], kind: str) -> tuple[tuple[float, Case, float, MeasuredSpeed], ...]:
    """Rows near enough but for their load, with how far they are: the same for every load and layout."""
    case_ = Case._make((*asked, 0.0, 0.0, 0.0, 0.0))
    apart = ((_apart_in_kind(case_, known), rows) for known, rows in _cases(kind))
    return tuple(
        (far, other, math.log(_seconds(row, row.value) / _seconds(row, row.estimate)), row)
        for far, rows in apart
        if far < FAR
        for other, row in rows
    )


@lru_cache(maxsize=8)
def _cases(kind: str) -> tuple[tuple[Case, list[tuple[Case, MeasuredSpeed]]], ...]:
    """Rows of one kind, those alike but for their load together."""
    alike: dict[tuple[object, ...], list[tuple[Case, MeasuredSpeed]]] = {}
    for row in measured_speeds():
        if row.kind == kind:
            known = row_case(row)
            alike.setdefault(known[:7], []).append((known, row))
    return tuple((rows[0][0], rows) for rows in alike.values())


def row_case(row: MeasuredSpeed) -> Case:
    """The case a measurement is."""
    return case(
        row.model, row.gpu, row.architecture, row.engine, row.format, row.moe, row.active_params,
        row.tensor_parallel, row.sequences, row.input_tokens, row.output_tokens,
    )  # fmt: skip


def distance(one: Case, other: Case) -> float:
    """0 for the same case; about 1 for each of model, card, format or engine that differs."""
    return _apart_in_kind(one, other) + _apart_in_load(one, other)


def _apart_in_kind(one: Case, other: Case) -> float:
    apart = 0.0
    if one.model != other.model:
        apart += 0.6 * (one.moe != other.moe) + min(0.5 + 0.25 * abs(one.active - other.active), 1.5)
    if one.gpu != other.gpu:
        apart += 0.5 if one.architecture == other.architecture else 1.0
    return apart + 0.6 * (one.format != other.format) + 0.6 * (one.engine != other.engine)


def _apart_in_load(one: Case, other: Case) -> float:
    apart = 0.2 * abs(one.cards - other.cards) + 0.12 * abs(one.sequences - other.sequences)
    return apart + 0.06 * abs(one.input - other.input) + 0.04 * abs(one.output - other.output)


def _seconds(row: MeasuredSpeed, value: float) -> float:
    """A figure as time: rates the other way round."""
    return value if is_time(row.measure) else 1 / value


def is_time(measure: str) -> bool:
    """Whether more of it is slower."""
    return measure == "realtime_factor" or (measure.endswith("_s") and "per_s" not in measure)


def _shown(apart: float, row: MeasuredSpeed) -> Evidence:
    label: Label = "measured" if apart < SAME else "interpolated" if apart < NEAR else "formula"
    return Evidence(
        id=row.id, label=label, description=row.description, measure=row.measure, value=row.value,
        estimate=row.estimate, distance=round(apart, 3), source=row.source,
    )  # fmt: skip

"""Near measurements: what they say beside the formula, and how far they move it."""

import math
from collections import Counter
from functools import lru_cache
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from kb.catalog import gpus
from kb.constants.measured_speed import MeasuredSpeed, measured_speeds
from kb.constants.speed_constants import Neighbours, constants
from tools.speed.result import Evidence, Label
from tools.speed.work import Work

if TYPE_CHECKING:  # a tenth of a second to load, which nobody pays who asks for no speed
    import numpy
    from numpy.typing import NDArray

    Numbers = NDArray[numpy.float64]
    Flags = NDArray[numpy.bool_]

SHOWN = 5
"""Rows of evidence in a result."""
SAME = 1e-6
NEAR = 0.4
"""Distance below which a measurement has moved the estimate noticeably."""
ALIKE_DIGITS = 9
"""Decimals of a distance: rows as far as each other are ranked by their ids."""
OTHER_KIND, OTHER_CARD = 1.0, 0.5
"""Distance of a card of another architecture, and of another card of the same."""
FAR = 2.0
"""Distance from which a measurement says nothing."""


Load = tuple[float, float, float, float]
"""Cards, sequences, prompt and answer, each as far as it counts."""
LOADS = 7
"""Where the load begins in a case."""
COUNTED: dict[str, Load] = {"decode": (0.4, 0.4, 0.06, 0.04), "training": (0.4, 0.25, 0.06, 0.04)}
"""Kind → how far cards, sequences (or the micro-batch), prompt and answer count, for each factor of e."""
COUNTED_ELSE: Load = (0.2, 0.12, 0.06, 0.04)
"""The same of prompts, and of pictures, clips, audio and images, whose batches differ little."""


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


class Correction(NamedTuple):
    """What the evidence does to the formula."""

    factor: float
    weight: float
    """0 = no evidence near; towards 1 = many near measurements."""
    label: Label
    asked: Case
    kind: str
    skip: frozenset[str]
    """Rows that were left out."""

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """The nearest few measurements as they are shown; ranked only here, since a search reads none."""
        alike = _alike(self.asked[:LOADS], self.kind)
        apart = _distances(self.asked, self.kind, alike, self.skip).round(ALIKE_DIGITS).tolist()
        near = [(far, row.id, row) for far, row in zip(apart, alike.rows, strict=True) if far < FAR]
        return tuple(_shown(far, row) for far, _, row in sorted(near, key=itemgetter(0, 1))[:SHOWN])

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
    import numpy

    settings = settings or constants().neighbours
    alike = _alike(asked[:LOADS], kind)
    apart = _distances(asked, kind, alike, skip)
    weights = numpy.exp(apart / -settings.scale) * (apart < FAR)
    # The ufuncs themselves: on arrays this short the methods around them take as long again.
    total, shift = float(numpy.add.reduce(weights)), float(weights @ alike.away)
    least = float(numpy.minimum.reduce(apart, initial=FAR))
    weight = total / (total + settings.nugget)
    factor = math.exp(shift / (total + settings.nugget)) if total else 1.0
    label: Label = "formula"
    if least < SAME:
        label = "measured"
    elif weight >= settings.near:
        label = "interpolated"
    return Correction(factor=factor, weight=weight, label=label, asked=asked, kind=kind, skip=skip)


BOARDS = ("apu", "module", "laptop")
"""Markets whose cards share power or memory with a host, and so are not told by boards of their architecture."""


def thinness(work: Work) -> float:
    """How much wider the interval is for want of measurements: the exponent on its ratios, 1 where there are enough.

    Counted by architecture, form and kind of engine. A compressed cache in llama.cpp was measured by nobody whose
    figures agree: its kernels are new.
    """
    widths = constants().intervals
    files = work.engine == "llama.cpp"
    if work.arch.compressed and files:
        return widths.unmeasured_ratio
    market = work.gpu.market if work.gpu.market in BOARDS else ""
    rows = _rows_by_kind().get((work.gpu.architecture, market, files), 0)
    return 1.0 if rows >= widths.thin_rows else widths.thin_ratio if rows else widths.unmeasured_ratio


@lru_cache(maxsize=1)
def _rows_by_kind() -> Counter[tuple[str, str, bool]]:
    """Measurements of answers by architecture, form of the card, and whether llama.cpp gave them."""
    cards = gpus()
    rows = [row for row in measured_speeds() if row.kind == "decode" and not row.doubt]
    forms = {row.gpu: cards[row.gpu].market if cards[row.gpu].market in BOARDS else "" for row in rows}
    return Counter((row.architecture, forms[row.gpu] or "", row.engine.startswith("llama.cpp")) for row in rows)


def case_of(work: Work) -> Case:
    """The case a load is."""
    arch, layout = work.arch, work.layout
    engine = f"{work.engine} answering only" if work.separate_prefill else work.engine
    return case(
        arch.id or arch.name, work.gpu.id, work.gpu.architecture, engine, work.format.name, arch.moe,
        arch.active_params, layout.tensor, work.sequences * layout.replicas, work.input_tokens, work.output_tokens,
    )  # fmt: skip


def _distances(asked: Case, kind: str, alike: "Alike", skip: frozenset[str]) -> "Numbers":
    """How far each of these rows is from a case; infinitely, where it is to be left out."""
    import numpy

    apart: Numbers = alike.far + numpy.add.reduce(abs(alike.loads - _weighed(asked, kind)), axis=1)
    if skip:
        apart[[row.id in skip for row in alike.rows]] = math.inf
    return apart


def least_factor(asked: Case, kind: str) -> float:
    """A factor below which no correction of this model, card, engine and format goes, whatever its load and layout.

    A correction is a mean of what single rows say, shrunk towards 1.
    """
    far, kinds, cards = _least_shifts(asked.model, asked.engine, asked.format, asked.moe, asked.active, kind)
    return math.exp(min(far, kinds.get(asked.architecture, 0.0), cards.get(asked.gpu, 0.0)))


@lru_cache(maxsize=1024)
def _least_shifts(
    model: str, engine: str, weight_format: str, moe: bool, active: float, kind: str
) -> tuple[float, dict[str, float], dict[str, float]]:  # fmt: skip
    """The least of log(measured / formula) near enough to any card, to those of each architecture, and to each card.

    A search for hardware asks it of most cards of the catalog.
    """
    known = _known(kind)
    alike = known.apart_but_for_card(Case(model, "", "", engine, weight_format, moe, active, 0.0, 0.0, 0.0, 0.0))
    far = float(known.away[alike < FAR - OTHER_KIND].min(initial=0.0))
    by_kind = known.least_by("architecture", alike < FAR - OTHER_CARD)
    return far, by_kind, known.least_by("gpu", alike < FAR)


class Alike(NamedTuple):
    """Rows near enough but for their load: the same for every load and layout of a model on a card."""

    rows: tuple[MeasuredSpeed, ...]
    far: "Numbers"
    """How far each is but for its load."""
    loads: "Numbers"
    """Its load in units of distance, one row each."""
    away: "Numbers"
    """log(measured / formula) of its time."""


@lru_cache(maxsize=8192)
def _alike(asked: tuple[object, ...], kind: str) -> Alike:
    known = _known(kind)
    apart = known.apart(Case._make((*asked, 0.0, 0.0, 0.0, 0.0)))
    near = (apart < FAR).nonzero()[0]
    return Alike(tuple(known.rows[at] for at in near.tolist()), apart[near], known.loads[near], known.away[near])


NAMES = ("model", "gpu", "architecture", "engine", "format")
"""What cases have or have not in common."""


class Known:
    """All rows of one kind in columns: a search for hardware compares hundreds of cases with every one of them."""

    def __init__(self, kind: str) -> None:
        import numpy

        self.rows = tuple(row for row in measured_speeds() if row.kind == kind and not row.doubt)
        cases = [row_case(row) for row in self.rows]
        self.loads = numpy.array([_weighed(one, kind) for one in cases]).reshape(-1, 4)
        self.away = numpy.array([math.log(_seconds(row, row.value) / _seconds(row, row.estimate)) for row in self.rows])
        columns = {name: [getattr(one, name) for one in cases] for name in NAMES}
        self._codes = {name: dict(zip(column, range(len(column)), strict=True)) for name, column in columns.items()}
        self._coded = {
            name: numpy.array([self._codes[name][one] for one in column], dtype=int) for name, column in columns.items()
        }
        self._moe = numpy.array([one.moe for one in cases], dtype=bool)
        self._active = numpy.array([one.active for one in cases])

    def apart(self, asked: Case) -> "Numbers":
        """How far each row is but for its load: about 1 for each of model, card, format or engine that differs."""
        import numpy

        other = numpy.where(self._unlike("architecture", asked.architecture), OTHER_KIND, OTHER_CARD)
        apart: Numbers = numpy.where(self._unlike("gpu", asked.gpu), other, 0.0)
        return apart + self.apart_but_for_card(asked)

    def apart_but_for_card(self, asked: Case) -> "Numbers":
        """The part of it that model, format and engine make."""
        import numpy

        model, engine, weight_format = (
            self._unlike(name, getattr(asked, name)) for name in ("model", "engine", "format")
        )
        size = numpy.minimum(0.5 + 0.25 * abs(self._active - asked.active), 1.5)
        apart: Numbers = model * (0.6 * (self._moe != asked.moe) + size)
        apart += 0.6 * weight_format + 0.6 * engine
        return apart

    def least_by(self, name: str, among: "Flags") -> dict[str, float]:
        """The least of log(measured / formula), at most 0, of each architecture or card, of some rows."""
        import numpy

        least = numpy.zeros(len(self.rows))  # codes are places of rows
        numpy.minimum.at(least, self._coded[name][among], self.away[among])
        return {one: float(least[code]) for one, code in self._codes[name].items()}

    def _unlike(self, name: str, asked: str) -> "Flags":
        found: Flags = self._coded[name] != self._codes[name].get(asked, -1)
        return found


@lru_cache(maxsize=8)
def _known(kind: str) -> Known:
    return Known(kind)


def row_case(row: MeasuredSpeed) -> Case:
    """The case a measurement is."""
    return case(
        row.model, row.gpu, row.architecture, row.engine, row.format, row.moe, row.active_params,
        row.tensor_parallel, row.sequences, row.input_tokens, row.output_tokens,
    )  # fmt: skip


def _weighed(one: Case, kind: str) -> Load:
    """The load of a case in units of distance."""
    cards, sequences, prompt, answer = COUNTED.get(kind, COUNTED_ELSE)
    return cards * one.cards, sequences * one.sequences, prompt * one.input, answer * one.output


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

"""A term is one addend of what a GPU holds; a phase is the moment at which a set of terms is held together."""

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from tools.base import Scalar, Step
from tools.memory.result import Part, PartName

_SYMBOL = re.compile(r"[a-z][a-z0-9_]*")


class Term(NamedTuple):
    """One addend: `formula` over `inputs` gives `bytes`."""

    part: PartName
    label: str
    bytes: float
    formula: str
    inputs: Mapping[str, Scalar]
    source: str


def constant(part: PartName, label: str, size: float, source: str) -> Term:
    """A term that is a measured constant."""
    return Term(part, label, size, "constant", {"constant": round(size)}, source)


class Phase(NamedTuple):
    """What is held at one moment of the run."""

    name: str
    terms: tuple[Term, ...]

    @property
    def bytes(self) -> float:
        """All of it."""
        return sum([term.bytes for term in self.terms])


def peak(phases: Iterable[Phase]) -> Phase:
    """The phase that holds most: memory is needed at once, so phases are compared, never added."""
    return max(phases, key=lambda phase: phase.bytes)


def parts_of(phase: Phase) -> tuple[Part, ...]:
    """Terms grouped by part, rounded up to whole bytes, each with its formula and the numbers put in."""
    grouped: dict[PartName, list[Term]] = {}
    for term in phase.terms:
        if term.bytes > 0:
            grouped.setdefault(term.part, []).append(term)
    return tuple(
        Part(
            name=name,
            bytes=int(sum(term.bytes for term in terms) + 0.999999),
            formula=" + ".join(numbers_put_in(term) for term in terms),
            source=terms[0].source,
        )
        for name, terms in grouped.items()
    )


def steps_of(phase: Phase) -> tuple[Step, ...]:
    """One step for each term of the peak, then their sum."""
    steps = [
        Step(
            label=term.label,
            formula=term.formula,
            inputs=dict(term.inputs),
            value=int(term.bytes + 0.999999),
            unit="bytes",
            source=term.source,
        )
        for term in phase.terms
        if term.bytes > 0
    ]
    return tuple(steps)


def numbers_put_in(term: Term) -> str:
    """`2 · layers · tokens` with layers = 32 and tokens = 4096 → `2 · 32 · 4,096`."""
    return _SYMBOL.sub(lambda match: _number(term.inputs.get(match[0], match[0])), term.formula)


def _number(value: Scalar) -> str:
    if isinstance(value, float):
        return f"{value:,.0f}" if value.is_integer() else f"{value:,.4g}" if abs(value) < 1000 else f"{value:,.1f}"
    return f"{value:,}" if isinstance(value, int) else str(value)

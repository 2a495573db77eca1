"""One figure that something stands behind, and what speaks against its standing for another."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from assistant.grounding.wording.cues import COUNTED
from assistant.grounding.wording.figures import Figure
from assistant.grounding.wording.quantities import BYTES, MONEY, PACE, PLAIN, TIME
from kb.catalog import gpus

PERSON, BEFORE, CATALOG = "person", "before", "catalog"
"""Sources that are no result."""


@dataclass(frozen=True, slots=True)
class Vouched:
    """A figure that something stands behind."""

    kind: str
    value: float
    slack: float
    """How far the exact one may lie from it, by the digits in which it is told."""
    source: str
    """Key of the result (`R2`, `R3.1` for its first passage), or `person`, `before`, `catalog`."""
    cards: frozenset[str]
    models: frozenset[str]
    roles: Mapping[str, str]
    counts: bool = False
    leaf: int = 0
    """The text that tells it; figures of one text tell of one thing."""


def against(figure: Figure, one: Vouched) -> str:
    """What speaks against a vouched figure standing for this one; empty where nothing does.

    A bare number that counts no cards is of nobody: lengths and loads are alike for every card and model.
    """
    if one.kind == PLAIN and not figure.counts and not one.counts:
        counted, said = figure.roles.get(COUNTED), one.roles.get(COUNTED)
        return f"as {said}, not {counted}" if counted and said and counted != said else ""
    if figure.cards and one.cards and not figure.cards & one.cards:
        return f"of {_named(one.cards)}"
    if figure.models and one.models and not figure.models & one.models:
        return f"of {', '.join(sorted(one.models)[:2])}"
    if reason := _mistold(figure, one):
        return reason
    for group, role in figure.roles.items():
        if (
            group in {COUNTED, "end"}
            or (group == "period" and one.kind == TIME)
            or (one.kind == PACE and "per_card" in {role, one.roles.get(group)})
        ):
            continue
        if one.roles.get(group, role) != role:
            return f"as {one.roles[group].replace('_', ' ')}, not {role.replace('_', ' ')}"
    return ""


def told_again(figure: Figure, one: Vouched, rest: Sequence[tuple[Vouched, str]]) -> bool:
    """Whether a figure that says less of what it is of is one of the `rest`, which says more, in the same result."""
    same_role = any(one.roles.get(group) == role for group, role in figure.roles.items())
    for other, against in rest:
        if other.source != one.source:
            continue
        if against.startswith("as ") and not same_role:
            return True
        if against.startswith("of ") and (
            (other.cards and figure.cards and (not one.cards or other.cards < one.cards))
            or (other.models and figure.models and not figure.models & other.models and not one.models)
        ):
            return True
    return False


def _mistold(figure: Figure, one: Vouched) -> str:
    """What is wrong with the time or the end of a range that a result's figure is told by."""
    if one.source in {PERSON, BEFORE}:
        return ""
    if one.kind.startswith(MONEY):
        if (by := figure.roles.get("by")) and "period" not in one.roles:
            return f"as no amount a {by}"
        if one.roles.get("period") == "hour" and "hour" in figure.roles:
            return "as an amount an hour"
    needed = one.kind == BYTES and figure.roles.get("memory") == "needed" and "end" not in figure.roles
    return "as the upper end" if needed and one.roles.get("end") == "high" else ""


def _named(ids: Iterable[str]) -> str:
    return ", ".join(gpus()[key].name for key in sorted(ids)[:2] if key in gpus())

"""One figure that something stands behind, and what speaks against its standing for another."""

import re
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from assistant.grounding.standing.around import ANY, Around
from assistant.grounding.wording.cues import COUNTED, goes_with_any
from assistant.grounding.wording.figures import SAID, Figure
from assistant.grounding.wording.quantities import BYTES, MONEY, PACE, PLAIN, TIME, Quantity
from assistant.grounding.wording.ways import apart
from kb.catalog import gpus

PERSON, BEFORE, CATALOG = "person", "before", "catalog"
"""Sources that are no result."""
RESULT_KEY = re.compile(r"R\d+(?:\.\d+)?")
"""The source of what a result or a passage holds."""
PASSAGE_KEY = re.compile(r"R\d+\.\d+")
"""The source of what only a passage says, whose "needs" may be of any part."""
RUN = frozenset({BYTES, PACE, TIME})
"""Kinds that depend on how a thing is run."""
WITHIN = "interval"
"""Role of the ends of an interval around a figure."""
SLACK_RATIO = 0.006
"""How far a result told in few digits may be from one told in more: "1.01 TB/s" is 1,008 GB/s."""
AT_AN_END = "at an end of its interval"
"""Against a figure that is told as the value itself; a reference says by its path which end it is."""


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
    ways: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """The format, engine, layout … that it is of."""
    lengths: frozenset[float] = frozenset()
    """Tokens of context or prompt that it holds for."""
    loads: frozenset[float] = frozenset()
    """Requests at once that it holds for."""
    leaf: int = 0
    """The text that tells it; figures of one text tell of one thing."""
    alone: bool = False
    """Whether it is of one card, whose share is the total."""
    in_unit: bool = False
    """Whether it was told with a unit that is left out here."""


def vouched(
    kind: str, value: float, slack: float, source: str, around: Around, *, counts: bool = False, leaf: int = 0
) -> Vouched:
    """A figure with everything that stands around it."""
    return Vouched(
        kind, value, slack, source, around.cards, around.models, around.roles, counts, around.ways, around.lengths,
        around.loads, leaf, around.alone is True,
    )  # fmt: skip


def against(figure: Figure, one: Vouched) -> str:
    """What speaks against a vouched figure standing for this one; empty where nothing does.

    A bare number that counts no cards is of nobody: lengths and loads are alike for every card and model.
    """
    if one.kind == PLAIN and not figure.counts and not one.counts:
        return _miscounts(figure, one)
    if figure.counts and COUNTED in one.roles and RESULT_KEY.fullmatch(one.source):
        return f"as {one.roles[COUNTED]}, not cards"
    scaled = figure.term and one.source == PERSON  # a person's time on one card, taken to another in a sum
    if figure.cards and one.cards and not figure.cards & one.cards and not scaled:
        return f"of {_named(one.cards)}"
    usable = one.roles.get("memory") == "usable"  # of the card, whatever runs on it
    if figure.models and one.models and not figure.models & one.models and not usable:
        return f"of {', '.join(sorted(one.models)[:2])}"
    if reason := _mistold(figure, one):
        return reason
    if (
        one.kind in RUN
        and one.source != PERSON  # what people have is theirs however it is run
        and one.roles.get("memory") != "usable"
        and (other := apart(figure.ways, one.ways))
    ):
        return f"of {other}"
    for group, role in figure.roles.items():
        if (
            group in {COUNTED, "end"}
            or (group == "period" and one.kind == TIME)
            or (one.kind == PACE and "per_card" in {role, one.roles.get(group)})
            or (group == "share" and one.alone and {role, one.roles.get(group)} <= {"total", "per_card"})
            or SAID in {role, one.roles.get(group)}  # words of the whole statement tell it of any of its figures
            or (group in {"memory", "draw"} and _also_said(figure, one.roles.get(group, "")))
            or (PASSAGE_KEY.fullmatch(one.source) and goes_with_any(group, one.roles.get(group, "")))
        ):
            continue
        if one.roles.get(group, role) != role:
            return f"as {one.roles[group].replace('_', ' ')}, not {role.replace('_', ' ')}"
    return ""


def same(figure: Figure, reading: Quantity, value: float, tolerance: float, one: Vouched) -> bool:
    """Whether a vouched number is the one that was written, by the digits of whichever is told more roughly."""
    if figure.counts or one.counts:
        return one.value == value
    if reading.kind == PLAIN != one.kind:
        return abs(one.value - value) <= tolerance * 1.0001  # a term without its unit: 524 for 524.2 GB
    if reading.kind == PLAIN and value == int(value) and one.value != int(one.value):
        counted = figure.roles.get(COUNTED)
        return counted == one.roles.get(COUNTED) == "months" and abs(one.value - value) <= tolerance * 1.0001
    return abs(one.value - value) <= max(tolerance * 1.0001, min(one.slack, abs(value) * SLACK_RATIO))


def _also_said(figure: Figure, role: str) -> bool:
    """Whether the clause says as well what it is: 「主机内存仍需」 tells the host's memory, which is needed."""
    return role in figure.clause and not goes_with_any("memory", role)


def told_again(figure: Figure, one: Vouched, rest: Sequence[tuple[Vouched, str]]) -> bool:
    """Whether a figure that says less of what it is of is one of the `rest`, which says more, in the same result."""
    same_role = any(one.roles.get(group) == role for group, role in figure.roles.items())
    for other, against in rest:
        if other.source != one.source or one.roles.get("rate"):
            continue
        if against.startswith("as ") and not same_role:
            return True
        if against.startswith("of ") and (
            (other.cards and figure.cards and (not one.cards or other.cards < one.cards))
            or (other.models and figure.models and not figure.models & other.models and not one.models)
        ):
            return True
    return False


def under(lengths: AbstractSet[float], loads: AbstractSet[float], one: Vouched) -> str:
    """What of the lengths and loads that words tell a figure does not hold for."""
    if one.kind not in RUN or one.roles.get("memory") in {"usable", "weights"}:
        return ""
    if lengths and one.lengths and not lengths & one.lengths:
        return f"at {max(one.lengths):,.0f} tokens"
    if loads and one.loads and not loads & one.loads:
        return f"at {max(one.loads):,.0f} requests at once"
    return ""


def _miscounts(figure: Figure, one: Vouched) -> str:
    """What is wrong with what a bare number counts."""
    counted, said = figure.roles.get(COUNTED), one.roles.get(COUNTED)
    if counted and said and counted != said:
        return f"as {said}, not {counted}"
    if counted == "months" and one.roles.get("end") == WITHIN and "end" not in figure.roles:
        return AT_AN_END
    if counted and not said and RESULT_KEY.fullmatch(one.source):
        return f"as no number of {counted}"
    if one.roles.get("bound") == "limit" and not {"bound", "end"} & figure.roles.keys():
        return "as a limit"
    if figure.roles.get("bound") == "limit" and one.roles.get("bound") != "limit" and RESULT_KEY.fullmatch(one.source):
        return "as no limit"
    return ""


def _mistold(figure: Figure, one: Vouched) -> str:
    """What is wrong with the time or the end of a range that a result's figure is told by."""
    if one.source in {PERSON, BEFORE}:
        return ""
    if one.kind.startswith(MONEY):
        if (by := figure.roles.get("by")) and "period" not in one.roles and one.roles.get("over") not in {by, ANY}:
            return f"as no amount a {by}"
        if one.roles.get("period") == "hour" and "hour" in figure.roles:
            return "as an amount an hour"
    if "left" in one.roles and "loss" not in figure.roles:
        return "as what is lost"
    ends = {WITHIN, "high"} if one.kind == BYTES else {WITHIN}
    if one.roles.get("end") in ends and "end" not in figure.roles and one.kind != PLAIN and not figure.term:
        return AT_AN_END
    if one.kind == PACE and one.roles.get("share") == "total" and one.loads and not _of_several(figure):
        return "in total, for all at once"
    return ""


def _of_several(figure: Figure) -> bool:
    """Whether words tell a speed as that of all, or of several requests at once."""
    return bool({"share", "total"} & figure.roles.keys()) or any(one > 1 for one in figure.loads)


def _named(ids: Iterable[str]) -> str:
    return ", ".join(gpus()[key].name for key in sorted(ids)[:2] if key in gpus())

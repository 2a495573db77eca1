"""What topics may tell from: the whole results of solvers, of which a language model is shown the most telling part."""

from collections.abc import Iterable, Mapping
from typing import Any

from tools.agent_tools.ledger import LookedUp
from tools.agent_tools.shown import shown

TOLD = frozenset({"find_ways_to_run", "find_ways_to_train", "estimate_memory"})
"""Solvers from whose whole results topics tell."""
LEFT_OUT = frozenset({"derivation", "sources", "assumptions", "warnings", "flags", "command", "rejected", "why"})


def with_wholes(looked_up: Iterable[LookedUp]) -> tuple[LookedUp, ...]:
    """The same results, each with all figures that its solvers returned."""
    return tuple(_whole(one) for one in looked_up)


def _whole(one: LookedUp) -> LookedUp:
    rows = [shown(_kept(row.result)) for row in one.worked if row.tool in TOLD and "error" not in row.result]
    if one.failed or not rows:
        return one
    return one.model_copy(update={"shown": {**one.shown, "whole": rows}})


def _kept(result: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in result.items() if name not in LEFT_OUT}

"""Estimates whose errors are shared: what a ratio of two of them is known to, from pairs of measurements."""

import re
from collections.abc import Iterable, Mapping
from itertools import combinations
from math import sqrt
from typing import Any, Literal, NamedTuple

from kb.base import AdvisorError
from kb.constants.speed_constants import constants
from tools.agent_tools import reading
from tools.agent_tools.ledger import Ledger, LookedUp

Work = Literal["writing", "reading", "training"]
PROMPT = re.compile(r"first_token|prefill", re.I)
TRAINED = "find_ways_to_train"


class Origin(NamedTuple):
    """Where an estimate is from."""

    work: Work
    rate: bool
    """Whether it grows with how fast the machine is; a time shrinks."""
    of: tuple[str, frozenset[str]]
    """Model and kinds of cards."""


Ends = tuple[float, float]


class Spread(NamedTuple):
    """How far an estimate may be off: with all of its kind at once, and by itself; each (low / value, high / value)."""

    own: Ends
    shared: Ends = (1.0, 1.0)
    rate: bool = True


def origin(said: str, path: str, unit: str, key: str, ledger: Ledger) -> Origin | None:
    """Where a figure in `unit` of result `key` is from; null of what is no pace and no time that was estimated."""
    rate = unit.endswith("/s")
    one = ledger.find(key) or next((each for each in ledger.all if said in str(each.shown)), None)
    if one is None or not (rate or unit == "s"):
        return None
    work: Work = "training" if one.tool == TRAINED else "reading" if PROMPT.search(path) else "writing"
    return Origin(work, rate, (str(one.request.get("model") or "").lower(), _kinds(one)))


def _kinds(one: LookedUp) -> frozenset[str]:
    try:
        return frozenset(each.gpu or "" for each in reading.cards(one.request.get("cards")))
    except AdvisorError:
        return frozenset()


def spreads(ranges: Mapping[str, Ends], origins: Mapping[str, Origin | None]) -> dict[str, Spread]:
    """What each may be off by itself, and what with the others of its kind of work.

        own = √(ratio within which nine of ten pairs of measurements, each over its estimate, lie), at most the range

    Of one model on one kind of card pairs agree more closely than of others.
    """
    found = {name: Spread(ends) for name, ends in ranges.items()}
    for work in ("writing", "reading", "training"):
        names = [name for name in ranges if (one := origins.get(name)) is not None and one.work == work]
        if len(names) < 2:
            continue
        pairs = constants().intervals.pairs[work]
        each = sqrt(pairs.same_ratio if _same(origins[name] for name in names) else pairs.other_ratio)
        for name in names:
            low, high = ranges[name]
            own = (max(low, 1 / each), min(high, each))
            at = origins[name]
            found[name] = Spread(own, (low / own[0], high / own[1]), rate=at is not None and at.rate)
    return found


def _same(origins: Iterable[Any]) -> bool:
    return all(one.of == other.of and one.of[1] for one, other in combinations(list(origins), 2))

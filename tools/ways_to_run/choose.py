"""Of many ways the best, and those that are really different from it."""

from tools.ways_to_run.space.formats import FILES
from tools.ways_to_run.weigh.worth import Weighed

MOST = 6
CLASSES = ((12.0, "16"), (7.0, "8"), (5.0, "6"), (3.6, "4"), (2.9, "3"), (0.0, "2"))
"""Bits of most weights from which a format counts as one of a class."""
BEHIND_PERCENT = 40.0
"""Ways this much worse than the best are not worth naming unless they are the only ones of their engine."""


def chosen(ways: list[Weighed], cards: int) -> list[Weighed]:
    """The best, then the best of every other kind: engine, class of format, offload, number of cards.

    One way a kind of engine and class of format, and three a kind of engine and offload, so that none repeats another.
    Of several `cards` always one way uses all.
    """
    found = _different(ways)
    whole = next((one for one in ways if one.candidate.used == cards), None)
    if whole is not None and not any(one.candidate.used == cards for one in found):
        found = [*found[: MOST - 1], whole]
    return found


def _different(ways: list[Weighed]) -> list[Weighed]:
    found: list[Weighed] = []
    seen: set[tuple[object, ...]] = set()
    for one in ways:
        candidate = one.candidate
        family, bits = _family(candidate.engine), format_class(candidate.work.format.expert_bits)
        kind = (family, bits, candidate.offloads, bool(candidate.cards))
        alike = sum(1 for other in found if _alike(one, other))
        if (
            kind in seen
            or alike >= 3
            or (found and _behind(one, found[0]) and any(_same_engine(one, f) for f in found))
        ):
            continue
        seen.add(kind)
        found.append(one)
        if len(found) == MOST:
            break
    return found


def format_class(bits: float) -> str:
    """`4` for four to five bits a weight …"""
    return next(name for least, name in CLASSES if bits >= least)


def _family(engine: str) -> str:
    return FILES if engine == FILES else "serving"


def _alike(one: Weighed, other: Weighed) -> bool:
    return (
        _family(one.candidate.engine) == _family(other.candidate.engine)
        and one.candidate.offloads == other.candidate.offloads
    )


def _same_engine(one: Weighed, other: Weighed) -> bool:
    return _family(one.candidate.engine) == _family(other.candidate.engine)


def _behind(one: Weighed, best: Weighed) -> bool:
    return one.rank[0] < best.rank[0] or best.rank[-1] - one.rank[-1] > BEHIND_PERCENT

"""The fewest cards of a kind that hold a work, as machines have them: searched, never divided out."""

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from assistant.writing.accounts.cards import Call
from assistant.writing.accounts.sentences import whole
from tools.agent_tools.ledger import LookedUp

RUN_COUNTS = (1, 2, 3, 4, 5, 6, 8, 16, 24, 32, 48, 64)
"""Numbers of cards in a machine, then in several of eight."""
TRAIN_COUNTS = (1, 2, 3, 4, 6, 8, 16, 24, 32, 48, 64, 96, 128, 160, 192, 256, 384, 512)
PER_MACHINE = 8
Enough = Callable[[LookedUp], bool]


class Fewest(NamedTuple):
    """A number of cards, and what was found with it."""

    number: int
    result: LookedUp


def fewest_to_run(asked: Mapping[str, Any], card: str, call: Call, *, counts: Sequence[int] = RUN_COUNTS
                  ) -> Fewest | None:  # fmt: skip
    """The fewest on which a model runs as asked, its targets and its rate of requests met."""
    return _fewest("find_ways_to_run", asked, card, call, counts, runs)


def fewest_to_train(asked: Mapping[str, Any], card: str, call: Call, *, usual: bool) -> Fewest | None:
    """The fewest for a training as usually done, or in any way that stays on the cards; in time, where it must."""
    return _fewest("find_ways_to_train", asked, card, call, TRAIN_COUNTS, fits_usually if usual else fits_somehow)


def runs(one: LookedUp) -> bool:
    """Whether everything asked is met: fit, targets, and the rate at which requests come."""
    answer, rows = whole(one).get("answer", {}), whole(one).get("ways", [])
    if answer.get("verdict") != "fits" or not rows or rows[0].get("meets_targets") is False:
        return False
    return (one.shown.get("requests") or {}).get("keeps_up") is not False


def fits_usually(one: LookedUp) -> bool:
    """Whether the usual way fits, and something is in time."""
    plain = whole(one).get("plain") or {}
    return (plain.get("memory") or {}).get("surety", "no") != "no" and _in_time(one)


def fits_somehow(one: LookedUp) -> bool:
    """Whether any way fits whose states stay on the cards."""
    rows = whole(one).get("ways", [])
    return bool(rows) and rows[0].get("offload") in (None, "none") and _in_time(one)


def _in_time(one: LookedUp) -> bool:
    rows = whole(one).get("ways", [])
    return not rows or rows[0].get("meets_deadline") is not False


def _fewest(
    tool: str, asked: Mapping[str, Any], card: str, call: Call, counts: Sequence[int], enough: Enough
) -> Fewest | None:
    """By halving: what so many hold, more hold as well."""
    found: dict[int, LookedUp] = {}

    def does(count: int) -> bool:
        nodes = {"nodes": str(count // PER_MACHINE)} if count > PER_MACHINE else {}
        found[count] = call(tool, {**asked, "cards": f"{count}x {card}", **nodes})
        return not found[count].failed and enough(found[count])

    place = bisect_left(counts, True, key=does)
    if place == len(counts):
        return None
    count = counts[place]
    return Fewest(count, found[count]) if count in found or does(count) else None

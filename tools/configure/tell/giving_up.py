"""What to give up for the money, where nothing within it does what was asked: fewer at once, or shorter texts."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tools.configure.asked import read
from tools.configure.rank.ranking import Found
from tools.configure.request import ConfigureRequest
from tools.configure.result import Rejected
from tools.configure.tell.configured import title
from tools.configure.tell.reasons import reason, text

if TYPE_CHECKING:
    from tools.configure.search import Search

LEAST_TOKENS = 2048
"""Shorter texts than this are no use to people who asked for longer ones."""


def given_up(search: "Search", way: str) -> Iterator[Rejected]:
    """For served work the most at once, and the longest texts, that the money does, to a factor of two.

    Each is the cheapest order for it. Nothing where even one at a time, or the shortest, is beyond it.
    """
    serving = search.asked.load.serving
    if serving is None or search.limits.are_none:
        return
    request, load = search.asked.request, serving.load
    fewer = (count for count in _halves(load.sequences, 1))
    changes: Iterator[dict[str, object]] = ({"concurrent_sequences": count, "users": None} for count in fewer)
    yield from _first(search, request, way, changes, "fewer_at_once", "concurrent_sequences")
    lengths: Iterator[dict[str, object]] = (
        {"context_tokens": length} for length in _halves(load.context, LEAST_TOKENS)
    )
    yield from _first(search, request, way, lengths, "shorter_texts", "context_tokens")


def _halves(most: int, least: int) -> Iterator[int]:
    """Half of it, a quarter … down to the least."""
    while most > least:
        most = max(most // 2, least)
        yield most


def _first(
    search: "Search", request: ConfigureRequest, way: str, changes: Iterator[dict[str, object]], code: str, field: str
) -> Iterator[Rejected]:
    """The first of these changes with which something is within the limits."""
    from tools.configure.search import Search

    for change in changes:
        other = Search(read(request.model_copy(update=change)))
        found = next(other.ranking.cheapest(way, other.wanted, verdicts=("yes",)), None)
        if found is not None:
            yield _rejected(found, code, int(str(change[field])))
            return


def _rejected(found: Found, code: str, reached: int) -> Rejected:
    choice = found.option.choice
    reasons = (reason("reason", "within_money", gpu=choice.gpu.name), reason("change", code, reached=reached))
    return Rejected(
        title=title(choice), gpu=choice.gpu.id, gpu_count=choice.count, price_usd=choice.amount,
        reason=text(reasons[0]), change=text(reasons[1]), reasons=reasons,
    )  # fmt: skip

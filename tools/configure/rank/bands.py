"""What is put first of a served model, in bands; an objective of the person goes before them.

Bands: it meets the speed with head-room, surely fits and is priced whole; it is sold today, or honestly second-hand;
few cards in one machine; a fair speed for the money; the price. Of formats the finest leads that costs not much more.
"""

from collections.abc import Iterator
from decimal import Decimal
from typing import TYPE_CHECKING

from kb.quality import quality
from tools.configure.bills.host import passive
from tools.configure.load.precision import LOSSES
from tools.configure.market.choice import Choice
from tools.configure.market.suitable import MAINSTREAM
from tools.configure.market.wanted import Wanted, owned, used, whole
from tools.configure.pace.judged import READING_TOKENS_PER_S, SHARED_TOKENS_PER_S, Pace
from tools.configure.rank.options import PRICED, Order
from tools.configure.rank.ranking import Found, Ranking

if TYPE_CHECKING:
    from tools.configure.search import Search

SIZES = ((2, 1), (4, 1), (8, 1))
"""Bands of (cards, machines): what an ordinary computer takes, a workstation, a server; beyond, by the number."""
ALONE_HEADROOM, SHARED_HEADROOM, TARGET_HEADROOM = 2.0, 1.5, 1.1
"""Times the slowest that is bearable, or the speed asked for, from which nobody waits: users at a busy moment get less
than the mean, and estimates are off by as much."""
ENOUGH = 1.5
"""Times that speed beyond which more is worth no money, where it is above the pace people read at."""
FINER_FOR = Decimal("1.3")
"""Times the price of the coarsest format that a finer one is worth."""
FOUR_BITS = LOSSES[:5]
"""Losses down to four bits: below, answers get markedly worse."""
_FAR_W = 10**9


def first(search: "Search", way: str) -> Found | None:
    """What leads of one way: by the objective, else by the bands; null where nothing has head-room, or none is asked
    for: then what is cheapest in the published precision leads."""
    if search.asked.load.serving is None:
        return None
    objective = search.asked.request.objective
    if objective is not None:
        return _BY_OBJECTIVE[objective](search, way)
    return next(leaders(search, way), None)


def leaders(search: "Search", way: str) -> Iterator[Found]:
    """The first of every band of size, new before second-hand, the smallest band first."""
    ranking = with_headroom(search)
    for cards, machines in SIZES:
        for among in _sold(search, way):

            def small(one: Choice, among: Wanted = among, cards: int = cards, machines: int = machines) -> bool:
                return among(one) and one.count <= cards and one.machines <= machines

            if (best := _best(search, ranking, way, small)) is not None:
                yield best


def _sold(search: "Search", way: str) -> Iterator[Wanted]:
    """What is sold today, then what is honestly second-hand; both priced whole."""

    def new(one: Choice) -> bool:
        return search.wanted(one) and one.complete and not one.used

    yield new
    if way == "buy":
        yield whole(used)


def _best(search: "Search", ranking: Ranking, way: str, wanted: Wanted) -> Found | None:
    """The finest format that costs not much more, for its speed, than the cheapest does."""
    found = [one for loss in FOUR_BITS if (one := _fair(search, ranking, way, wanted, loss)) is not None]
    if not found:
        return None
    least = min(cost(search, one) for one in found)
    return next(one for one in found if cost(search, one) <= FINER_FOR * least)


def _fair(search: "Search", ranking: Ranking, way: str, wanted: Wanted, loss: int) -> Found | None:
    """The least money for the speed, up to what is enough, in one precision; no cheaper one is left unread."""
    best: Found | None = None
    for one in ranking.cheapest(way, wanted, (loss,), ("yes",)):
        if best is not None and one.option.choice.felt > cost(search, best):
            break
        if best is None or (cost(search, one), one.option.choice.key) < (cost(search, best), best.option.choice.key):
            best = one
    return best


def cost(search: "Search", one: Found) -> Decimal:
    """Money as it ranks, over the share of the speed that is enough."""
    rate = (one.paced.speed or {}).get("tokens_per_s_per_user")
    share = min(rate / enough(search), 1.0) if isinstance(rate, float) else 1.0
    return one.option.choice.felt / Decimal(repr(share))


def headroom(search: "Search") -> float:
    """Tokens a second of every user from which nobody waits."""
    target = search.asked.request.target_tokens_per_s
    if target is not None:
        return TARGET_HEADROOM * target
    bearable = SHARED_TOKENS_PER_S if search.pace.shared else READING_TOKENS_PER_S
    return bearable * (SHARED_HEADROOM if search.pace.shared else ALONE_HEADROOM)


def enough(search: "Search") -> float:
    """Tokens a second beyond which more is worth no money."""
    asked = search.asked.request.target_tokens_per_s
    alone = asked is None and not search.pace.shared
    return max(ENOUGH * headroom(search), quality().exchange.pace_tokens_per_s if alone else 0.0)


def with_headroom(search: "Search") -> Ranking:
    """The ranking of what is fast enough for nobody to wait."""
    asked = search.asked
    quick = asked.request.model_copy(update={"target_tokens_per_s": headroom(search)})
    return Ranking(search.options, Pace(quick, asked.load, search.pace), search.limits)


def _cheapest(search: "Search", way: str) -> Found | None:
    """The least whole price in four bits or more; second-hand counts."""
    found = [search.ranking.least(way, among) for among in (search.wanted, used) if way == "buy" or among is not used]
    known = [one for one in found if one is not None]
    return min(known, key=lambda one: PRICED(one.option.choice), default=None)


def _fastest(search: "Search", way: str) -> Found | None:
    """The most tokens a second of every user within the limits, whole and sure, in four bits or more."""
    found = [one for loss in FOUR_BITS for one in search.ranking.frontier_of(way, search.wanted, loss)]
    return max(found, key=lambda one: (_rate(one), -one.option.choice.felt), default=None)


def _quietest(search: "Search", way: str) -> Found | None:
    """The least power, of cards that need no server's airflow."""

    def quiet(one: Choice) -> bool:
        return search.wanted(one) and one.complete and not passive(one.gpu) and not owned(one)

    return _least(search, way, quiet, _by_power) if way == "buy" else next(leaders(search, way), None)


def _simplest(search: "Search", way: str) -> Found | None:
    """The fewest cards and machines, what runs CUDA before the rest."""

    def plain(one: Choice) -> bool:
        return search.wanted(one) and one.complete

    return _least(search, way, plain, _by_number)


def _least(search: "Search", way: str, wanted: Wanted, order: Order) -> Found | None:
    for ranking in (with_headroom(search), search.ranking):
        firsts = (next(ranking.cheapest(way, wanted, (loss,), ("yes",), order=order), None) for loss in FOUR_BITS)
        found = [one for one in firsts if one is not None]
        if found:
            return min(found, key=lambda one: order(one.option.choice))
    return None


def _by_power(one: Choice) -> tuple[object, ...]:
    return one.power_w or _FAR_W, one.key


def _by_number(one: Choice) -> tuple[object, ...]:
    return one.count, one.machines, one.gpu.vendor != MAINSTREAM, one.key


def _rate(one: Found) -> float:
    rate = (one.paced.speed or {}).get("tokens_per_s_per_user")
    return rate if isinstance(rate, float) else 0.0


_BY_OBJECTIVE = {"cheapest": _cheapest, "fastest": _fastest, "quietest": _quietest, "simplest": _simplest}

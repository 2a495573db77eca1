"""What is put first of a served model; an objective of the person goes before it.

What is priced whole comes before cards for a computer that is there. Else everything is one sum of money: speed with
head-room, precision, few cards and machines, being sold new. Whatever else is to be had, what leads is worth no less.
"""

import math
from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import product
from typing import TYPE_CHECKING

from kb.constants.quality import quality
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

HALF_FOR, NEW_FOR, HEADROOM_FOR = 1.3, 2.0, 1.5
"""Times the price that half as many cards, or machines, are worth; one with a warranty; and speed with head-room."""
SPENT_FREELY = Decimal("0.25")
"""Share of a stated sum below which nobody asks for less: what costs less counts alike."""
ALONE_HEADROOM, SHARED_HEADROOM, TARGET_HEADROOM = 2.0, 1.5, 1.1
"""Times the slowest that is bearable, or the speed asked for, from which nobody waits: users at a busy moment get less
than the mean, and estimates are off by as much."""
ENOUGH = 1.5
"""Times that speed beyond which more is worth no money, where it is above the pace people read at."""
PERCENT_FOR = 1.06
"""Times the price that a per cent of quality is worth: a third more for 16 bits instead of four of a small model."""
FOUR_BITS = LOSSES[:5]
"""Losses down to four bits: below, answers get markedly worse."""
_FAR_W = 10**9


def first(search: "Search", way: str) -> Found | None:
    """What leads of one way: by the objective, else by the bands; null where nothing surely fits."""
    if search.asked.load.serving is None:
        return None
    objective = search.asked.request.objective
    if objective is not None:
        return _BY_OBJECTIVE[objective](search, way)
    return _leader(search, way)


def _leader(search: "Search", way: str) -> Found | None:
    return next(leaders(search, way), None)


def leaders(search: "Search", way: str) -> Iterator[Found]:
    """The best that is priced whole, then the best cards for a computer that is there."""
    if way == "rent":
        kinds: tuple[tuple[Wanted, ...], ...] = ((search.wanted,),)
    else:
        alone = (lambda one: one.own_host and search.wanted(one), lambda one: one.own_host and used(one))
        kinds = ((whole(search.wanted), whole(used)), alone)
    yield from (one for among in kinds if (one := best(search, way, among)) is not None)


def best(search: "Search", way: str, kinds: Sequence[Wanted]) -> Found | None:
    """Of some kinds the least money for what it is; what cannot cost less for its number is left unread.

    Few bits are read first, for they are cheap and rule most of the rest out.
    """
    found: Found | None = None
    quick = with_headroom(search)
    for wanted, ranking, loss in product(kinds, (quick, search.ranking), reversed(FOUR_BITS)):
        least = 1.0 if ranking is quick else HEADROOM_FOR
        hopeful = wanted if found is None else _below(search, wanted, cost(search, found), least)
        for one in ranking.cheapest(way, hopeful, (loss,), ("yes",)):
            if found is not None and one.option.choice.felt > cost(search, found):
                break
            if found is None or _order(search, one) < _order(search, found):
                found = one
    return found


def _below(search: "Search", wanted: Wanted, most: Decimal, least: float) -> Wanted:
    """What is wanted of which so many may still cost no more; along a stream of more and more of a card it ends."""

    def hopeful(one: Choice) -> bool:
        return wanted(one) and _spent(search, one) * Decimal(repr(least * _of_many(one))) <= most

    return hopeful


def _order(search: "Search", one: Found) -> tuple[object, ...]:
    return cost(search, one), one.option.choice.key


def cost(search: "Search", one: Found) -> Decimal:
    """Money as it ranks, a small part of what is there counted alike, times what the order lacks.

    max(felt, budget / 4) · lacking
    """
    return _spent(search, one.option.choice) * Decimal(repr(lacking(search, one)))


def _spent(search: "Search", choice: Choice) -> Decimal:
    limit = search.limits.buy_usd if choice.acquisition == "buy" else search.limits.rent_usd_per_hour
    return choice.felt if limit is None else max(choice.felt, SPENT_FREELY * limit)


def lacking(search: "Search", one: Found) -> float:
    """Times the money that what an order lacks would be worth; 1 = nothing.

        1.06 ^ per cent of quality lost / min(rate / enough, 1) · 1.3 ^ (doublings of cards + of machines)

    and 1.5 where it has no head-room, 2 where it is second-hand.
    """
    rate = (one.paced.speed or {}).get("tokens_per_s_per_user")
    found: float = math.pow(PERCENT_FOR, lost_percent(search, one)) * _of_many(one.option.choice)
    if isinstance(rate, float):
        found *= (1.0 if rate >= headroom(search) else HEADROOM_FOR) / min(rate / enough(search), 1.0)
    return found


def _of_many(choice: Choice) -> float:
    """The part of it that the number of cards and machines makes, and their being second-hand."""
    many: float = math.pow(HALF_FOR, math.log2(choice.count) + math.log2(choice.machines))
    return many * (NEW_FOR if choice.used else 1.0)


def lost_percent(search: "Search", one: Found) -> float:
    """Quality that weights and cache lose against the published format, as `find_ways_to_run` counts it."""
    serving, form = search.asked.load.serving, one.paced.held.form
    if serving is None or form is None:
        return 0.0
    load, rules = serving.load, quality()
    return rules.weights_percent(form.name, load.native, load.shape.params) + rules.cache_percent(form.kv)


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

    return _least(search, way, quiet, _by_power) if way == "buy" else _leader(search, way)


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

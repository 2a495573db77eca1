"""What is easier to run or quicker than the cheapest purchase, for somewhat more: fewer cards, and brisk answers."""

from decimal import Decimal
from typing import TYPE_CHECKING

from tools.configure.load.layout import NODE_GPUS
from tools.configure.load.precision import LOSSES
from tools.configure.market.choice import FAR, MACHINE_SHARE, Choice
from tools.configure.market.suitable import MAINSTREAM
from tools.configure.market.wanted import Wanted, unowned, used, whole
from tools.configure.pace.judged import SHARED_TOKENS_PER_S, Pace
from tools.configure.rank.options import PRICED
from tools.configure.rank.ranking import Found, Ranking

if TYPE_CHECKING:
    from tools.configure.search import Search

PAIR, MANY, FEWER_FOR = 2, 4, Decimal("1.6")
"""Cards from which half as many are worth so many times the price: they take less room, power and splitting."""
BRISK = 1.5 * SHARED_TOKENS_PER_S
"""Tokens a second for each user from which people who share a model do not wait for it: half above what is bearable."""
FINE = LOSSES[:2]
"""Losses of precision that cost hardly any quality: none, and down to eight bits."""


def fewer(search: "Search", kept: list[Found]) -> list[Found]:
    """The least that half as many cards cost, where many small ones come first: one machine instead of a rack.

    In place of two cards alone one by itself, new or second-hand, that computes in CUDA: nothing to split, and one
    slot, plug and supply in whatever computer takes it.
    """
    first = kept[0].option.choice if kept else None
    if first is None or first.count < PAIR or first.amount is None:
        return []
    if first.count >= MANY:
        found = _half(search, first)
        return [found] if found else []
    if first.complete:
        return []
    singles = (_single(search, kind, FEWER_FOR * first.amount) for kind in (search.wanted, used))
    return [one for one in singles if one is not None]


def brisk(search: "Search", kept: list[Found]) -> list[Found]:
    """The least that answers all who share it briskly in eight bits or more, or half as many cards that do, too.

    Nothing where the cheapest of those kept is brisk, or where a speed was asked for.
    """
    fine = [one for one in kept if _is_fine(search, one)]
    first = min(fine, key=lambda one: one.option.choice.amount or FAR, default=None)
    pace = (first.paced.speed or {}).get("tokens_per_s_per_user") if first else None
    quick = _quick(search)
    if first is None or quick is None or not isinstance(pace, float) or pace >= BRISK:
        return []
    most = FEWER_FOR * (first.option.choice.amount or FAR)
    found = _fine(search, quick, most, NODE_GPUS)
    if found and found.option.choice.count >= MANY:
        found = _fine(search, quick, most, found.option.choice.count // 2) or found
    return [found] if found else []


def _half(search: "Search", first: Choice) -> Found | None:
    """The least for at most half the cards, a served model in eight bits or more and brisk where there is such.

    Else in any precision: the smallest file of all is no replacement for what came first.
    """
    half, most = first.count // 2, FEWER_FOR * (first.amount or FAR)
    if not search.asked.load.training:
        for ranking in (_quick(search), search.ranking):
            found = _fine(search, ranking, most, half) if ranking else None
            if found:
                return found
    return search.ranking.least("buy", lambda one: one.count <= half and search.wanted(one) and unowned(one), most)


def _fine(search: "Search", ranking: Ranking, most: Decimal, cards: int) -> Found | None:
    """The first to buy in eight bits or more of at most so many cards, priced whole and below so much."""
    wanted = whole(lambda one: one.count <= cards and search.wanted(one) and unowned(one))
    limits = search.limits.at_most("buy", most)
    firsts = (next(ranking.cheapest("buy", wanted, (loss,), ("yes",), limits), None) for loss in FINE)
    return min((one for one in firsts if one is not None), key=lambda one: one.option.choice.felt, default=None)


def _is_fine(search: "Search", one: Found) -> bool:
    choice, option = one.option.choice, one.option
    return option.verdict == "yes" and choice.complete and not choice.used and search.options.loss_of(option) in FINE


def _quick(search: "Search") -> Ranking | None:
    """The ranking of what is brisk; null unless several share a model and no speed was asked for."""
    if not search.pace.shared or search.asked.request.target_tokens_per_s:
        return None
    quick = search.asked.request.model_copy(update={"target_tokens_per_s": BRISK})
    return Ranking(search.options, Pace(quick, search.asked.load, search.pace), search.limits)


def _single(search: "Search", kind: Wanted, most: Decimal) -> Found | None:
    """The cheapest card alone of such a kind that holds the work by itself, in the best precision it does in."""
    limits = search.limits.at_most("buy", min(most / (1 - MACHINE_SHARE), search.limits.buy_usd or FAR))

    def one_card(one: Choice) -> bool:
        return one.count == 1 and kind(one) and unowned(one) and one.gpu.vendor == MAINSTREAM

    return next(search.ranking.cheapest("buy", one_card, verdicts=("yes",), limits=limits, order=PRICED), None)

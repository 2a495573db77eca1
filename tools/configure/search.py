"""The search: every format × layout × card × number × machine or offer, under the need's limits."""

from collections.abc import Sequence
from decimal import Decimal
from itertools import chain, islice

from tools.base import Step
from tools.configuration import Configuration, Reason
from tools.configure.asked import Asked, pool, read
from tools.configure.load.fitting import Table
from tools.configure.load.precision import LOSSES
from tools.configure.market.choice import Choice
from tools.configure.market.conditions import ways
from tools.configure.market.own import NOTHING
from tools.configure.market.wanted import Wanted, mainstream, new, or_owned, owned, unowned, used
from tools.configure.pace.judged import Pace
from tools.configure.rank.bands import best, first
from tools.configure.rank.exactly import Proposal, exactly
from tools.configure.rank.fewer import brisk, fewer
from tools.configure.rank.options import Options
from tools.configure.rank.ranking import WORTH_SAYING, Found, Ranking, ceiling, least_total, limits_of
from tools.configure.tell.configured import configured, title
from tools.configure.tell.reasons import reason
from tools.memory.result import Verdict
from tools.named import read_card

TRIED_FOR = Decimal("0.5")
"""Share of the least sure rent at which one that holds the work only by the estimate is proposed too."""
COUNTING = {"how_many_gpus", "min_vram"}
"""Intents that ask for the least that does."""


class Search:
    """One search: the options, the ranking over them, and what was found."""

    def __init__(self, asked: Asked) -> None:
        self.asked = asked
        self.table = Table(asked.load)
        self.native = self._native()
        self.options = Options(self.table, self.native, asked.request.max_gpus)
        self.pace = Pace(asked.request, asked.load)
        self.limits = limits_of(asked.request)
        self.ranking = Ranking(self.options, self.pace, self.limits)
        self.pool = pool(asked)
        self.wanted = unowned if asked.cards else new
        """Second-hand cards are proposed apart, unless the asker named them."""
        self.said: dict[int, Reason] = {}
        """What is said of an option beside what every one is told."""
        for gpu in self.pool:
            self.options.add(
                gpu, ways=ways(gpu, asked.request.conditions, asked.ways), provider=asked.provider,
                owned=asked.owned.get(gpu.id, 0), asked=gpu.id in asked.cards, country=asked.country,
                own=asked.given.by_card.get(gpu.id, NOTHING),
            )  # fmt: skip

    def shown(self) -> list[tuple[Configuration, Step, Found]]:
        """Owned cards first, then the best purchases and rentals in turn, ranked from 1."""
        most = self.asked.request.max_results
        found = self._owned()
        left = max(most - len(found), 1)
        enough = any(one.option.choice.owned >= one.option.choice.count for one in found)
        ways = [way for way in self._order() if way in self.asked.ways]
        by_way = {way: self._best(way, most, enough) for way, most in _shares(ways, left).items()}
        for place in range(left):
            found += [by_way[way][place] for way in ways if place < len(by_way[way])]
        made, budget, currency = [], self.asked.request.budget, self.asked.currency
        for rank, one in enumerate(found[:most], 1):
            known = self.said.get(id(one.option))
            said = (known,) if known else ()
            configuration, step = configured(
                one.option,
                one.paced,
                native=self.native,
                country=self.asked.country,
                currency=currency,
                one_gpu=self.asked.load.one_gpu,
                said=said,
                tariff=self.asked.given.tariff_per_kwh,
            )
            price = configuration.price.within(budget) if budget else configuration.price.also_in(currency)
            around = configuration.machine_price
            if around is not None:
                around = around.within(budget) if budget else around.also_in(currency)
            rents = tuple(paid.also_in(currency) for paid in configuration.rent_prices)
            changes = {"rank": rank, "price": price, "machine_price": around, "rent_prices": rents}
            made.append((configuration.model_copy(update=changes), step, one))
        return made

    def _order(self) -> tuple[str, ...]:
        """A sum of money is first for buying; else a rent is had sooner."""
        budget = self.asked.request.budget
        lump = budget is not None and budget.period is None and self.asked.load.serving is not None
        return ("buy", "rent") if lump else ("rent", "buy")

    def _owned(self) -> list[Found]:
        """The cards one has; a training is given all that make it faster, unless it is asked how few would do."""
        asked = self.asked
        if "buy" not in asked.ways or not asked.owned:
            return []
        most = asked.load.training and asked.request.intent not in COUNTING
        found = self.ranking.owned(owned, all_of_them=most)
        for one in found:
            had, taken = asked.owned[one.option.choice.gpu.id], one.option.choice.count
            if taken < had:
                self.said[id(one.option)] = reason("trade_off", "spare", spare=had - taken, count=had)
        return found

    def _proposed(self, way: str) -> list[Found]:
        """The cards that were proposed with a number, in that number, in the order of the proposals."""
        asked = self.asked
        found = []
        for card in asked.request.gpus_proposed:
            if card.count is not None:
                name = read_card(card.gpu)[0].id
                own = asked.given.by_card.get(name, NOTHING)
                proposal = Proposal(name, card.count, way, asked.country, asked.provider, own)
                one = exactly(proposal, self.options, self.pace)
                found += [one] if one is not None else []
        return found

    def _best(self, way: str, limit: int, enough: bool) -> list[Found]:
        """What is shown of one way, with the least it can cost; cards in hand that are `enough` cost nothing."""
        if not limit:
            return []
        leader = None if self._spends(way) else first(self, way)
        if leader is not None and self.asked.request.objective:
            self.said[id(leader.option)] = reason("why", self.asked.request.objective)
        led = [leader] if leader else []
        first_of_all = [*self._proposed(way)[:limit], *led, *self._at_own_price(way)]
        kept = _distinct([*first_of_all, *self._preferred(way, limit)])[:limit]
        less = [] if enough and way == "buy" else self._less(way, kept, limit - 1)
        tight, handy = list[Found](), list[Found]()
        if way == "buy" and not enough and limit > 2:
            tight, handy = self._tight(way, [*kept[: limit - len(less)], *less]), self._handy(kept)
        elif way == "rent" and limit > 1:
            tight = self._tight(way, [*kept[:limit], *less])
        found = [*kept[: max(limit - len(less) - len(tight) - len(handy), 1)], *handy, *less]
        if not self._spends(way):
            found.sort(key=lambda one: not one.option.choice.complete)
        return _distinct([*found, *tight])

    def _at_own_price(self, way: str) -> list[Found]:
        """The best at a price that the person gave: they want to see what it buys, whether it leads or not."""
        if not self.asked.given.by_card:
            return []

        def given(one: Choice) -> bool:
            return one.given and not one.owned

        served = self.asked.load.serving is not None
        found = best(self, way, (given,)) if served else next(self.ranking.cheapest(way, given), None)
        return [found] if found else []

    def _less(self, way: str, kept: list[Found], most: int) -> list[Found]:
        """The least that it can cost new, in any precision, and second-hand, where what is shown already costs more."""
        whole = [one.option.choice for one in kept if one.option.verdict == "yes" and one.option.choice.complete]
        found: list[Found] = []
        for wanted in (or_owned(self.wanted), used) if way == "buy" and most > 2 else (or_owned(self.wanted),):
            known = [choice.amount for choice in whole if choice.amount and (wanted is used or wanted(choice))]
            least = self.ranking.least(way, wanted, min(known, default=None))
            if least is not None:
                found.append(least)
                whole.append(least.option.choice)
        return found[:most]

    def _tight(self, way: str, shown: list[Found]) -> list[Found]:
        """What holds the work by the estimate alone, new or second-hand, where it costs much less.

        Or where no sure one is priced whole. A rent is tried out before it is kept: half the price is worth that.
        """
        sure = [one.option.choice for one in shown if one.option.verdict == "yes" and one.option.choice.complete]
        known = [choice.amount for choice in sure if choice.amount]
        share = WORTH_SAYING if way == "buy" else TRIED_FOR
        found = self.ranking.least(way, unowned, share * min(known) if known else None, "tight")
        if found is None and not shown and way == "buy":  # cards alone, for a computer that is there
            found = next(self.ranking.cheapest(way, unowned, LOSSES, ("tight",)), None)
        return [found] if found else []

    def _handy(self, kept: list[Found]) -> list[Found]:
        """What is easier to run or quicker than what is cheapest; a budget is spent by its own rule."""
        if self._spends("buy"):
            return []
        few = fewer(self, kept)
        for one in few:
            self._say(one, "fewer_cards")
        return [*few, *brisk(self, [*kept, *few])]

    def _preferred(self, way: str, limit: int) -> list[Found]:
        """The best use of a budget first, where more speed is wanted; then the cheapest of each card and precision.

        What costs much less by reduced precision or second-hand cards comes second.
        """
        cheap = self._cheapest(way, limit)
        first: list[Found] = []
        if self._spends(way):
            points, among = self._spent_on(way)
            best = self.ranking.best_use(way, points, among)
            first = [] if best is None else [best, *(one for one in reversed(points) if one != best)][: -(-limit // 2)]
            self._say(best, "best_use")
        elif way == "rent" and self.asked.load.training and self.asked.request.dataset_tokens:
            points = self.ranking.frontier(way, self.wanted)
            least = least_total(points + self.ranking.frontier(way, lambda one: self.wanted(one) and not one.unsure))
            first = [least] if least else []
            self._say(least, "least_total")
        kept = _distinct([*first, *cheap])[:limit]
        if not self._spends(way):
            kept.sort(key=lambda one: not one.option.choice.complete)
        other = self._alternatives(way, kept)
        if self._spends(way):
            return _distinct([*kept[: limit - len(other)], *other])
        mixed = _distinct([*kept[:1], *other, *kept[1:]])[:limit]
        return sorted(mixed, key=lambda one: not one.option.choice.complete)

    def _spent_on(self, way: str) -> tuple[list[Found], Wanted]:
        """The frontier that a budget is spent along: of what runs CUDA; where nothing fits for sure, of tight fits."""
        points = self.ranking.frontier(way, mainstream)
        if points and points[0].option.verdict == "yes":
            return points, mainstream
        every = self.ranking.frontier(way, self.wanted)
        if every and every[0].option.verdict == "yes":
            return [], mainstream
        return (points, mainstream) if points else (every, self.wanted)

    def _cheapest(self, way: str, limit: int) -> list[Found]:
        """As many cards and precisions as asked for; with room left, cheaper rents of the same that nobody dated."""
        kinds, cheap, beside = set(), list[Found](), list[Found]()
        for one in chain(self.ranking.leading(way, self.wanted), self.ranking.cheapest(way, self.wanted)):
            if any(one.option.choice is other.option.choice and one.mark == other.mark for other in (*cheap, *beside)):
                continue
            (beside if one.mark[:3] in kinds else cheap).append(one)
            kinds.add(one.mark[:3])
            if len(cheap) == limit:
                break
        return [*cheap, *beside][:limit]

    def _say(self, found: Found | None, code: str) -> None:
        if found is not None:
            self.said[id(found.option)] = reason("why", code)

    def _alternatives(self, way: str, kept: list[Found]) -> list[Found]:
        """What costs much less: precision reduced no further than that takes, or second-hand cards."""
        lead = self.options.loss_of(kept[0].option) if kept else 0
        coarser = [(self.wanted, (loss,)) for loss in LOSSES if loss > lead]
        found: list[Found] = []
        for kinds in (coarser, [(used, LOSSES)] if way == "buy" else []):
            sure = [other.option for other in (*kept[:1], *found) if other.option.verdict == "yes"]
            known = [option.choice.amount for option in sure if option.choice.complete and option.choice.amount]
            most = WORTH_SAYING * min(known) if known else None
            sureness: tuple[Verdict, ...] = ("yes", "tight") if kept and kept[0].option.verdict == "tight" else ("yes",)
            firsts = (next(self.ranking.cheapest(way, wanted, losses, sureness), None) for wanted, losses in kinds)
            found += islice((one for one in firsts if one is not None and _at_most(one, most)), 1)
        return found

    def _spends(self, way: str) -> bool:
        return self.asked.load.open_ended and way == "buy" and ceiling(self.asked.request.budget, "buy") is not None

    def instead(self) -> str | None:
        """The first purchase that would be proposed had no card been named."""
        if not self.asked.cards:
            return None
        changes = {"gpus_asked": (), "gpus_proposed": (), "acquisition": "buy", "max_results": 1}
        other = Search(read(self.asked.request.model_copy(update=changes)))
        return next((item.title for item, _, _ in other.shown()), None)

    def _native(self) -> str | None:
        return next((self.table.format_of(one) for one in self.asked.load.variants if one.loss == 0), None)


def _shares(ways: Sequence[str], left: int) -> dict[str, int]:
    """How many of each way are shown: a purchase has more sides to it (precision, second-hand, tight) than a rent."""
    if len(ways) < 2 or left < len(ways) * 2:
        return {way: -(-(left - place) // len(ways)) for place, way in enumerate(ways)}
    rents = left // 3
    return {way: rents if way == "rent" else left - rents for way in ways}


def _at_most(found: Found, most: Decimal | None) -> bool:
    amount = found.option.choice.amount
    return amount is not None and (most is None or amount <= most)


def _distinct(found: list[Found]) -> list[Found]:
    kept: list[Found] = []
    for one in found:
        if all(title(one.option.choice) != title(other.option.choice) for other in kept):
            kept.append(one)
    return kept

"""What is shown: owned cards first, then the best purchases and rentals, and the frontier of price and speed."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal

from kb.market.rates import usd
from kb.units import HOUR_S, HOURS_PER_MONTH
from tools.configure.load.layout import NODE_GPUS
from tools.configure.load.precision import LOSSES
from tools.configure.market.choice import Choice
from tools.configure.market.wanted import Wanted, whole
from tools.configure.pace.judged import Pace, Paced
from tools.configure.rank.options import PRICED, RANKED, Limits, Mark, Option, Options, Order
from tools.configure.request import ConfigureRequest
from tools.memory.result import Verdict
from tools.need import Budget

HOURS = {"hour": 1, "month": HOURS_PER_MONTH, "year": 12 * HOURS_PER_MONTH, None: HOURS_PER_MONTH}
"""Hours a rental budget covers; a rent without a period is taken as monthly."""
FITS: tuple[Verdict, ...] = ("yes", "tight")
"""What fits, the surer first."""
GRADES = tuple((kind, loss) for kind in FITS for loss in LOSSES)
"""How sure and precise a fit is, the best first."""
GROWTH = 2
"""Without a limit of money or power the frontier ends at so many times the fewest cards that hold the work, or at one
machine of eight."""
OWNED_SHOWN = 2
USUAL_NUMBERS = (1, 2, 4)
"""Cards that boards, bridges and engines are made for, beside whole machines of eight."""
USUAL_FOR = Decimal("1.15")
"""An unusual number of cards leads only where no usual one costs at most this many times as much."""
MUCH_FASTER, FASTER_FOR = 1.5, Decimal("1.1")
"""What is this many times as fast leads where it costs at most so many times as much, and is worth the rest of a
budget."""
Cost = Callable[[Choice], Decimal]
"""What a choice is taken to cost: its price, or that as it ranks."""
NEARLY = 0.9
"""Speed, and money the other way round, that count as the same when money is to be spent well."""
WORTH_SAYING = Decimal("0.8")
"""A reduced precision or a second-hand card is also shown where it costs at most this share of the first."""


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """An option with the layout chosen for it."""

    option: Option
    paced: Paced

    @property
    def mark(self) -> Mark:
        """Its card, weight format, acquisition, and whether its price is unsure."""
        choice = self.option.choice
        return choice.gpu.id, self.paced.held.weight_format, choice.acquisition, choice.unsure


def ceiling(budget: Budget | None, acquisition: str, term_s: float | None = None) -> Decimal | None:
    """The most a configuration may cost, in dollars: in all for a purchase, per hour for rent; None = no limit.

    Money that is to last for the time of a single rent, `term_s`, is shared out over its hours.
    """
    if budget is None or (budget.mode is not None and budget.mode != acquisition):
        return None
    amount = usd(budget.amount, budget.currency)
    if acquisition == "buy":
        return amount if budget.period is None else None
    if budget.period is None and term_s is not None:
        return amount / Decimal(max(1.0, term_s / HOUR_S))
    if budget.period is None and budget.mode is None:
        return None
    return amount / HOURS[budget.period]


def limits_of(request: ConfigureRequest) -> Limits:
    """The limits of a request."""
    return Limits(ceiling(request.budget, "buy"), ceiling(request.budget, "rent", request.term_s), request.max_power_w)


class Ranking:
    """Reads the options in order and keeps what answers the need."""

    def __init__(self, options: Options, pace: Pace, limits: Limits) -> None:
        self._options, self._pace, self._limits = options, pace, limits
        self._slow: dict[tuple[Choice, int], bool] = {}

    def cheapest(
        self,
        way: str,
        wanted: Wanted,
        losses: tuple[int, ...] = LOSSES,
        verdicts: tuple[Verdict, ...] = ("yes", "tight"),
        limits: Limits | None = None,
        *,
        usual: bool = False,
        order: Order = RANKED,
    ) -> Iterator[Found]:
        """Options fast enough, sure fits before tight ones, published precision before reduced, cheap ones first.

        Each card and precision comes once, at its cheapest: choices, not one choice often. A rent that nobody dated
        comes beside the dated one where it asks less. `usual`: only in numbers that machines and engines are made for.
        """
        seen: set[Mark] = set()
        hopeless = self._too_slow if self._pace.demanding else None
        for verdict in verdicts:
            for loss in losses:
                for option in self._options.by_price(
                    way, verdict, loss, limits or self._limits, wanted, seen, hopeless, order
                ):
                    gpu, unsure = option.choice.gpu.id, option.choice.unsure
                    if usual and not is_usual(option.choice):
                        continue
                    rows = tuple(held for held in option.rows if (gpu, held.weight_format, way, unsure) not in seen)
                    paced = self._pace.best(option.choice.gpu, rows) if rows else None
                    if paced is not None:
                        found = Found(option, paced)
                        seen.add(found.mark)
                        yield found

    def leading(self, way: str, wanted: Wanted) -> list[Found]:
        """What comes before the cheapest, and that itself, of what is alike in all but number and speed.

        The cheapest leads, what is priced whole before what is not. An unusual number of cards gives way to a usual one
        at most 15 % dearer, and that to a card that is half as fast again for at most a tenth more, the fastest of
        such. Nothing where nothing holds the work.
        """
        for among in (whole(wanted), wanted):
            first = next(self.cheapest(way, among), None)
            if first is not None:
                return self._led_by(first, way, among)
        return []

    def _led_by(self, first: Found, way: str, wanted: Wanted) -> list[Found]:
        found = [first]
        if not is_usual(first.option.choice):
            found[:0] = list(self._near(first, way, wanted, USUAL_FOR))[:1]
        faster = [
            one
            for one in self._near(found[0], way, wanted, FASTER_FOR)
            if one.paced.rate >= MUCH_FASTER * found[0].paced.rate
        ]
        return [*sorted(faster, key=lambda one: -one.paced.rate)[:1], *found]

    def _near(self, first: Found, way: str, wanted: Wanted, dearer: Decimal) -> Iterator[Found]:
        """Others in usual numbers, as sure, whole, new and precise, up to so many times as dear; cheap ones first."""
        choice, most = first.option.choice, dearer * first.option.choice.felt
        loss = self._options.loss_of(first.option)
        for one in self.cheapest(way, wanted, (loss,), (first.option.verdict,), usual=True):
            other = one.option.choice
            if (other.used, other.complete) != (choice.used, choice.complete) or other.felt > most:
                return
            if one.mark != first.mark or other.count != choice.count:
                yield one

    def owned(self, wanted: Wanted, *, all_of_them: bool) -> list[Found]:
        """The cards one has: enough by themselves, sure fits first; then with the fewest more of the same.

        Of those that are enough the fewest that are fast enough, or with `all_of_them` the fastest: they cost nothing
        more. Where none is fast enough, the fastest in any precision is told all the same. More are only added to cards
        that are not enough, not fast enough, not sure or not enough without giving up precision.
        """
        held = self._enough(wanted, all_of_them=all_of_them)
        return [*held.values(), *self._added(wanted, held)][:OWNED_SHOWN]

    def _enough(self, wanted: Wanted, *, all_of_them: bool) -> dict[str, Found]:
        """By card, what those one has do by themselves."""
        held: dict[str, Found] = {}
        slow: dict[str, Found] = {}
        for grade in GRADES:
            settled = set(held)  # in a better grade

            def in_hand(choice: Choice, settled: set[str] = settled) -> bool:
                done = settled if all_of_them else held
                return choice.count <= choice.owned and choice.gpu.id not in done and wanted(choice)

            for option in self._options.by_price("buy", *grade, self._limits, in_hand, among=wanted):
                card = option.choice.gpu
                if card.id in held and not all_of_them:
                    continue
                paced = self._pace.best(card, option.rows)
                into, found = (slow, self._pace.fastest(card, option.rows)) if paced is None else (held, paced)
                known = into.get(card.id)
                if found is not None and (known is None or found.rate > known.paced.rate):
                    into[card.id] = Found(option, found)
        return slow | held

    def _added(self, wanted: Wanted, held: dict[str, Found]) -> list[Found]:
        """The fewest more of each card that do better than those `held`: fast enough, surer or more precise.

        Of cards that do not hold it by themselves the fewest that do for sure in any precision first, which is what
        somebody with a card adds; then the fewest of the next finer one.
        """
        added: dict[str, list[Found]] = {}
        done = {card: self._grade(one.option) for card, one in held.items() if self._pace.enough(one.paced.speed)}
        for place, grade in enumerate(GRADES):

            def better(choice: Choice, place: int = place) -> bool:
                card, known = choice.gpu.id, added.get(choice.gpu.id)
                if choice.count <= choice.owned or place >= done.get(card, len(GRADES)):
                    return False
                if known and (card in done or known[0].option.verdict != GRADES[place][0]):
                    return False
                return wanted(choice) and (not known or choice.count < known[0].option.choice.count)

            for option in self._options.by_price("buy", *grade, self._limits, better, among=wanted):
                paced = self._pace.best(option.choice.gpu, option.rows)
                known = added.setdefault(option.choice.gpu.id, [])
                if paced is not None and all(option.choice.count < one.option.choice.count for one in known):
                    known.insert(0, Found(option, paced))
        return [one for place in range(OWNED_SHOWN) for known in added.values() for one in known[place : place + 1]]

    def _grade(self, option: Option) -> int:
        """How sure and precise a fit is: its place among the grades."""
        return GRADES.index((option.verdict, self._options.loss_of(option)))

    def least(
        self, way: str, wanted: Wanted, below: Decimal | None = None, verdict: Verdict = "yes",
        within: Limits | None = None,
    ) -> Found | None:  # fmt: skip
        """The fit with the lowest whole price, in any precision; null when none costs less than `below`.

        It is the least of all that the limits admit, so a limit that is relaxed never raises it.
        """
        best: Found | None = None
        for loss in LOSSES:
            limits = (within or self._limits).at_most(way, below)
            found = next(self.cheapest(way, whole(wanted), (loss,), (verdict,), limits, order=PRICED), None)
            amount = found.option.choice.amount if found else None
            if amount is not None and (below is None or amount < below):
                best, below = found, amount
        return best

    def frontier(self, way: str, wanted: Wanted, *, enough: bool = True) -> list[Found]:
        """Fits of the best precision to be had that none beats on price and speed together, cheapest first.

        Every option within the limits is considered; one whose bound is no faster than what costs less is left out
        without an estimate. Whole machines come before cards alone and sure fits before tight ones, even in less
        precision.
        """
        reached: dict[tuple[Verdict, int], list[Choice]] = {}
        for complete in (True, False):
            for kind, loss in GRADES:
                if complete:
                    reached[kind, loss] = self._options.reaching(way, loss, self._limits, GROWTH, wanted, kind)
                priced = [one for one in reached[kind, loss] if one.amount and one.complete >= complete]
                points = self._undominated(priced, loss, kind, _price, enough=enough)
                if points:
                    return points
        return []

    def frontier_of(self, way: str, wanted: Wanted, loss: int) -> list[Found]:
        """The same of sure fits that are priced whole in one precision."""
        reached = self._options.reaching(way, loss, self._limits, GROWTH, wanted)
        return self._undominated([one for one in reached if one.amount and one.complete], loss, "yes", _price)

    def _undominated(
        self, choices: list[Choice], loss: int, verdict: Verdict, cost: Cost, *, enough: bool = True
    ) -> list[Found]:
        """Of choices in the order of what they cost, those faster than all that cost less."""
        points: list[Found] = []
        best = 0.0
        for choice in choices:
            if not self._may_beat(choice, loss, best):
                continue
            option = self._options.option(choice, verdict, loss)
            faster = self._pace.best if enough else self._pace.fastest
            paced = faster(choice.gpu, option.rows, best) if option else None
            if option is None or paced is None or paced.rate <= best:
                continue
            best = paced.rate
            if points and cost(points[-1].option.choice) == cost(choice):
                points.pop()
            points.append(Found(option, paced))
        return points

    def best_use(self, way: str, points: list[Found], wanted: Wanted) -> Found | None:
        """Where money is to be spent well: within a tenth of the fastest, and for about the least that takes.

        Read as a budget that grows along the frontier: while what was chosen is within a tenth of the fastest it stays,
        but for fewer cards that are no slower; else the cheapest within a tenth of the fastest is taken, or the fewest
        cards at most a tenth dearer than that: less to power, cool and fail, and more memory on each for the next
        model. So a bigger budget never buys less.

        Prices are read as they rank: one nobody confirmed of late must be within the budget with its charge, too,
        unless every one is such.
        """
        if not points:
            return None
        first = points[0].option
        loss, verdict, whole = self._options.loss_of(first), first.verdict, first.choice.complete
        reached = self._options.reaching(way, loss, self._limits, GROWTH, wanted, verdict)
        alike = [choice for choice in reached if choice.amount and choice.complete == whole]
        affordable = sorted(filter(self._affordable, alike), key=lambda choice: (choice.felt, choice.key))
        confirmed = self._undominated(affordable, loss, verdict, _felt)
        return self._grown(confirmed, affordable, _felt) if confirmed else self._grown(points, alike, _price)

    def _affordable(self, choice: Choice) -> bool:
        """Whether the budget suffices for the price as it ranks."""
        budget = self._limits.buy_usd if choice.acquisition == "buy" else self._limits.rent_usd_per_hour
        return budget is None or choice.felt <= budget

    def _grown(self, points: list[Found], choices: list[Choice], cost: Cost) -> Found | None:
        """What a budget that grows along these points, out of these choices, ends with."""
        best: Found | None = None
        room = Decimal(0)
        for place, fastest in enumerate(points):
            reached = cost(fastest.option.choice)
            if best is None or best.paced.rate < NEARLY * fastest.paced.rate:
                best = next(point for point in points if point.paced.rate >= NEARLY * fastest.paced.rate)
                room = cost(best.option.choice) / Decimal(NEARLY)
                near = [choice for choice in choices if cost(choice) <= min(room, reached)]
                best = self._fewest(near, best, NEARLY * fastest.paced.rate)
            following = cost(points[place + 1].option.choice) if place + 1 < len(points) else room + 1
            between = [choice for choice in choices if reached <= cost(choice) < following]
            best = self._fewest([choice for choice in between if cost(choice) <= room], best, None)
        return best

    def _fewest(self, near: list[Choice], best: Found, least: float | None) -> Found:
        """The fewest cards among choices that run at `least`, or no slower than those before where it is null."""
        loss, verdict = self._options.loss_of(best.option), best.option.verdict
        for choice in near:
            rate = best.paced.rate if least is None else least
            if choice.count < best.option.choice.count and self._may_beat(choice, loss, rate):
                option = self._options.option(choice, verdict, loss)
                paced = self._pace.best(choice.gpu, option.rows, rate) if option else None
                if option is not None and paced is not None:
                    best = Found(option, paced)
        return best

    def _too_slow(self, choice: Choice, loss: int) -> bool:
        """Whether physics keeps every layout on the choice from being fast enough."""
        key = (choice, loss)
        if key not in self._slow:
            spreads = self._options.spreads(choice, loss)
            self._slow[key] = not any(self._pace.hopeful(choice.gpu, layout, form) for layout, form in spreads)
        return self._slow[key]

    def _may_beat(self, choice: Choice, loss: int, best: float) -> bool:
        """Whether physics lets any layout on the choice be faster than what costs less."""
        spreads = self._options.spreads(choice, loss)
        return any(self._pace.bound(choice.gpu, layout, form) > best for layout, form in spreads)


def is_usual(choice: Choice) -> bool:
    """Whether so many cards are what machines and engines are made for."""
    return choice.count in USUAL_NUMBERS or choice.count % NODE_GPUS == 0


def _price(choice: Choice) -> Decimal:
    return choice.amount or Decimal(0)


def _felt(choice: Choice) -> Decimal:
    return choice.felt


def least_total(points: list[Found]) -> Found | None:
    """The rental that finishes a job for the least money in all, as prices are felt.

    The money of a job is price over speed; what another beats on both has the greater ratio, so the least is a point of
    the frontier: that of all rents, or that of dated ones.
    """
    rated = [point for point in points if point.paced.rate]
    return min(rated, key=lambda point: float(point.option.choice.felt) / point.paced.rate, default=None)

"""Every way to acquire cards that hold the work, in order of price, worked out only as far as somebody reads."""

import heapq
from collections.abc import Callable, Hashable, Iterator, Set
from dataclasses import dataclass, replace
from decimal import Decimal

from kb.records.gpu import Gpu
from tools.configure.choice import MACHINE_SHARE, Choice, Stream, purchases, rentals
from tools.configure.fitting import Held, Table, runs
from tools.configure.layout import NODE_GPUS, Layout
from tools.configure.suitable import scales_out
from tools.configure.workload import Variant
from tools.memory.result import Verdict

EIGHT_BIT = {"fp8", "int8", "mxfp8"}
WIDE = {"bf16", "fp16", "fp32"}
Wanted = Callable[[Choice], bool]
Mark = tuple[str, str, str, bool]
"""Card, weight format, acquisition, whether the price is unsure: what makes two finds one choice in other numbers."""
Classes = dict[Verdict, tuple[Held, ...]]


@dataclass(frozen=True, slots=True, eq=False)
class Option:
    """A choice with the layouts of one precision that fit it."""

    choice: Choice
    rows: tuple[Held, ...]
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Limits:
    """What an acquisition must stay within; null = no limit."""

    buy_usd: Decimal | None = None
    rent_usd_per_hour: Decimal | None = None
    power_w: int | None = None

    def within(self, choice: Choice) -> bool:
        """Whether a choice stays within every limit."""
        limit = self.buy_usd if choice.acquisition == "buy" else self.rent_usd_per_hour
        if limit is not None and not choice.complete:
            limit *= 1 - MACHINE_SHARE
        if limit is not None and (choice.amount is None or choice.amount > limit):
            return False
        return self.power_w is None or (choice.power_w or 0) <= self.power_w

    def at_most(self, way: str, amount: Decimal | None) -> "Limits":
        """The same with no more than this much money for one way."""
        if amount is None:
            return self
        return replace(self, buy_usd=amount) if way == "buy" else replace(self, rent_usd_per_hour=amount)

    def bounded(self, way: str) -> bool:
        """Whether a limit ends how many cards can be had."""
        money = self.buy_usd if way == "buy" else self.rent_usd_per_hour
        return money is not None or self.power_w is not None


class Options:
    """Every stream of the cards considered, and what of them fits."""

    def __init__(self, table: Table, native: str | None, most: int | None) -> None:
        self._table, self._native, self._asked_most = table, native, most
        self._streams: dict[str, list[Stream]] = {"buy": [], "rent": []}
        self._split: dict[tuple[str, int, int, int], Classes] = {}
        self._starts: dict[tuple[Hashable, int], int] = {}
        """Where the first choice of a stream that holds the work stands, by loss of precision."""
        self._by_loss: dict[int, list[tuple[str, Variant]]] = {0: [], 1: [], 2: []}
        self._running: dict[tuple[str, int], tuple[tuple[str, Variant], ...]] = {}
        self._spreads: dict[tuple[bool, int, int, tuple[str, ...]], tuple[tuple[Layout, str], ...]] = {}
        self._sequences = table.load.variants[0].request.concurrent_sequences or 1
        self._training, self._one_gpu = table.load.training, table.load.one_gpu
        for variant in table.load.variants:
            form = table.format_of(variant)
            if form is not None and all(form != other for known in self._by_loss.values() for other, _ in known):
                self._by_loss[precision_lost(form, native)].append((form, variant))

    def add(
        self, gpu: Gpu, *, ways: tuple[str, ...], provider: str | None, owned: int, asked: bool, country: str | None
    ) -> None:
        """Consider a card, to buy or to rent."""
        if "buy" in ways:
            self._streams["buy"] += purchases(gpu, owned=owned, asked=asked, country=country)
        if "rent" in ways:
            self._streams["rent"] += rentals(gpu, provider, country)

    def by_price(
        self, way: str, verdict: Verdict, loss: int, limits: Limits, wanted: Wanted, seen: Set[Mark] = frozenset(),
        hopeless: Callable[[Choice, int], bool] | None = None,
    ) -> Iterator[Option]:  # fmt: skip
        """Options of one way, verdict and loss of precision within the limits, the cheapest first.

        Every stream grows in price and power, so it ends at the first choice beyond a limit; and where every format
        of its card has been `seen`. Of sure fits those that are `hopeless` are passed by without a look.
        """
        given = (way, verdict, loss, limits, wanted, seen, hopeless if verdict == "yes" else None)
        streams = [self._fitting(stream, *given) for stream in self._streams[way]]
        return heapq.merge(*streams, key=lambda option: option.choice.key)

    def reaching(
        self, way: str, loss: int, limits: Limits, growth: int, wanted: Wanted, verdict: Verdict = "yes"
    ) -> list[Choice]:
        """Choices within the limits that may hold the work so surely, for every card from the fewest that do on.

        They end where money or power ends; without such a limit at `growth` times those, or at one node. Of like
        numbers in like machines the cheapest, cheap first.
        """
        fewest: dict[str, int] = {}
        for stream in self._streams[way]:
            first = next(self._fitting(stream, way, verdict, loss, limits, wanted, frozenset(), None), None)
            if first is not None:
                count = first.choice.count
                fewest[stream.gpu.id] = min(fewest.get(stream.gpu.id, count), count)
        cheapest: dict[tuple[str, int, int, bool], Choice] = {}
        endless = limits.bounded(way)
        for stream in self._streams[way]:
            least = fewest.get(stream.gpu.id)
            if least is not None:
                for _, choice in self._within(stream, 0, limits, wanted):
                    if not endless and choice.count > max(growth * least, NODE_GPUS):
                        break
                    same = (choice.gpu.id, choice.count, choice.cards, choice.complete)
                    if choice.count >= least and (same not in cheapest or choice.dearness < cheapest[same].dearness):
                        cheapest[same] = choice
        return sorted(cheapest.values(), key=lambda choice: choice.dearness)

    def option(self, choice: Choice, verdict: Verdict, loss: int) -> Option | None:
        """The layouts of one verdict and loss of precision on a choice; null when there are none."""
        rows = self._by_class(choice, loss).get(verdict)
        return Option(choice, rows, verdict) if rows else None

    def loss_of(self, option: Option) -> int:
        """The loss of precision of an option."""
        return precision_lost(option.rows[0].weight_format, self._native)

    def spreads(self, choice: Choice, loss: int) -> tuple[tuple[Layout, str], ...]:
        """Every layout that works on a choice, with the format it is in, whether it fits or not."""
        key = (
            scales_out(choice.gpu),
            choice.count,
            choice.cards,
            tuple(one[0] for one in self._formats(choice.gpu, loss)),
        )
        if key not in self._spreads:
            self._spreads[key] = tuple(
                (layout, form)
                for form, variant in self._formats(choice.gpu, loss)
                for layout, _ in self._table.arranged(choice.count, choice.cards, variant, linked=key[0])
            )
        return self._spreads[key]

    def _fitting(
        self, stream: Stream, way: str, verdict: Verdict, loss: int, limits: Limits, wanted: Wanted, seen: Set[Mark],
        hopeless: Callable[[Choice, int], bool] | None,
    ) -> Iterator[Option]:  # fmt: skip
        marks = [(stream.gpu.id, form, way, stream.unsure) for form, _ in self._formats(stream.gpu, loss)]
        if not marks or (seen and all(mark in seen for mark in marks)):
            return
        start = self._starts.get((stream.steps, loss))
        learns = start is None and not stream.owned
        for place, choice in self._within(stream, start or 0, limits, wanted):
            if hopeless is not None and hopeless(choice, loss):
                learns = False
                continue
            classes = self._by_class(choice, loss)
            if not classes:
                continue
            if learns:
                self._starts[stream.steps, loss], learns = place, False
            if verdict in classes:
                yield Option(choice, classes[verdict], verdict)
                if seen and all(mark in seen for mark in marks):
                    return
            if verdict == "tight" and "yes" in classes:
                return  # this and every dearer choice of the stream has a sure fit

    def _within(self, stream: Stream, place: int, limits: Limits, wanted: Wanted) -> Iterator[tuple[int, Choice]]:
        """The wanted choices of a stream with their places, from one on, down to the first beyond a limit."""
        choice = stream.at(place)
        if choice is None or not (stream.owned or wanted(choice)):
            return  # cards nobody owns are all wanted or all not
        linked = scales_out(stream.gpu) and choice.cards >= 4
        while choice is not None:
            if not stream.owned or wanted(choice):
                if choice.count > self._most(choice.cards, linked) or not limits.within(choice):
                    return
                yield place, choice
            place += 1
            choice = stream.at(place)

    def _most(self, cards: int, linked: bool) -> int:
        """More cards than this cannot be used: ranks stay within a machine, or every sequence has its own copy."""
        most = self._asked_most or 10**9
        if self._one_gpu:
            return most
        if self._training:
            return most if linked else min(cards, most)
        return min(self._sequences * (128 if linked else cards), most)

    def _formats(self, gpu: Gpu, loss: int) -> tuple[tuple[str, Variant], ...]:
        key = (gpu.id, loss)
        if key not in self._running:
            self._running[key] = tuple(one for one in self._by_loss[loss] if runs(gpu, one[0]))
        return self._running[key]

    def _by_class(self, choice: Choice, loss: int) -> Classes:
        key = (choice.gpu.id, choice.count, choice.cards, loss)
        known = self._split.get(key)
        if known is None:
            parts: dict[Verdict, list[Held]] = {}
            for _, variant in self._formats(choice.gpu, loss):
                for held in self._table.fitting(choice.gpu, choice.count, choice.cards, variant):
                    parts.setdefault(held.verdict(choice.gpu), []).append(held)
            known = self._split[key] = {name: tuple(rows) for name, rows in parts.items()}
        return known


def precision_lost(weight_format: str, native: str | None) -> int:
    """0 for the published format (or 16 bit and wider), 1 for 8 bit, 2 for less."""
    if weight_format == native or weight_format in WIDE:
        return 0
    return 1 if weight_format in EIGHT_BIT else 2

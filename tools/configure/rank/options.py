"""Every way to acquire cards that hold the work, in order of price, worked out only as far as somebody reads."""

import math
from collections.abc import Callable, Hashable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from decimal import Decimal
from heapq import heappop, heapreplace
from operator import attrgetter

from kb.records.gpu import Gpu
from tools.configure.load.cut import Floor
from tools.configure.load.fitting import Held, Table, runs
from tools.configure.load.layout import NODE_GPUS, Layout
from tools.configure.load.precision import LOSSES, precision_lost
from tools.configure.load.workload import Variant
from tools.configure.market.choice import Choice
from tools.configure.market.own import NOTHING, Own
from tools.configure.market.purchases import purchases
from tools.configure.market.rentals import asking, rentals
from tools.configure.market.stream import Stream
from tools.configure.market.suitable import reads_files, scales_out
from tools.configure.market.wanted import LASTING, Wanted
from tools.memory.result import Verdict

Mark = tuple[str, str, str, bool]
"""Card, weight format, acquisition, whether the price is unsure: what makes two finds one choice in other numbers."""
Classes = dict[Verdict, tuple[Held, ...]]
Order = Callable[[Choice], tuple[object, ...]]
FILE_CARDS = 2
"""Cards over which files are dealt out in place of a server."""
Head = tuple[tuple[object, ...], int, int]
"""Where a choice stands in an order; its stream and its place there."""
RANKED: Order = attrgetter("key")
PRICED: Order = attrgetter("dearness")


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

    @property
    def are_none(self) -> bool:
        """Whether everything is within them."""
        return self.buy_usd is None and self.rent_usd_per_hour is None and self.power_w is None

    def within(self, choice: Choice) -> bool:
        """Whether a choice stays within every limit."""
        limit = self.buy_usd if choice.acquisition == "buy" else self.rent_usd_per_hour
        if limit is not None and (choice.amount is None or choice.amount > choice.affords(limit)):
            return False
        return self.power_w is None or _draws(choice) <= self.power_w

    def at_most(self, way: str, amount: Decimal | None) -> "Limits":
        """The same with no more than this much money for one way."""
        if amount is None:
            return self
        return replace(self, buy_usd=amount) if way == "buy" else replace(self, rent_usd_per_hour=amount)

    def bounded(self, way: str) -> bool:
        """Whether a limit ends how many cards can be had."""
        money = self.buy_usd if way == "buy" else self.rent_usd_per_hour
        return money is not None or self.power_w is not None


NO_LIMITS = Limits()


class Options:
    """Every stream of the cards considered, and what of them fits."""

    def __init__(self, table: Table, native: str | None, most: int | None) -> None:
        self._table, self._native, self._asked_most = table, native, most
        self._at = asking()
        self._streams: dict[str, list[Stream]] = {"buy": [], "rent": []}
        self._split: dict[tuple[str, int, int, int], Classes] = {}
        self._starts: dict[tuple[Hashable, int], int | None] = {}
        self._begun: dict[tuple[str, int], list[tuple[int, int]]] = {}
        self._sorted: dict[tuple[str, int, Order], list[Head]] = {}
        self._wanted: dict[tuple[str, int, Wanted, Order], list[Head]] = {}
        self._ready: dict[tuple[str, int, Order], list[Head]] = {}
        self._said: dict[tuple[str, Wanted], dict[int, bool]] = {}
        self._marked: dict[tuple[Stream, int], frozenset[Mark]] = {}
        self._least: dict[tuple[str, int], tuple[Floor, ...]] = {}
        self._mosts: dict[tuple[int, bool], int] = {}
        self._by_loss: dict[int, list[tuple[str, Variant]]] = {loss: [] for loss in LOSSES}
        self._running: dict[tuple[str, int], tuple[tuple[str, Variant], ...]] = {}
        self._spreads: dict[tuple[bool, int, int, tuple[str, ...]], tuple[tuple[Layout, str], ...]] = {}
        self._sequences = table.load.variants[0].request.concurrent_sequences or 1
        self._training, self._one_gpu = table.load.training, table.load.one_gpu
        for variant in table.load.variants:
            form = table.format_of(variant)
            known = {(other, one.form) for rows in self._by_loss.values() for other, one in rows}
            if form is not None and (form, variant.form) not in known:
                self._by_loss[self._lost(form)].append((form, variant))

    def add(
        self, gpu: Gpu, *, ways: tuple[str, ...], provider: str | None, owned: int, asked: bool, country: str | None,
        own: Own = NOTHING,
    ) -> None:  # fmt: skip
        """Consider a card, to buy or to rent, at the person's own prices where there are such."""
        if "buy" in ways:
            self._streams["buy"] += purchases(gpu, owned=owned, asked=asked, country=country, own=own)
        if "rent" in ways:
            self._streams["rent"] += rentals(gpu, provider, country, self._at, own)

    def streams(self, way: str, gpu: Gpu) -> Iterator[Stream]:
        """The streams of one card."""
        return (stream for stream in self._streams[way] if stream.gpu is gpu)

    def variants(self, gpu: Gpu, loss: int) -> tuple[Variant, ...]:
        """The formats of one loss of precision that a card computes in."""
        return tuple(variant for _, variant in self._formats(gpu, loss))

    def by_price(
        self, way: str, verdict: Verdict, loss: int, limits: Limits, wanted: Wanted, seen: Set[Mark] = frozenset(),
        hopeless: Callable[[Choice, int], bool] | None = None, order: Order = RANKED, among: Wanted | None = None,
    ) -> Iterator[Option]:  # fmt: skip
        """Options of one way, verdict and loss of precision within the limits, the cheapest first.

        Streams are read as one: a choice is looked at when its turn has come. A stream ends at the first choice beyond
        a limit, for prices and power grow along it; where every format of its card has been `seen`; and, of tight fits,
        where a sure one stands, for every larger one is sure. Sure fits that are `hopeless` are passed by unseen. Only
        streams `among` which what is `wanted` must be are looked at, where that is told.
        """
        streams = self._streams[way]
        hopeless = hopeless if verdict == "yes" else None
        heads = list(self._admitted(way, loss, among or wanted, order))
        if among is not None or not limits.are_none:
            heads = [one for one in heads if self._open(streams[one[1]], one[2], limits, wanted)]
        while heads:  # sorted, and so a heap
            _, number, place = heads[0]
            stream = streams[number]
            choice, ended = stream.choices[place], bool(seen) and self._marks(stream, loss) <= seen
            classes = {} if ended or (hopeless and hopeless(choice, loss)) else self._by_class(choice, loss)
            ended = ended or (verdict == "tight" and "yes" in classes)
            if ended or not self._open(stream, place + 1, limits, wanted):
                heappop(heads)
            else:
                heapreplace(heads, (order(stream.choices[place + 1]), number, place + 1))
            if verdict in classes:
                yield Option(choice, classes[verdict], verdict)

    def reaching(
        self, way: str, loss: int, limits: Limits, growth: int, wanted: Wanted, verdict: Verdict = "yes"
    ) -> list[Choice]:
        """Choices within the limits that may hold the work so surely, for every card from the fewest that do on.

        They end where money or power ends; without such a limit at `growth` times those, or at one node. Of like
        numbers in like machines the cheapest, cheap first.
        """
        fewest: dict[str, int] = {}
        streams = [self._streams[way][number] for _, number, _ in self._heads(way, loss, RANKED)]
        for stream in streams:
            count = self._fewest(stream, verdict, loss, limits, wanted, fewest.get(stream.gpu.id))
            if count is not None:
                fewest[stream.gpu.id] = count
        cheapest: dict[tuple[str, int, int, bool], Choice] = {}
        endless = limits.bounded(way)
        for stream in streams:
            least = fewest.get(stream.gpu.id)
            if least is not None:
                for choice in self._within(stream, 0, limits, wanted):
                    if not endless and choice.count > max(growth * least, NODE_GPUS):
                        break
                    same = (choice.gpu.id, choice.count, choice.cards, choice.complete)
                    if choice.count >= least and (same not in cheapest or choice.dearness < cheapest[same].dearness):
                        cheapest[same] = choice
        return sorted(cheapest.values(), key=PRICED)

    def option(self, choice: Choice, verdict: Verdict, loss: int) -> Option | None:
        """The layouts of one verdict and loss of precision on a choice; null when there are none."""
        rows = self._by_class(choice, loss).get(verdict)
        return Option(choice, rows, verdict) if rows else None

    def loss_of(self, option: Option) -> int:
        """The loss of precision of an option."""
        return self._lost(option.rows[0].weight_format)

    def _lost(self, form: str) -> int:
        """The same of a format; nothing where it, or its size, was asked for."""
        serving = self._table.load.serving
        asked = serving is not None and serving.load.weight_format is not None
        return 0 if asked else precision_lost(form, self._native)

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

    def _heads(self, way: str, loss: int, order: Order) -> list[Head]:
        """The first choice of every stream that memory does not rule out, in order."""
        if not self._by_loss[loss]:
            return []
        if (way, loss, order) not in self._sorted:
            streams = self._streams[way]
            if (way, loss) not in self._begun:
                able = ((number, one) for number, one in enumerate(streams) if self._floors(one.gpu, loss))
                starts = ((number, self._start(stream, loss)) for number, stream in able)
                self._begun[way, loss] = [(number, place) for number, place in starts if place is not None]
            self._sorted[way, loss, order] = sorted(
                (order(streams[number].choices[place]), number, place) for number, place in self._begun[way, loss]
            )
        return self._sorted[way, loss, order]

    def _admitted(self, way: str, loss: int, wanted: Wanted, order: Order) -> Sequence[Head]:
        """Those of the heads that are wanted, whatever the limits.

        A search asks for the same of them many times, and what is always wanted or never is so all along a stream.
        """
        streams, heads = self._streams[way], self._heads(way, loss, order)
        if wanted not in LASTING:
            return [one for one in heads if self._open(streams[one[1]], one[2], NO_LIMITS, wanted)]
        key = (way, loss, wanted, order)
        if (known := self._wanted.get(key)) is None:
            said = self._said.setdefault((way, wanted), {})
            for _, number, _ in heads:
                if number not in said:
                    said[number] = wanted(streams[number].choices[0])
            ready = self._ready.get((way, loss, order))
            if ready is None:
                ready = [one for one in heads if self._usable(streams[one[1]], one[2])]
                self._ready[way, loss, order] = ready
            known = self._wanted[key] = [one for one in ready if said[one[1]]]
        return known

    def _start(self, stream: Stream, loss: int) -> int | None:
        """Where the first choice stands of which memory does not rule out every layout; null when it does of all."""
        key = (stream.steps, loss)
        if key not in self._starts:
            self._starts[key] = self._first_place(stream, loss)
        return self._starts[key]

    def _first_place(self, stream: Stream, loss: int) -> int | None:
        numbers, usable = stream.numbers, stream.gpu.usable_bytes
        place = len(numbers)
        for floor in self._floors(stream.gpu, loss):
            place = min(place, floor.first(numbers, usable))
        return place if place < len(numbers) else None

    def _floors(self, gpu: Gpu, loss: int) -> tuple[Floor, ...]:
        """What the formats of one loss that a card computes in hold at least; what is above another is left out."""
        key = (gpu.id, loss)
        if key not in self._least:
            every = {self._table.floor(variant) for _, variant in self._formats(gpu, loss)}
            self._least[key] = tuple(
                one for one in every if not any(other != one and _under(other, one) for other in every)
            )
        return self._least[key]

    def _open(self, stream: Stream, place: int, limits: Limits, wanted: Wanted) -> bool:
        """Whether a stream has such a place, and its choice is wanted and within the limits."""
        if place >= len(stream.choices):
            return False
        choice = stream.choices[place]
        return self._usable(stream, place) and wanted(choice) and (limits.are_none or limits.within(choice))

    def _usable(self, stream: Stream, place: int) -> bool:
        """Whether as many cards as a choice has can be used."""
        choice = stream.choices[place]
        key = (choice.cards, stream.linked)
        most = self._mosts.get(key)
        if most is None:
            most = self._mosts[key] = self._most(choice.cards, linked=stream.linked)
        return choice.count <= most

    def _within(self, stream: Stream, place: int, limits: Limits, wanted: Wanted) -> Iterator[Choice]:
        """The choices of a stream from one on, down to the first beyond a limit."""
        while self._open(stream, place, limits, wanted):
            yield stream.choices[place]
            place += 1

    def _fewest(
        self, stream: Stream, verdict: Verdict, loss: int, limits: Limits, wanted: Wanted, known: int | None
    ) -> int | None:
        """The fewest cards of a stream that hold the work so surely, or the number `known` that do if that is less."""
        for choice in self._within(stream, self._start(stream, loss) or 0, limits, wanted):
            if known is not None and choice.count >= known:
                return known
            classes = self._by_class(choice, loss)
            if verdict in classes:
                return choice.count
            if verdict == "tight" and "yes" in classes:
                return known
        return known

    def _marks(self, stream: Stream, loss: int) -> frozenset[Mark]:
        """What the options of a stream are marked as."""
        key = (stream, loss)
        if key not in self._marked:
            gpu, way = stream.gpu, stream.choices[0].acquisition
            self._marked[key] = frozenset((gpu.id, form, way, stream.unsure) for form, _ in self._formats(gpu, loss))
        return self._marked[key]

    def _most(self, cards: int, *, linked: bool) -> int:
        """More cards than this cannot be used: ranks stay within a machine, or every sequence has its own copy."""
        most, linked = self._asked_most or 10**9, linked and cards >= 4
        if self._one_gpu:
            return most
        if self._training:
            return most if linked else min(cards, most)
        return min(self._sequences * (128 if linked else cards), most)

    def _formats(self, gpu: Gpu, loss: int) -> tuple[tuple[str, Variant], ...]:
        key = (gpu.id, loss)
        if key not in self._running:
            offered = self._table.load.offered(gpu)
            self._running[key] = tuple(
                (form, one)
                for form, one in self._by_loss[loss]
                if one in offered and (one.form is not None or runs(gpu, form))
            )
        return self._running[key]

    def _piled(self, choice: Choice) -> bool:
        """Whether files would make many cards take turns that a server shares: nobody builds that for one person."""
        return choice.count > FILE_CARDS and any(not one.file for one in self._table.load.offered(choice.gpu))

    def _by_class(self, choice: Choice, loss: int) -> Classes:
        key = (choice.gpu.id, choice.count, choice.cards, loss)
        known = self._split.get(key)
        if known is None:
            parts: dict[Verdict, list[Held]] = {}
            wide: set[str] = set()  # formats that fit with the wide cache: a narrower one is for where it binds
            for form, variant in self._formats(choice.gpu, loss):
                if variant.form is not None and variant.form.narrow and form in wide:
                    continue
                if variant.file and (any(not name.startswith("gguf:") for name in wide) or self._piled(choice)):
                    continue  # files stand in where a server finds no room
                for held in self._table.fitting(choice.gpu, choice.count, choice.cards, variant):
                    verdict = held.verdict(choice.gpu)
                    parts.setdefault(verdict, []).append(held)
                    wide |= {form} if verdict == "yes" else set()
            known = self._split[key] = {name: tuple(rows) for name, rows in parts.items()}
        return known


def _draws(choice: Choice) -> float:
    """Watts of the cards as a limit counts them: what is bought and states none is beyond every limit.

    Computers of one memory state theirs seldom and draw less than cards do; of rents somebody else pays the power.
    """
    unstated = choice.acquisition == "buy" and not reads_files(choice.gpu)
    return choice.power_w or (math.inf if unstated else 0)


def _under(one: Floor, other: Floor) -> bool:
    """Whether a floor is nowhere above another."""
    return one.copied <= other.copied and one.spread <= other.spread

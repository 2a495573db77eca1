"""Every way to acquire cards that hold the work, in order of price, worked out only as far as somebody reads."""

import heapq
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal

from kb.records.gpu import Gpu
from tools.configure.choice import Choice, purchase_streams, rental_streams
from tools.configure.fitting import Held, Table, runs
from tools.configure.layout import NODE_GPUS
from tools.configure.suitable import MAINSTREAM, scales_out
from tools.configure.workload import Variant
from tools.memory.result import Verdict

FAR = Decimal(10) ** 15
LEAVING_CUDA = Decimal("1.3")
"""What a purchase outside CUDA is charged in the ranking, not in the price: a judgement, for porting and support."""
MACHINE_SHARE = Decimal("0.2")
"""Part of a purchase budget kept for what has no price, and charged to it in the ranking."""
EIGHT_BIT = {"fp8", "int8", "mxfp8"}
WIDE = {"bf16", "fp16", "fp32"}


@dataclass(frozen=True, slots=True, eq=False)
class Option:
    """A choice with the layouts of one precision that fit it."""

    choice: Choice
    rows: tuple[Held, ...]
    verdict: Verdict

    @property
    def felt(self) -> Decimal:
        """The price as it ranks: unknown parts and leaving CUDA are charged for."""
        amount = self.choice.amount
        if amount is None:
            return FAR
        if not self.choice.complete:
            amount /= 1 - MACHINE_SHARE
        foreign = self.choice.acquisition == "buy" and self.choice.gpu.vendor != MAINSTREAM
        return amount * (LEAVING_CUDA if foreign else 1)

    @property
    def key(self) -> tuple[object, ...]:
        """Order among options of one precision: new before used, known prices before unknown, cheap first."""
        choice = self.choice
        name = choice.offer.id if choice.offer else choice.gpu.id
        return choice.used, not choice.complete, self.felt, choice.count, choice.machines, name


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


class Stream:
    """Growing choices of one card, drawn once and read many times."""

    def __init__(self, gpu: Gpu, drawn: Iterator[Choice]) -> None:
        self.gpu = gpu
        self._drawn = drawn
        self._known: list[Choice] = []

    def __iter__(self) -> Iterator[Choice]:
        place = 0
        while True:
            if place == len(self._known):
                following = next(self._drawn, None)
                if following is None:
                    return
                self._known.append(following)
            yield self._known[place]
            place += 1


class Options:
    """Every stream of the cards considered, and what of them fits."""

    def __init__(self, table: Table, native: str | None) -> None:
        self._table = table
        self._streams: dict[str, list[Stream]] = {"buy": [], "rent": []}
        self._split: dict[tuple[str, int, int, int], dict[Verdict, tuple[Held, ...]]] = {}
        self._by_loss: dict[int, list[tuple[str, Variant]]] = {0: [], 1: [], 2: []}
        self._sequences = table.load.variants[0].request.concurrent_sequences or 1
        self._training, self._one_gpu = table.load.training, table.load.one_gpu
        for variant in table.load.variants:
            form = table.format_of(variant)
            if form is not None and all(form != other for known in self._by_loss.values() for other, _ in known):
                self._by_loss[precision_lost(form, native)].append((form, variant))

    def add(
        self, gpu: Gpu, *, ways: tuple[str, ...], provider: str | None, owned: int, asked: bool, country: str | None,
        most: int | None,
    ) -> None:  # fmt: skip
        """Consider a card, to buy or to rent."""
        if "buy" in ways:
            training = self._table.load.training
            bought = purchase_streams(gpu, owned=owned, asked=asked, country=country, training=training, most=most)
            self._streams["buy"] += [Stream(gpu, drawn) for drawn in bought]
        if "rent" in ways:
            self._streams["rent"] += [Stream(gpu, drawn) for drawn in rental_streams(gpu, provider, most, country)]

    def by_price(
        self, way: str, verdict: Verdict, loss: int, limits: Limits, wanted: Callable[[Choice], bool] = lambda one: True
    ) -> Iterator[Option]:
        """Options of one way, verdict and loss of precision within the limits, the cheapest first.

        Every stream grows in price and power, so it ends at the first choice beyond a limit.
        """
        streams = [self._fitting(stream, verdict, loss, limits, wanted) for stream in self._streams[way]]
        return heapq.merge(*streams, key=lambda option: option.key)

    def all_within(
        self,
        way: str,
        verdict: Verdict,
        loss: int,
        limits: Limits,
        growth: int,
        wanted: Callable[[Choice], bool] = lambda one: True,
    ) -> list[Option]:
        """The same as a list, which ends at `growth` times the fewest of a card that fit, or at one node."""
        found: list[Option] = []
        fewest: dict[str, int] = {}
        for stream in self._streams[way]:
            for option in self._fitting(stream, verdict, loss, limits, wanted):
                count = option.choice.count
                first = fewest[stream.gpu.id] = min(fewest.get(stream.gpu.id, count), count)
                if count > max(growth * first, NODE_GPUS):
                    break
                found.append(option)
        return [one for one in found if one.choice.count <= max(growth * fewest[one.choice.gpu.id], NODE_GPUS)]

    def _fitting(
        self, stream: Stream, verdict: Verdict, loss: int, limits: Limits, wanted: Callable[[Choice], bool]
    ) -> Iterator[Option]:
        variants = [variant for form, variant in self._by_loss[loss] if runs(stream.gpu, form)]
        if not variants:
            return
        linked = scales_out(stream.gpu)
        for choice in stream:
            if not wanted(choice):
                continue
            if not limits.within(choice) or choice.count > self._most(choice.cards, linked and choice.cards >= 4):
                return
            classes = self._by_class(choice, loss, variants)
            if verdict in classes:
                yield Option(choice, classes[verdict], verdict)
            if verdict == "tight" and "yes" in classes:
                return  # this and every dearer choice of the stream has a sure fit

    def _most(self, cards: int, linked: bool) -> int:
        """More cards than this cannot be used: ranks stay within a machine, or every sequence has its own copy."""
        if self._one_gpu:
            return 10**9
        if self._training:
            return 10**9 if linked else cards
        return self._sequences * (128 if linked else cards)

    def _by_class(self, choice: Choice, loss: int, variants: list[Variant]) -> dict[Verdict, tuple[Held, ...]]:
        key = (choice.gpu.id, choice.count, choice.cards, loss)
        if key not in self._split:
            parts: dict[Verdict, list[Held]] = {}
            for variant in variants:
                for held in self._table.fitting(choice.gpu, choice.count, choice.cards, variant):
                    parts.setdefault(held.verdict(choice.gpu), []).append(held)
            self._split[key] = {name: tuple(rows) for name, rows in parts.items()}
        return self._split[key]


def precision_lost(weight_format: str, native: str | None) -> int:
    """0 for the published format (or 16 bit and wider), 1 for 8 bit, 2 for less."""
    if weight_format == native or weight_format in WIDE:
        return 0
    return 1 if weight_format in EIGHT_BIT else 2

"""Parts for those who must not disturb each other: each holds the work by itself, on an instance or a whole card."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import TYPE_CHECKING

from kb.machines.mig import Profile
from kb.records.gpu import Gpu
from tools.base import Step
from tools.configuration import Configuration, Divided, Reason
from tools.configure.load.fitting import Held
from tools.configure.load.layout import Layout
from tools.configure.market.choice import Choice
from tools.configure.market.own import NOTHING
from tools.configure.market.purchases import purchased
from tools.configure.market.rentals import rented
from tools.configure.pace.judged import Paced
from tools.configure.pace.speeds import Speed
from tools.configure.rank.options import RANKED, Option
from tools.configure.rank.ranking import GRADES, Found
from tools.configure.rank.slices import profiles
from tools.configure.tell.configured import configured
from tools.configure.tell.reasons import reason
from tools.memory.fit import verdict_of
from tools.memory.result import Verdict
from tools.memory.workload import is_large

if TYPE_CHECKING:
    from tools.configure.search import Search

ALONE = Layout(1)
SECONDS = ("_s", "_hours")
"""How the names of times end; every other figure of a speed is a rate."""


@dataclass(frozen=True, slots=True)
class Part:
    """What one of them is given: a MIG instance, or the whole card where `profile` is null."""

    held: Held
    speed: Speed | None
    profile: Profile | None

    @property
    def each(self) -> int:
        """Parts that one card gives."""
        return self.profile.most if self.profile else 1

    def usable_bytes(self, gpu: Gpu) -> int:
        """Memory of a part."""
        return self.profile.usable_bytes if self.profile else gpu.usable_bytes


def smallest_part(search: "Search", gpu: Gpu, verdict: Verdict, loss: int) -> Part | None:
    """The part of a card that holds the work so surely, fast enough, and leaves room for the most others."""
    for variant in search.options.variants(gpu, loss):
        for profile in (*profiles(gpu), None):
            held = search.table.held(variant, ALONE, large=profile is None and is_large(gpu))
            usable = profile.usable_bytes if profile else gpu.usable_bytes
            if held is None or verdict_of(held.total_bytes, held.high_bytes, usable) != verdict:
                continue
            speed = slowed(search.pace.speed(gpu, held), profile)
            if search.pace.enough(speed):
                return Part(held, speed, profile)
    return None


def slowed(speed: Speed | None, profile: Profile | None) -> Speed | None:
    """The speed of an instance: that of the card times the smaller of its shares of memory and multiprocessors.

    A step is bound by one of the two and by constants that do not grow on a part of the card, so that it is at least
    this fast.
    """
    if speed is None or profile is None:
        return speed
    share = min(profile.memory_ratio, profile.compute_ratio)
    rates = {name: value for name, value in speed.items() if isinstance(value, float)}
    scaled = {name: value / share if _is_time(name) else value * share for name, value in rates.items()}
    return speed | scaled | {"label": "formula"}


def _is_time(name: str) -> bool:
    return name.endswith(SECONDS) and "per_s" not in name


def isolated(search: "Search", wanted: int) -> list[tuple[Configuration, Step, Found]]:
    """So many parts, the cheapest way of each card first: cards in hand, then rentals and purchases in turn."""
    by_way = [list(_of_way(search, way, wanted)) for way in ("rent", "buy") if way in search.asked.ways]
    hand = [one for found in by_way for one in found if _in_hand(one[0])]
    others = [[one for one in found if not _in_hand(one[0])] for found in by_way]
    turns = [one for together in zip_longest(*others) for one in together if one is not None]
    shown = [*hand, *turns][: search.asked.request.max_results]
    return [_configuration(search, choice, part, wanted, rank) for rank, (choice, part) in enumerate(shown, 1)]


def _in_hand(choice: Choice) -> bool:
    return choice.owned >= choice.count


def _of_way(search: "Search", way: str, wanted: int) -> Iterator[tuple[Choice, Part]]:
    """Each card in hand, with more of it and new, in its best grade, and in others that take fewer: as they rank."""
    fewest: dict[tuple[str, bool, bool], int] = {}
    for verdict, loss in GRADES:
        found = []
        for gpu in search.pool:
            part = smallest_part(search, gpu, verdict, loss)
            for choice in _fewest(search, way, gpu, -(-wanted // part.each)) if part else ():
                kind = (gpu.id, _in_hand(choice), choice.owned > 0)
                if part is not None and choice.count < fewest.get(kind, choice.count + 1):
                    found.append((choice, part))
                    fewest[kind] = choice.count
        yield from sorted(found, key=lambda one: RANKED(one[0]))


def _fewest(search: "Search", way: str, gpu: Gpu, count: int) -> list[Choice]:
    """Of cards in hand, more of them and new ones, the first choice each, as they rank, of enough within the limits."""
    asked, own = search.asked, search.asked.given.by_card.get(gpu.id, NOTHING)
    grown = [choice for stream in search.options.streams(way, gpu) for choice in stream.choices]
    exact: tuple[Choice, ...] = ()
    if way == "rent":
        exact = rented(gpu, count, asked.provider, asked.country, own)
    elif any(not choice.owned for choice in grown):  # on the market
        exact = purchased(gpu, count, country=asked.country, own=own)
    reached = [
        choice
        for choice in (*exact, *grown)
        if choice.count >= count
        and (choice.owned or search.wanted(choice))
        and choice.count <= (asked.request.max_gpus or choice.count)
        and search.limits.within(choice)
    ]
    kinds = (
        [one for one in reached if _in_hand(one)],
        [one for one in reached if one.owned and not _in_hand(one)],
        [one for one in reached if not one.owned],
    )
    return [min(kind, key=RANKED) for kind in kinds if kind]


def _configuration(
    search: "Search", choice: Choice, part: Part, wanted: int, rank: int
) -> tuple[Configuration, Step, Found]:
    gpu, count = choice.gpu, choice.count
    held = replace(part.held, layout=Layout(count, data_parallel=count))
    verdict = verdict_of(held.total_bytes, held.high_bytes, part.usable_bytes(gpu))
    total = part.each * count
    said: tuple[Reason, ...] = (reason("why", "card_each", wanted=wanted, gpu=gpu.name),)
    if part.profile is not None:
        said = (
            reason("why", "cut_into", gpu=gpu.name, each=part.each, profile=part.profile.name, wanted=wanted),
            reason("trade_off", "parts_apart"),
        )
    one = Found(Option(choice, (held,), verdict), Paced(held, 0.0, part.speed))
    found, step = configured(
        one.option, one.paced, native=search.native, country=search.asked.country,
        currency=search.asked.currency, said=said,
        tariff=search.asked.given.tariff_per_kwh,
    )  # fmt: skip
    memory = found.memory.model_copy(update={"usable_bytes_per_gpu": part.usable_bytes(gpu)})
    divided = Divided(
        profile=part.profile.name if part.profile else None, instances_per_gpu=part.each, instances=total, wanted=wanted
    )
    price = found.price.also_in(search.asked.currency)
    changes = {"rank": rank, "memory": memory, "divided": divided, "price": price}
    return found.model_copy(update=changes), step, one

"""Several models on one machine: side by side, on cards of their own or with a part of each card, or in turn."""

import math
from collections.abc import Iterator
from itertools import combinations, islice, permutations, product
from typing import NamedTuple

from kb.base import BadInput
from kb.constants.quality import quality
from kb.units import format_bytes
from tools.base import Step
from tools.ways_to_run.beside import Beside, generates, put_beside
from tools.ways_to_run.request import WaysToRunRequest, WorkFields
from tools.ways_to_run.result import Together, WayAnswer, WaysToRun, WorkShare
from tools.ways_to_run.search import search
from tools.ways_to_run.space.load import Load, load_of
from tools.ways_to_run.space.machine import Machine, machine_of
from tools.ways_to_run.tell.doubts import doubts
from tools.ways_to_run.tell.flags import MOST_RATIO
from tools.ways_to_run.tell.way import way_of
from tools.ways_to_run.tell.words import cards_name
from tools.ways_to_run.weigh.worth import Weighed

SHARED = ("engine", "engine_said")
"""Fields of a work that may stand beside the list, for all of them."""
PARTS = 10
"""Memory is dealt out to works in tenths."""
LEAST_PARTS = 1
MOST_ORDERED = 4
"""Works whose order on unlike cards is tried."""
MOST_SPLITS = 4096
"""Ways to deal the cards out that are weighed."""


class Place(NamedTuple):
    """Where one work is, and its best way there."""

    load: Load
    machine: Machine
    best: Weighed
    parts: int
    """Tenths of each card's memory; all of them where it has cards of its own."""
    devices: tuple[int, ...] = ()
    """Places of those cards in the machine."""


def ways_together(request: WaysToRunRequest) -> WaysToRun:
    """Find how several works share the machine.

    Raises:
        BadInput: fields of one work beside the list, or fewer than two works.
    """
    stated = [name for name in WorkFields.model_fields if getattr(request, name) != _default(name)]
    stated = [name for name in stated if name not in SHARED]
    if stated:
        raise BadInput(stated[0], "stands beside works.", "Put it into the work it belongs to.")
    whole = machine_of(request)
    if not whole.cards and whole.host.usable is None:
        raise BadInput("cards", "neither cards nor host_memory_bytes are given.", "Say what the machine has.")
    machine, others = put_beside(whole, [work for work in request.works if not generates(work)])
    loads = [load_of(_with_engine(work, request), request.objective) for work in request.works if generates(work)]
    alone = [search(machine, load).ways for load in loads]
    lacking = [load.name for load, ways in zip(loads, alone, strict=True) if not ways]
    lacking += [one.shape.name for one in others if one.card is None]
    if lacking:
        return _none(whole, loads, others, lacking)
    places = _side_by_side(machine, loads)
    if places is None or _better_in_turn(places, alone):
        taken = [Place(load, machine, ways[0], PARTS) for load, ways in zip(loads, alone, strict=True)]
        return _told(whole, taken, others, together=False)
    return _told(whole, places, others, together=True)


def _with_engine(work: WorkFields, request: WaysToRunRequest) -> WorkFields:
    """The work with the engine that was named for all, where it names none of its own."""
    if work.engine is not None or request.engine is None:
        return work
    return work.model_copy(update={name: getattr(request, name) for name in SHARED})


def _better_in_turn(places: list[Place], alone: list[list[Weighed]]) -> bool:
    """Whether sharing costs a work so much quality that it had better be loaded by itself."""
    most = quality().exchange.usable_percent
    return any(
        place.best.loss_percent > most >= ways[0].loss_percent for place, ways in zip(places, alone, strict=True)
    )


def _default(name: str) -> object:
    return WorkFields.model_fields[name].get_default(call_default_factory=True)


def _side_by_side(machine: Machine, loads: list[Load]) -> list[Place] | None:
    """The better of cards of their own and parts of all cards; null where neither holds every work."""
    if len(loads) < 2:
        return [Place(load, machine, search(machine, load).ways[0], PARTS) for load in loads]
    found = [one for one in (_apart(machine, loads), _shared(machine, loads)) if one is not None]
    return max(found, key=_worth, default=None)


def _worth(places: list[Place]) -> tuple[float, ...]:
    """All targets met first, then the sum of what the ways are worth."""
    return min(place.best.rank[0] for place in places), sum(place.best.rank[-1] for place in places)


def _apart(machine: Machine, loads: list[Load]) -> list[Place] | None:
    """Every work on cards of its own."""
    if len(machine.cards) < len(loads):
        return None
    known: dict[tuple[int, tuple[tuple[str, int], ...]], Weighed | None] = {}

    def placed(split: tuple[tuple[int, ...], ...]) -> list[Place] | None:
        places = []
        for place, (load, cards) in enumerate(zip(loads, split, strict=True)):
            part = _part(machine, cards, len(loads))
            key = (place, tuple((card.gpu.id, card.usable) for card in part.cards))
            if key not in known:
                known[key] = next(iter(search(part, load).ways), None)
            way = known[key]
            if way is None:
                return None
            places.append(Place(load, part, way, PARTS, cards))
        return places

    found = [one for one in map(placed, _splits(machine, len(loads))) if one is not None]
    best = max(found, key=_worth, default=None)
    # Alike cards were searched once: the ways are told on the cards they are put on.
    return best and [place._replace(best=search(place.machine, place.load).ways[0]) for place in best]


def _splits(machine: Machine, works: int) -> Iterator[tuple[tuple[int, ...], ...]]:
    """Every way to cut the row of cards into one run a work; of unlike cards the runs in every order."""
    count = len(machine.cards)
    for cuts in islice(combinations(range(1, count), works - 1), MOST_SPLITS):
        ends = (0, *cuts, count)
        runs = tuple(tuple(range(ends[place], ends[place + 1])) for place in range(works))
        yield from permutations(runs) if machine.unlike and works <= MOST_ORDERED else (runs,)


def _part(machine: Machine, cards: tuple[int, ...], works: int) -> Machine:
    """Some of the cards, and an even part of the host's memory."""
    host = machine.host
    usable = None if host.usable is None else host.usable // works
    chosen = tuple(machine.cards[card] for card in cards)
    return machine._replace(cards=chosen, host=host._replace(usable=usable))


def _shared(machine: Machine, loads: list[Load]) -> list[Place] | None:
    """Every work with so many tenths of the memory of every card (and of the host's)."""
    most = PARTS - LEAST_PARTS * (len(loads) - 1)
    slices = {parts: _slice(machine, parts) for parts in range(LEAST_PARTS, most + 1)}
    ways: list[dict[int, Weighed]] = []
    for load in loads:
        held: dict[int, Weighed] = {}
        for parts, part in slices.items():
            found = search(part, load).ways
            if found:
                held[parts] = found[0]
        if not held:
            return None
        ways.append(_useful(held))
    best: list[Place] | None = None
    for dealt in product(*ways):
        if sum(dealt) > PARTS:
            continue
        places = [
            Place(load, slices[parts], held[parts], parts) for load, held, parts in zip(loads, ways, dealt, strict=True)
        ]
        if best is None or _worth(places) > _worth(best):
            best = places
    return best


def _useful(held: dict[int, Weighed]) -> dict[int, Weighed]:
    """Sizes from which a work runs better than with less."""
    found: dict[int, Weighed] = {}
    top: tuple[float, ...] | None = None
    for parts, way in sorted(held.items()):
        if top is None or way.rank > top:
            found[parts], top = way, way.rank
    return found


def _slice(machine: Machine, parts: int) -> Machine:
    cards = tuple(card._replace(usable=card.usable * parts // PARTS) for card in machine.cards)
    host = machine.host
    usable = None if host.usable is None else host.usable * parts // PARTS
    return machine._replace(cards=cards, host=host._replace(usable=usable))


def _told(machine: Machine, places: list[Place], others: tuple[Beside, ...], *, together: bool) -> WaysToRun:
    shares = (*(_share(place) for place in places), *(_other(machine, one) for one in others))
    ways = tuple(share.way for share in shares if share.way is not None)
    names = " and ".join((*(place.load.name for place in places), *(one.shape.name for one in others)))
    apart = together and not others and all(place.parts == PARTS for place in places)
    how = "each on cards of its own" if apart else "each with a part of every card's memory"
    said = f"{names} run side by side on {machine.name}, {how}."
    if not together:
        said = f"{names} each fit {machine.name} alone, not all at once: load them in turn."
    met = [place.best.meets for place in places if place.best.meets is not None]
    return WaysToRun(
        answer=WayAnswer(
            verdict="fits" if together and all(met) else "fits_with_changes", way=0 if ways else None,
            cards=machine.name, said=said,
            target_met=all(met) if met else None, changed=() if together else ("works: one at a time",),
        ),
        ways=ways, warnings=tuple(doubts(ways)),
        together=Together(mode="side_by_side" if together else "in_turn", shares=shares, said=said),
        derivation=tuple(_steps(places)), assumptions=(*machine.said, *_assumed(places, together=together)),
    )  # fmt: skip


def _share(place: Place) -> WorkShare:
    candidate = place.best.candidate
    gpu = candidate.cards[0].gpu if candidate.cards else None
    limit = None
    if candidate.engine == "vllm" and gpu is not None and place.parts < PARTS:
        limit = min(math.floor(100 * candidate.held.usable / gpu.memory_bytes) / 100, MOST_RATIO)
    way = way_of(place.load, place.machine, place.best, utilization=limit)
    if place.devices:
        chosen = ",".join(str(device) for device in place.devices)
        way = way.model_copy(update={"command": f"CUDA_VISIBLE_DEVICES={chosen} {way.command}"})
    return WorkShare(
        model=place.load.shape.id or place.load.name, cards=cards_name(candidate), way=way,
        memory_share_bytes_per_gpu=max((card.usable for card in place.machine.cards), default=0),
        gpu_memory_utilization=limit,
    )  # fmt: skip


def _other(machine: Machine, one: Beside) -> WorkShare:
    """A work that generates no text: its memory on its card."""
    card = "" if one.card is None else machine.cards[one.card].gpu.name
    return WorkShare(
        model=one.shape.id or one.shape.name, way=None, cards=f"1 × {card}" if card else "none",
        memory_share_bytes_per_gpu=one.high_bytes,
    )  # fmt: skip


def _assumed(places: list[Place], *, together: bool) -> Iterator[str]:
    for place in places:
        yield from (f"{place.load.name}: {line}" for line in place.load.said)
    if together and any(place.parts < PARTS for place in places):
        yield "Speeds are told for one work at a time: those that answer at once share the cards' bandwidth."


def _steps(places: list[Place]) -> Iterator[Step]:
    for place in places:
        held = place.best.candidate.held
        yield Step(
            label=f"{place.load.name}: fullest card", formula="weights + cache + rest", value=round(held.needed),
            unit="bytes", inputs={"weights": round(held.weights), "cache": round(held.cache), "usable": held.usable},
            source="weight-formats",
        )  # fmt: skip


def _none(machine: Machine, loads: list[Load], others: tuple[Beside, ...], lacking: list[str]) -> WaysToRun:
    names = ", ".join(lacking)
    room = format_bytes(sum(card.usable for card in machine.cards))
    said = f"{names} {'does' if len(lacking) == 1 else 'do'} not fit {machine.name} ({room} usable) even alone."
    shares = tuple(
        WorkShare(model=load.shape.id or load.name, way=None, cards=machine.name, memory_share_bytes_per_gpu=0)
        for load in loads
    ) + tuple(_other(machine, one) for one in others)
    return WaysToRun(
        answer=WayAnswer(verdict="does_not_fit", cards=machine.name, said=said),
        together=Together(mode="not_at_all", shares=shares, said=said), assumptions=machine.said,
    )  # fmt: skip

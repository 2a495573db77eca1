"""The search: every format, cache, engine, layout and offload, pruned by memory, then weighed by speed."""

from collections.abc import Iterator
from typing import NamedTuple

from kb.constants.memory_constants import constants
from kb.constants.offloading import IN_TABLES
from tools.memory.workload import Workload
from tools.speed.allreduce import switched
from tools.ways_to_run.request import Parallel
from tools.ways_to_run.space.formats import (
    FILES,
    KV_FILES,
    SERVERS,
    Readable,
    Unreadable,
    attends,
    cache_formats,
    engines,
    formats,
    readable,
    unloaded,
)  # fmt: skip
from tools.ways_to_run.space.layouts import Group, Spread, groups, indivisible, spreads
from tools.ways_to_run.space.load import Load
from tools.ways_to_run.space.machine import Card, Machine
from tools.ways_to_run.weigh.candidate import Candidate
from tools.ways_to_run.weigh.held import (
    Held,
    base_workload,
    held_by_host,
    held_dealt,
    held_shared,
    loaded,
    wide_batches,
)
from tools.ways_to_run.weigh.lead import led
from tools.ways_to_run.weigh.own import as_measured
from tools.ways_to_run.weigh.pace import Paces
from tools.ways_to_run.weigh.worth import Weighed, weighed

NOTHING = Spread(1, 1, 1, 1)
ADAPTS = "vllm"
"""The engine that adapters are served by unasked: it batches requests of several, and its flags are written here."""


STAGED = "vllm"
"""The server that is told how many layers each stage of a pipeline takes."""
FILES_MOST = 64
"""Requests at once beyond which nobody serves with llama.cpp where a server runs: it keeps a slot of full length for
each, and reads their prompts one after the other."""


class Missed(NamedTuple):
    """A format that no card arrangement held, with the smallest need that was seen."""

    engine: str | None
    """null = none that runs on the cards reads the format."""
    form: str
    kv: str
    held: Held


class Found(NamedTuple):
    """What the search came back with."""

    ways: list[Weighed]
    """The one that leads, then best first."""
    missed: list[Missed]
    unreadable: list[Unreadable]
    searched: int


def search(machine: Machine, load: Load) -> Found:
    """Weigh every way to run the load on the machine."""
    paces = Paces(load)
    missed: list[Missed] = []
    unreadable: list[Unreadable] = []
    fitting: list[Candidate] = []
    searched = 0
    for candidate in _candidates(machine, load, unreadable):
        searched += 1
        if isinstance(candidate, Missed):
            missed.append(candidate)
        else:
            fitting.append(candidate)
    if not searched:
        missed += _unread(machine, load)
    ways = [weighed(load, one, paces.of(one)) for one in fitting]
    return Found(led(load, as_measured(load, ways)), missed, unreadable, searched)


def _candidates(machine: Machine, load: Load, unreadable: list[Unreadable]) -> Iterator[Candidate | Missed]:
    for group in groups(machine):
        for engine in engines(group.gpu, load.engine):
            if load.engine is None and engine != ADAPTS and _adapts(machine, load):
                continue
            if engine != FILES and all(_runs_all(load, engine, card) for card in group.cards):
                yield from _shared(machine, load, group, engine, unreadable)
    yield from _partitioned(machine, load)
    served = _adapts(machine, load) or (load.sequences > FILES_MOST and _serves(machine, load))
    if load.engine == FILES or (load.engine is None and not served):
        yield from _dealt(machine, load, unreadable)


def _adapts(machine: Machine, load: Load) -> bool:
    """Whether adapters are to be served and the engine that is told how to runs on a kind of the cards."""
    return bool(load.adapters) and any(ADAPTS in engines(group.gpu, None) for group in groups(machine))


def _serves(machine: Machine, load: Load) -> bool:
    """Whether a server of many at once runs on a kind of the cards, a computer's own memory apart."""
    return any(
        engine in SERVERS and all(_runs_all(load, engine, card) for card in group.cards)
        for group in groups(machine) if not group.cards[0].shared for engine in engines(group.gpu, None)
    )  # fmt: skip


def _unread(machine: Machine, load: Load) -> Iterator[Missed]:
    """What a format that was asked for would take where nothing on the cards reads it: as dealt out layer by layer."""
    form = load.weight_format
    if form is None or not machine.cards or load.parallel != Parallel():
        return
    kv = KV_FILES[0]
    work = base_workload(load, FILES, form)._replace(kv_bytes=constants().kv.bytes[kv], kv_format=kv)
    held = held_dealt(loaded(work, load, load.context, load.sequences), [10**15], None, even=True)[0]
    room = sum(card.usable for card in machine.cards) * machine.nodes
    yield Missed(None, form, kv, held._replace(usable=room, surety=None))


def _runs_all(load: Load, engine: str, card: Card) -> bool:
    known = engine in engines(card.gpu, engine) and unloaded(load, engine) is None
    return known and attends(load, engine, card.gpu)


def _shared(
    machine: Machine, load: Load, group: Group, engine: str, unreadable: list[Unreadable]
) -> Iterator[Candidate | Missed]:
    """Engines that split every layer over equal cards."""
    for form in readable(load, engine, group.gpu):
        if isinstance(form, Unreadable):
            unreadable.append(form)
            continue
        work = base_workload(load, engine, form.name)
        for kv in cache_formats(load, engine, group.gpu):
            cached = work._replace(kv_bytes=constants().kv.bytes[kv], kv_format=kv)
            yield from _laid_out(machine, load, group, form, cached)


def _laid_out(
    machine: Machine, load: Load, group: Group, form: Readable, work: Workload
) -> Iterator[Candidate | Missed]:
    """Layouts of one format; a longer pipeline is passed over where a shorter one holds it and gains nothing by it."""
    nearest: Missed | None = None
    sure: dict[tuple[int, int], int] = {}
    alone = load.sequences == 1 and load.objective != "most_users"
    fast = switched(group.gpu, group.per_node) or alone
    some: list[bool] = []
    for spread in _spread_out(load, group, form.name, some):
        key = (spread.tp, spread.ep)
        if fast and sure.get(key, spread.pp) < spread.pp:
            continue
        held = held_shared(work, group, spread, load, load.context, load.sequences)
        if held.surety is None:
            if nearest is None or held.needed - held.usable < nearest.held.needed - nearest.held.usable:
                nearest = Missed(work.engine, form.name, work.kv_format, held)
            continue
        some.append(True)
        if held.surety == "yes":
            sure.setdefault(key, spread.pp)
        cards = group.cards[: min(spread.cards, group.per_node)]
        yield Candidate(
            work.engine, form.name, work.kv_format, work, group, spread, cards, machine.host, held, form.condition
        )
    if nearest is not None and not some:
        yield nearest


def _partitioned(machine: Machine, load: Load) -> Iterator[Candidate]:
    """Unlike cards in vLLM, each a stage of as many layers as its memory holds, the fastest first as CUDA counts them
    (VLLM_PP_LAYER_PARTITION): where an even split is too much for the smallest."""
    asked, count = load.parallel, len(machine.cards)
    free = asked.tp in (None, 1) and asked.pp in (None, count) and (asked.dp or 1) == (asked.ep or 1) == 1
    joined = machine.unlike and machine.nodes == 1 and not machine.apart and not any(c.shared for c in machine.cards)
    if not free or not joined or load.engine not in (None, STAGED) or count > load.shape.layers:
        return
    if not all(_runs_all(load, STAGED, card) for card in machine.cards):
        return
    cards = tuple(sorted(machine.cards, key=lambda card: -(card.gpu.bandwidth_bytes_per_s or 0)))
    usables = [card.usable for card in cards]
    read = [[one for one in readable(load, STAGED, card.gpu) if isinstance(one, Readable)] for card in cards]
    caches = [cache_formats(load, STAGED, card.gpu) for card in cards]
    for form in read[0]:
        if not all(form.name in [one.name for one in other] for other in read[1:]):
            continue
        for kv in caches[0]:
            if not all(kv in other for other in caches[1:]):
                continue
            work = base_workload(load, STAGED, form.name)._replace(kv_bytes=constants().kv.bytes[kv], kv_format=kv)
            for held in held_dealt(loaded(work, load, load.context, load.sequences), usables, None, even=False)[:1]:
                if all(held.layers) and max(held.layers) - min(held.layers) > 1:
                    spread = Spread(1, count, 1, 1)
                    yield Candidate(STAGED, form.name, kv, work, None, spread, cards, machine.host, held,
                                    form.condition)  # fmt: skip


def _spread_out(load: Load, group: Group, form: str, some: list[bool]) -> Iterator[Spread]:
    """The usual layouts; of a format that was insisted on and that none of them held, those in stages as well, which
    nobody takes on a fast link while the others do."""
    tried = []
    for spread in spreads(load, group, form):
        tried.append(spread)
        yield spread
    if load.weight_format is not None and not some:
        yield from (one for one in spreads(load, group, form, staged=True) if one not in tried)


def _dealt(machine: Machine, load: Load, unreadable: list[Unreadable]) -> Iterator[Candidate | Missed]:
    """llama.cpp: layers dealt out to some or all of the cards, and to the host's memory."""
    asked = load.parallel
    if (asked.ep or 1) > 1 or (asked.dp or 1) > 1 or unloaded(load, FILES):
        return
    able = [card for card in machine.cards if FILES in engines(card.gpu, load.engine)]
    shared = any(card.shared for card in able)
    host = machine.host._replace(usable=None) if shared else machine.host
    forms: tuple[str, ...] = formats(load, FILES)
    if able:
        read = list(readable(load, FILES, able[0].gpu))
        unreadable += [one for one in read if isinstance(one, Unreadable)]
        forms = tuple(one.name for one in read if isinstance(one, Readable))
    caches = cache_formats(load, FILES, able[0].gpu) if able else _plain_caches(load)
    picks = [pick for pick in _picks(able) if asked.pp in (None, len(pick)) and not (machine.apart and len(pick) > 1)]
    if asked.tp is not None:
        picks = [pick for pick in picks if len(pick) == asked.tp]
    for form in forms:
        base = base_workload(load, FILES, form)
        for kv in caches:
            work = base._replace(kv_bytes=constants().kv.bytes[kv], kv_format=kv)
            here = loaded(work, load, load.context, load.sequences)
            yield from _placed(machine, (work, wide_batches(work, load)), load, picks, host.usable)
            if host.usable is not None and asked.pp is None:
                alone = None if _in_tables(load, form) else held_by_host(here, host.usable)
                if alone is not None:
                    yield Candidate(FILES, form, kv, work, None, NOTHING, (), machine.host, alone, None)


def _placed(
    machine: Machine, works: tuple[Workload, Workload], load: Load, picks: list[tuple[Card, ...]], host: int | None
) -> Iterator[Candidate | Missed]:
    """On the cards alone, with batches as usual, and with the host's memory, with those that are set then."""
    some, form = False, works[0].format.name
    alone, shared = (loaded(work, load, load.context, load.sequences) for work in works)
    room = None if _in_tables(load, form) else host
    for pick in picks:
        even, usables = len({card.gpu.id for card in pick}) == 1, [card.usable for card in pick]
        found = [(works[0], held) for held in held_dealt(alone, usables, None, even=even)]
        if room is not None and not any(held.surety == "yes" for _, held in found):
            found += [(works[1], held) for held in held_dealt(shared, usables, room, even=even) if held.host_bytes]
            if works[1] != works[0] and load.shape.experts is None:
                # Wide batches copy experts fewer times; of a dense model they cost more layers than they are worth.
                found += [(works[0], held) for held in held_dealt(alone, usables, room, even=even) if held.host_bytes]
        for work, held in found:
            if all(held.layers):  # a card that holds no layer is not used
                some = True
                for spread in _splits(machine, load, pick, held):
                    yield Candidate(
                        FILES, form, work.kv_format, work, None, spread, pick, machine.host, held, None, machine.network
                    )
    if picks and not some:
        total = held_dealt(alone, [10**15], None, even=True)[0]
        whole = sum(card.usable for card in picks[-1]) + (host or 0)
        needed = total.needed + total.rest * (len(picks[-1]) - 1)
        yield Missed(FILES, form, works[0].kv_format, total._replace(needed=needed, usable=whole, surety=None))


def _splits(machine: Machine, load: Load, pick: tuple[Card, ...], held: Held) -> Iterator[Spread]:
    """Whole layers on each card, as llama.cpp does unasked; a part of every layer where that or most speed is asked."""
    asked, count = load.parallel, len(pick)
    if asked.tp in (None, 1) or count == 1:
        yield Spread(1, count, 1, 1)
    wanted = asked.tp == count or (asked.tp is None and load.objective == "fastest")
    if wanted and splits_layers(machine, load, pick, held):
        yield Spread(count, 1, 1, 1)


def splits_layers(machine: Machine, load: Load, pick: tuple[Card, ...], held: Held) -> bool:
    """Whether llama.cpp can share every layer of what it holds there (`-sm tensor`): on alike cards of one machine.

    It cuts heads unevenly too, which is said where llama.cpp was asked for. Programs around it (Ollama, LM Studio) have
    no such switch.
    """
    alike = len(pick) > 1 and len({card.gpu.id for card in pick}) == 1 and not pick[0].shared
    joined = machine.network is None and (machine.near or len(pick)) >= len(pick) and load.parallel.pp in (None, 1)
    uneven = indivisible(load.shape, len(pick)) is not None and load.engine != FILES
    return alike and joined and not held.host_bytes and not uneven and load.work.engine_said is None


def _in_tables(load: Load, form: str) -> bool:
    """Whether a format is one that processors are slow at, and that nobody asked for by name."""
    return form.startswith(IN_TABLES) and form != load.weight_format


def _plain_caches(load: Load) -> tuple[str, ...]:
    return ("fp16", "q8_0", "q4_0") if load.kv_format is None else (load.kv_format,)


def _picks(cards: list[Card]) -> list[tuple[Card, ...]]:
    """Cards of each kind one by one more, and unlike ones from the fastest on; all of them last."""
    found: dict[tuple[int, ...], tuple[Card, ...]] = {}
    order = sorted(cards, key=lambda card: (-(card.gpu.bandwidth_bytes_per_s or 0), -card.usable, card.gpu.id))
    rows = [[card for card in order if card.gpu.id == kind] for kind in dict.fromkeys(card.gpu.id for card in order)]
    for row in (*rows, order):
        for count in range(1, len(row) + 1):
            pick = tuple(row[:count])
            found.setdefault(tuple(id(card) for card in pick), pick)
    return list(found.values())


__all__ = ["SERVERS", "Found", "Missed", "search", "splits_layers"]

"""Ways worth naming that do not go, or are not what they seem."""

from collections.abc import Iterator

from kb.units import format_bytes
from tools.shards import BLOCK, block_of, cut_layers, experts_whole
from tools.ways_to_run.result import Rejected
from tools.ways_to_run.search import Found
from tools.ways_to_run.space.formats import (
    FILES,
    SERVERS,
    Readable,
    bits_per_weight,
    engine_rule,
    kernels_rule,
    readable,
    runs,
    unloaded,
)
from tools.ways_to_run.space.layouts import groups, indivisible
from tools.ways_to_run.space.load import Load
from tools.ways_to_run.space.machine import Machine
from tools.ways_to_run.tell.binds import missed_name, nearest
from tools.ways_to_run.tell.words import ENGINES, format_name
from tools.ways_to_run.weigh.worth import Weighed

MOST = 8
WEIGHT_ONLY = ("fp8", "mxfp8", "nvfp4", "mxfp4", "fp4")
"""Formats that cards without such units hold and compute in 16 bits."""


def rejected_of(load: Load, machine: Machine, found: Found) -> tuple[Rejected, ...]:
    """Layouts that do not divide, engines and formats the cards lack, formats that did not fit."""
    rows = dict.fromkeys(
        (
            *_kernels(load, machine), *_indivisible(load, machine, found), *_engines(load, machine),
            *_formats(load, machine, found), *_memory(load, found), *_slow(load, found),
        )
    )  # fmt: skip
    return tuple(rows)[:MOST]


def _indivisible(load: Load, machine: Machine, found: Found) -> Iterator[Rejected]:
    """Tensor parallelism as asked, or over all cards of a node, where it does not divide."""
    served = next((one.candidate.form for one in found.ways if one.candidate.engine != FILES), load.native)
    form = load.weight_format or served
    for group in groups(machine):
        for ways in dict.fromkeys((load.parallel.tp or 0, group.per_node)):
            reason = indivisible(load.shape, ways) if ways > 1 else None
            if ways > 1 and group.apart:
                reason = "MIG instances do not reach each other's memory, and a process sees one of them"
                yield Rejected(way=f"TP {ways} over instances", reason=reason, kind="divisibility")
            elif ways > group.size:
                yield Rejected(way=f"TP {ways}", reason=f"only {group.size} cards are there", kind="divisibility")
            elif reason:
                yield Rejected(way=f"TP {ways}", reason=reason, kind="divisibility")
            elif ways > 1 and (cut := cut_layers(load.shape, ways, block_of(load.shape.id, form))):
                yield Rejected(way=f"{format_name(form)} with TP {ways}", reason=cut, kind="divisibility")
            elif ways > 1 and experts_whole(load.shape, ways, form) and load.shape.experts:
                width = load.shape.experts.expert_intermediate_size
                each = f"{width / ways:,.0f} each" if width % ways == 0 else "uneven"
                yield Rejected(
                    way=f"{format_name(form)} with TP {ways} of the experts", kind="divisibility",
                    reason=f"experts of {width:,} columns over {ways} cards are {each}, no multiple of {BLOCK}: they "
                    "stay whole on a card (--enable-expert-parallel)",
                )  # fmt: skip


def _engines(load: Load, machine: Machine) -> Iterator[Rejected]:
    """Engines that have no code for the model, and those that do not run on a card, asked for or usual."""
    for engine in (load.engine,) if load.engine else (*SERVERS, FILES):
        if reason := unloaded(load, engine):
            yield Rejected(way=f"{load.name} in {ENGINES[engine]}", reason=reason, kind="engine")
    for cards in machine.kinds.values():
        gpu = cards[0].gpu
        for engine in (load.engine,) if load.engine else (SERVERS[0],):
            rule = engine_rule(engine, gpu)
            if rule is not None and rule.verdict == "does_not":
                yield Rejected(way=f"{ENGINES[engine]} on {gpu.name}", reason=rule.reason, kind="engine")


def _kernels(load: Load, machine: Machine) -> Iterator[Rejected]:
    """Engines whose kernels for the model's attention do not run on a card."""
    for cards in machine.kinds.values():
        gpu = cards[0].gpu
        for engine in (load.engine,) if load.engine else SERVERS:
            rule = kernels_rule(load, engine, gpu)
            if rule is not None and rule.verdict == "does_not" and runs(engine, gpu, load.engine):
                way = f"{load.name} in {ENGINES[engine]} on {gpu.name}"
                yield Rejected(way=way, reason=f"{rule.reason}. {rule.instead}", kind="engine")


def _formats(load: Load, machine: Machine, found: Found) -> Iterator[Rejected]:
    for bad in found.unreadable:
        if bad.engine == SERVERS[0] or load.weight_format == bad.name:
            yield Rejected(
                way=f"{format_name(bad.name or '')} in {ENGINES[bad.engine]}", reason=bad.rule.reason, kind="format"
            )
    gpus = [cards[0].gpu for cards in machine.kinds.values()]
    bare = {one.name: (gpu.name, one.condition.reason) for gpu in reversed(gpus) for one in
            readable(load, SERVERS[0], gpu) if isinstance(one, Readable) and one.condition is not None
            and one.name in WEIGHT_ONLY and runs(SERVERS[0], gpu)}  # fmt: skip
    for name, (card, reason) in bare.items():
        way = f"{format_name(name)} arithmetic on {card} (the format itself runs)"
        yield Rejected(way=way, reason=reason, kind="format")


def _memory(load: Load, found: Found) -> Iterator[Rejected]:
    """Of each engine the nearest format that did not fit, where it is wider than all that did."""
    seen: set[str | None] = set()
    widest: dict[str, float] = {}
    for one in found.ways:
        engine, bits = one.candidate.engine, bits_per_weight(load, one.candidate.form)
        widest[engine] = max(widest.get(engine, 0.0), bits)
    for miss in sorted(nearest(found.missed), key=lambda one: one.engine != FILES):
        narrow = bits_per_weight(load, miss.form) <= widest.get(miss.engine or "", 0.0)
        if miss.engine in seen or narrow or miss.held.needed <= miss.held.usable:
            continue
        seen.add(miss.engine)
        yield Rejected(
            way=missed_name(miss), kind="memory",
            reason=f"needs {format_bytes(miss.held.needed)}, {format_bytes(miss.held.usable)} are usable",
        )  # fmt: skip


def _slow(load: Load, found: Found) -> Iterator[Rejected]:
    """Weights as published that fit only with the host's memory, and far slower than the best way."""
    if not found.ways:
        return
    best = found.ways[0]
    wide = [one for one in found.ways if one.loss_percent < best.loss_percent and _slower(one, best)]
    if wide and not any(one.loss_percent <= wide[0].loss_percent and not _slower(one, best) for one in found.ways):
        one = max(wide, key=lambda each: each.rate)
        yield Rejected(
            way=f"{format_name(one.candidate.form)} in {ENGINES[one.candidate.engine]}", kind="speed",
            reason=f"fits, but makes {one.rate:.3g} tokens a second where {best.rate:.3g} are possible",
        )  # fmt: skip


def _slower(one: Weighed, best: Weighed) -> bool:
    return one.rate < best.rate / 2

"""The nearest problem that has a way, where the one asked has none."""

from collections.abc import Iterator
from typing import NamedTuple

from tools.ways_to_run.request import Objective, Parallel
from tools.ways_to_run.search import search
from tools.ways_to_run.space.load import Load
from tools.ways_to_run.space.machine import Machine
from tools.ways_to_run.weigh.limits import limits_of
from tools.ways_to_run.weigh.worth import Weighed

SHORTEST = 1024
"""Context from which on a shorter one is sought."""
CONSTRAINTS = ("parallel", "kv_format", "weight_format", "engine")


class Relaxed(NamedTuple):
    """The problem with something of what was asked left out."""

    load: Load
    said: tuple[str, ...]
    ways: list[Weighed]


def relaxed(machine: Machine, load: Load) -> Relaxed | None:
    """The nearest problem that has a way: constraints dropped one by one, then all, then fewer or shorter sequences."""
    for said, less in loosened(load):
        ways = search(machine, less).ways
        if ways:
            return Relaxed(less, said, ways)
    return _shorter(machine, load)


def loosened(load: Load) -> Iterator[tuple[tuple[str, ...], Load]]:
    """The load without one constraint after the other, then without all of them."""
    given: dict[str, object] = {
        "parallel": load.parallel if load.parallel != Parallel() else None, "kv_format": load.kv_format,
        "weight_format": load.weight_format, "engine": load.engine,
    }  # fmt: skip
    stated = [name for name, value in given.items() if value is not None]
    for name in stated:
        yield (name,), _without(load, [name])
    if len(stated) > 1:
        yield tuple(stated), _without(load, stated)


def _without(load: Load, names: list[str]) -> Load:
    return load._replace(**{name: Parallel() if name == "parallel" else None for name in names})  # type: ignore[arg-type]


def _shorter(machine: Machine, load: Load) -> Relaxed | None:
    """The longest context at the sequences asked; where even a short one does not fit, fewer sequences; then both."""
    short, one = min(SHORTEST, load.context), 1
    for context, sequences in ((short, load.sequences), (load.context, one), (short, one)):
        found = fewer(machine, load, context, sequences)
        if found is not None:
            return found
    return None


def fewer(machine: Machine, load: Load, context: int, sequences: int) -> Relaxed | None:
    """The most that fits from so short a context, or so few sequences, on; constraints kept where that helps."""
    free = _without(load, list(CONSTRAINTS))
    for less in (load,) if load == free else (load, free):
        tried = _sized(less, context, sequences)
        goal: Objective = "longest_context" if context < load.context else "most_users"
        ways = search(machine, tried._replace(objective=goal)).ways
        if not ways:
            continue
        limits = limits_of(tried, ways[0].candidate)
        grown = _sized(
            less, min(limits.max_context_tokens or context, load.context) if context < load.context else context,
            min(limits.max_concurrent_sequences or 1, load.sequences) if sequences < load.sequences else sequences,
        )  # fmt: skip
        again = search(machine, grown).ways or ways
        used = grown if again is not ways else tried
        return Relaxed(used, tuple(_changed(load, used)), again)
    return None


def _sized(load: Load, context: int, sequences: int) -> Load:
    answer = max(min(load.answer, context // 2), 1)
    prompt = min(load.prompt, context - answer)
    prefix = load.prefix if load.prefix < prompt else 0
    cached = load.cached if load.cached < prompt else 0
    return load._replace(
        context=context, sequences=sequences, prompt=prompt, answer=answer, prefix=prefix, cached=cached
    )


def _changed(load: Load, used: Load) -> Iterator[str]:
    for name in CONSTRAINTS:
        if getattr(load, name) != getattr(used, name):
            yield name
    if used.context < load.context:
        yield f"context_tokens: {used.context:,} instead of {load.context:,}"
    if used.sequences < load.sequences:
        yield f"concurrent_sequences: {used.sequences:,} instead of {load.sequences:,}"

"""What of a way's speed rests on few measurements or on none, and the switch that would change it."""

from collections.abc import Iterator

from kb.constants.speed_constants import constants
from tools.speed.evidence import thinness
from tools.ways_to_run.search import splits_layers
from tools.ways_to_run.space.formats import FILES
from tools.ways_to_run.space.layouts import Spread
from tools.ways_to_run.space.load import Load
from tools.ways_to_run.space.machine import Machine
from tools.ways_to_run.tell.words import ENGINES
from tools.ways_to_run.weigh.candidate import Candidate
from tools.ways_to_run.weigh.pace import Paces
from tools.ways_to_run.weigh.worth import Weighed

FEW_AT_THE_ROOT = 2


def unsure(machine: Machine, load: Load, best: Weighed | None) -> Iterator[str]:
    """Lines on the way that leads."""
    if best is None or best.speed is None:
        return
    candidate = best.candidate
    yield from _of_network(candidate)
    yield from _of_root(machine, candidate)
    yield from _of_architecture(load, candidate)
    yield from _of_split(machine, load, candidate)


def _of_network(candidate: Candidate) -> Iterator[str]:
    group, spread = candidate.group, candidate.spread
    if group is None:
        return
    node = group.joined.node if group.joined else group.per_node
    if spread.tp * spread.pp > node:
        yield (
            "Hardly measured: models shared between machines. Reports of such set-ups differ from the estimate by "
            "up to two and a half times, most of them below it: try it before relying on the figure."
        )


def _of_root(machine: Machine, candidate: Candidate) -> Iterator[str]:
    """Many cards that share every layer through the host, where people measure fewer of them as the faster."""
    if candidate.spread.tp > FEW_AT_THE_ROOT and machine.hosted:
        yield (
            f"Every layer's sums of {candidate.spread.tp} cards pass the host's root complex (PHB, no P2P): machines "
            "differ there more than the range says, and two cards that share layers are often the faster. Measure TP 2 "
            "with copies or stages beside it."
        )


def _of_architecture(load: Load, candidate: Candidate) -> Iterator[str]:
    """Cards whose like nobody measured in the engine."""
    if not candidate.cards:
        return
    gpu = candidate.group.gpu if candidate.group else candidate.cards[0].gpu
    work = Paces(load).alone(candidate.engine, candidate.form, candidate.work.kv_bytes, gpu)
    if work is not None and not work.arch.compressed and thinness(work) >= unmeasured():
        yield (
            f"Never measured: {ENGINES[candidate.engine]} on cards of the {gpu.architecture} architecture. The speed "
            "is by formula alone, and its interval is wider for it."
        )


def unmeasured() -> float:
    """How much wider the interval is of what nobody measured."""
    return constants().intervals.unmeasured_ratio


def _of_split(machine: Machine, load: Load, candidate: Candidate) -> Iterator[str]:
    """What llama.cpp reaches when it shares every layer between alike cards, which it does only when told."""
    count = len(candidate.cards)
    if candidate.engine != FILES or candidate.spread.tp > 1 or count < 2:
        return
    if load.sequences > 1 or not splits_layers(machine, load, candidate.cards, candidate.held):
        return
    shared = Paces(load).of(candidate._replace(spread=Spread(count, 1, 1, 1)))
    if shared is not None:
        rate = shared.per_user
        yield (
            "llama.cpp takes the cards in turn, so one answer is no faster than on one of them. With -sm tensor "
            f"(builds since April 2026, most models) they share every layer: about {rate.value:.3g} tokens a second "
            f"({rate.low:.3g} to {rate.high:.3g})."
        )

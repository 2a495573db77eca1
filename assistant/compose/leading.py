"""Which estimate an answer is about, and which of the others are told beside it."""

import re
from collections.abc import Sequence

from assistant.compose import names
from assistant.compose.material import Estimate, Material
from assistant.plan.formats import bits, same_format
from tools.memory.result import MinimumGpus


def main_and_others(material: Material) -> tuple[Estimate | None, list[Estimate]]:
    """The estimate that the answer is about, and the others on cards."""
    fitted = [one for one in material.estimates if one.fit]
    if not fitted:
        return None, []
    main = fitted[0]
    if not main.fits and material.need.sharding is None:
        sharded = (one for one in fitted[1:] if one.fits and _same_but_sharding(main, one))
        main = next(sharded, main)
    return main, [one for one in fitted if one is not main]


MACHINE = 8
"""Cards of one server."""
_MACHINES = re.compile(r"[几多]少?台|几个?(?:节点|机器|服务器)|\bhow many (?:servers|machines|nodes|boxes)", re.I)


def fewer_each(counted: Sequence[tuple[Estimate, MinimumGpus]]) -> list[tuple[Estimate, MinimumGpus]]:
    """The first way and those of the others that take fewer cards, or as many with room, than every wider one.

    A narrower format that saves no card is no reason to take it.
    """
    first, rest = counted[0], counted[1:]
    kept = [first]
    for pair in sorted(rest, key=_widest_first):
        best = kept[-1][1]
        roomier = pair[1].count == best.count and (pair[1].verdict, best.verdict) == ("yes", "tight")
        other_task = pair[0].task != first[0].task
        if pair[1].count < best.count or roomier or (other_task and pair[0].task not in {one.task for one, _ in kept}):
            kept.append(pair)
    return kept


def in_machines(material: Material, row: MinimumGpus) -> str:
    """So many cards, with the machines they fill where machines were asked for."""
    cards = names.cards(row.gpu, row.count)
    if not _MACHINES.search(material.text):
        return cards
    return material.say("order.nodes", cards=cards, nodes=-(-row.count // MACHINE))


def _widest_first(pair: tuple[Estimate, MinimumGpus]) -> tuple[int, float, bool]:
    one, fewest = pair
    return (-fewest.count, -bits(one.result.weight_format), one.request.get("kv_format") not in {None, "auto"})


def told_by(one: Estimate, main: Estimate) -> bool:
    """Whether `main` says it already: one of the copies it runs, or another spread of a training that fits."""
    alike = main.task != "inference" and (one.task, one.gpu) == (main.task, main.gpu)
    if main.fits and alike and not _alone(one, main):
        return True
    copies = main.request.get("sharding") == "ddp" and one.gpus == 1 and main.gpus > 1
    return copies and one.task == main.task and one.placed.verdict == main.placed.verdict


def _alone(one: Estimate, main: Estimate) -> bool:
    """Whether it fits one card, where `main` takes several."""
    return one.fits and one.gpus == 1 < main.gpus


def _same_but_sharding(one: Estimate, other: Estimate) -> bool:
    return {**one.request, "sharding": None} == {**other.request, "sharding": None}


def other_cards(material: Material, main: Estimate) -> list[Estimate]:
    """The same way of running it on the other cards that were named."""
    others = (one for one in material.estimates if one.fit and one.gpu != main.gpu and one.task == main.task)
    return [one for one in others if same_format(one.result.weight_format, main.result.weight_format)]

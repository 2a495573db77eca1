"""The search: every plan is weighed, what fits is timed, and the best of each kind comes first."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from kb.base import BadInput
from kb.programs.software import Rule
from tools.ways_to_train.first_run import as_first_set_up
from tools.ways_to_train.pace import Pace, pace_of
from tools.ways_to_train.plan import USUAL_TOKENS, Plan, barred, micro_batches, plans, working
from tools.ways_to_train.problem import Problem
from tools.ways_to_train.weigh import Weighed, best_of, weigh

AS_FAST = 0.95
"""From this share of the fastest's speed on, ways count as equally fast and the simpler comes first."""
LEAN, WORTH_SPARING = 0.98, 0.05
"""Share of its speed that a way may lose to hold fewer samples at once, and share of the card that this must spare."""
HOST = 3
"""From this concession on, the host takes part."""
FIXED = ("sharding", "optimizer", "precision", "offload", "engine")
SURE = {"yes": 0, "tight": 1, "no": 2}


@dataclass(frozen=True, slots=True)
class Timed:
    """A way that fits, with its speed."""

    weighed: Weighed
    pace: Pace | None
    meets: bool | None
    """Whether the deadline is met; null = none is set, or how long it takes is not known."""

    @property
    def plan(self) -> Plan:
        """What was chosen."""
        return self.weighed.plan

    @property
    def rate(self) -> float:
        """Tokens, or pictures, a second; 0 = not known."""
        return self.pace.rate.value if self.pace else 0.0


@dataclass(frozen=True, slots=True)
class Found:
    """What a search came to."""

    ways: tuple[Timed, ...]
    """Best first."""
    nearest: Weighed | None
    """Where nothing fits: what lacks least."""
    searched: int
    barred: Rule | None = None
    """What bars every way that was asked for, whatever the memory."""


def search(problem: Problem) -> Found:
    """All ways to train, best first: meant first, surely fitting, on time, conceding least, fastest, simplest.

    A plan that concedes more is weighed only while none before it fits for sure and on time: it could not come first,
    for what goes to the host is never faster than what stays on the card.

    Raises:
        BadInput: nothing combines what is fixed.
    """
    ways: list[tuple[int, Timed]] = []
    nearest: Weighed | None = None
    searched = 0
    bounds: dict[tuple[str, str, int], float] = {}
    for place, task in enumerate(problem.tasks):
        for _, alike in groupby(plans(problem, task), key=lambda plan: plan.concession):
            done = False
            fastest = 0.0
            holding: set[str] = set()
            for plan in alike:
                fewer = plan.count not in (plan.group.count, 1)
                if fewer and plan.group.name not in holding:
                    continue  # what all cards do not hold, fewer of them do not either
                if fastest and _most(problem, plan, bounds) <= fastest:
                    continue
                weighed = best_of(problem, plan)
                searched += 1
                if weighed.surety == "no":
                    nearest = min(filter(None, (nearest, weighed)), key=lambda one: _lacking(problem, one))
                    continue
                holding.add(plan.group.name)
                timed = timed_way(problem, weighed)
                ways.append((place, timed))
                if weighed.surety == "yes" and timed.meets is not False:
                    fastest = max(fastest, timed.rate)
                done = done or (weighed.surety == "yes" and (timed.meets is not False or plan.concession > 0))
            if done:
                break
    bars = [rule for task in problem.tasks for group in problem.groups
            if (rule := barred(group, task, problem.optimizer)) is not None]  # fmt: skip
    if not searched and len(bars) == len(problem.tasks) * len(problem.groups):
        return Found((), None, 0, bars[0])
    if not searched:
        raise _contradicting(problem)
    lean = [(place, _lean(problem, one)) for place, one in ways]
    told = (told_way(problem, one) for one in _ranked(lean))
    return Found(tuple(told), None if ways else nearest, searched)


def _lean(problem: Problem, one: Timed) -> Timed:
    """The same way with fewer samples at once, where more of them make nothing faster: no memory is spent for it."""
    plan = one.plan
    for micro in micro_batches(problem, working(plan), plan.adapted):
        if micro >= one.weighed.micro or one.pace is None:
            break
        if micro * problem.mean < USUAL_TOKENS and not problem.pictures:
            continue  # a program that launches kernel by kernel would fall behind
        less = weigh(problem, plan, micro)
        spared = one.weighed.needed - less.needed
        if less.surety in ("yes", one.weighed.surety) and spared > WORTH_SPARING * one.weighed.usable:
            timed = timed_way(problem, less)
            if timed.rate >= LEAN * one.rate and timed.meets == one.meets:
                return timed
    return one


def _contradicting(problem: Problem) -> BadInput:
    """Which of the fixed fields keep the others from running, and what would do in their place."""
    fixed = {name: getattr(problem, name) for name in FIXED if getattr(problem, name) is not None}
    said = ", ".join(f"{name} {value}" for name, value in fixed.items()) or "it"
    alone = [name for name in fixed if any(_plans(_open(problem, name)))]
    if not alone:
        return BadInput(next(iter(fixed), "engine"), f"no trainer runs {said} together.", "Leave some of it open.")
    instead = ", ".join(dict.fromkeys(getattr(plan, alone[0]) for plan in _plans(_open(problem, alone[0]))))
    return BadInput(alone[0], f"no trainer runs {said} together.", f"Leave {alone[0]} out, or take {instead}.")


def _open(problem: Problem, field: str) -> Problem:
    """The problem with one of the fixed fields left open."""
    left: dict[str, Any] = {field: None}
    return problem._replace(**left)


def _plans(problem: Problem) -> Iterator[Plan]:
    for task in problem.tasks:
        yield from plans(problem, task)


def _most(problem: Problem, plan: Plan, bounds: dict[tuple[str, str, int], float]) -> float:
    """What fewer cards than there are could reach at the very most: without links, and with all the memory they want.

    One card by itself is the simplest way, and is always weighed.
    """
    if plan.count in (plan.group.count, 1) or plan.group.gpu is None:
        return float("inf")
    key = (plan.task, plan.group.name, plan.count)
    if key not in bounds:
        lone = replace(plan, count=1, sharding="none", checkpointing="none", offload="none")
        *_, largest = micro_batches(problem, plan.count, plan.adapted)
        pace = pace_of(problem, weigh(problem, lone, largest))
        bounds[key] = plan.count * pace.rate.value if pace else float("inf")
    return bounds[key]


def timed_way(problem: Problem, weighed: Weighed) -> Timed:
    """The way with the speed that its cards allow, by which ways are compared; on time by the one that people meet."""
    pace, meets = pace_of(problem, weighed), None
    if problem.deadline is not None and pace is not None and pace.time is not None:
        met = as_first_set_up(problem, weighed, pace)
        meets = met.time.value <= problem.deadline if met and met.time else None
    return Timed(weighed, pace, meets)


def told_way(problem: Problem, one: Timed) -> Timed:
    """The way with the speed that people meet, which is what is told."""
    return replace(one, pace=as_first_set_up(problem, one.weighed, one.pace))


def _lacking(problem: Problem, one: Weighed) -> tuple[float, int]:
    """Share by which it is too large for the card or the host, then how much there is to set up."""
    on_host = one.host / max(problem.host_usable, 1) if problem.host_usable is not None else 0.0
    return max(one.needed / max(one.usable, 1), on_host), one.plan.complexity


def order(place: int, one: Timed) -> tuple[int, ...]:
    """What decides before speed does.

    Whether it fits for sure, is on time, does without the host, is what was meant; then what it concedes.
    """
    concession = one.plan.concession
    return SURE[one.weighed.surety], one.meets is False, concession >= HOST, place, concession


def _ranked(ways: list[tuple[int, Timed]]) -> Iterator[Timed]:
    ways = sorted(ways, key=lambda pair: (*order(*pair), -pair[1].rate, pair[1].plan.complexity, _name(pair[1].plan)))
    for _, alike in groupby(ways, key=lambda pair: order(*pair)):
        yield from _as_fast([one for _, one in alike])


def _as_fast(alike: list[Timed]) -> Iterator[Timed]:
    """The fastest first; of those about as fast, the simplest."""
    while alike:
        fastest = alike[0].rate
        near = [one for one in alike if one.rate >= AS_FAST * fastest]
        yield from sorted(near, key=lambda one: (one.plan.complexity, -one.rate, _name(one.plan)))
        alike = alike[len(near) :]


def _name(plan: Plan) -> tuple[str, ...]:
    return plan.group.name, plan.sharding, plan.checkpointing, plan.optimizer, plan.precision, plan.offload

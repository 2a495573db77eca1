"""Causes as counterfactuals: the same set-up with one thing otherwise, estimated anew, held against what was seen."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from pydantic import ValidationError

from kb.base import AdvisorError
from kb.machines.links import linked
from kb.observation import FILLED, SOLVE, CauseFact, observation_facts
from kb.programs.software import features
from tools.observation.estimates.expected import AS_SPECIFIED, Expected, expected
from tools.observation.estimates.gap import Gap
from tools.observation.estimates.memory import exceeds_machine, held_ratio, weights_on_card
from tools.observation.request import ObservationRequest, Seen
from tools.observation.result import CauseBasis, ObservedCause, Range
from tools.observation.setup import Machine, Setup, shares_memory
from tools.observation.telling import told

HALVINGS = 14
MOVES = 0.03
"""Least relative change of a figure that makes a counterfactual one."""
LEAST_SCORE = 0.02
SPILLING = ("llama.cpp", "transformers", "diffusers", "comfyui")
"""Programs that leave to the host what the cards do not hold."""
ROOMY = 0.6
"""Share of the card below which it is far from full."""
OPEN: dict[str, Any] = {"figures": (), "needs": (), "at_least": {}, "binds": ()}
"""Conditions that reckoning a figure takes, and a symptom does not."""
BOARD = 8
"""Cards of a machine whose links count."""
AT_HOME = ("consumer", "laptop")
UNSAID_PLATFORM, UNSAID_AT_HOME, UNSAID_IN_RACKS = 0.2, 0.7, 0.02
"""How much rarer a cause is that needs a system which was not said; on one card that people have at home less so, on
cards of data centres more."""
IN_RACKS = ("data_center", "cloud_only")
PARTLY = 1.5
"""Power by which a cause counts less that explains a part of the gap alone."""
IN_HOST = ("paged_bytes", "streamed_bytes")
"""What lies in the host's memory, and so is no more than it."""
TOLD_OTHERWISE = 0.3
"""How much rarer a setting is that was told otherwise than one that was left unsaid."""


Tried = tuple[dict[str, Any], dict[str, Any], Range, CauseBasis]
"""Fields and machine that were changed, the figure under them, and what it rests on."""


@dataclass(frozen=True, slots=True)
class Scored:
    """A cause and how likely it is."""

    score: float
    cause: ObservedCause


def scored(
    setup: Setup,
    gap: Gap,
    seen: Seen,
    likelier: Mapping[str, float],
    *,
    instead: bool = False,
) -> list[Scored]:
    """Every cause that moves the figure towards what was seen, the likeliest first.

    score = prior · evidence of other figures · how well it fits. `instead`: choices rather than faults.
    """
    found = []
    for fact in observation_facts().causes.values():
        if fact.instead is not instead or not _applies(fact, setup, gap.name):
            continue
        if gap.at_least and SOLVE in fact.machine.values():
            continue  # what could be of any size is no arithmetic
        one = _tried(fact, setup, gap, seen)
        if one is None:
            continue
        fields, machine, under, basis = one
        share = gap.share(under)
        if share <= 0 or abs(math.log(under.value / gap.expected.value)) < MOVES:
            continue
        weight = evidence(fact, seen, setup) * likelier.get(fact.id, 1.0)
        if fact.id not in likelier and not witnessed(fact, seen):
            weight *= fact.unproven_times
        if fact.residual and weight <= 1.0:
            continue
        if (instead or "cards" in fields) and not fact.belief and not feasible(setup, fields):
            continue
        if gap.at_least and fields.keys() <= setup.request.model_fields_set:
            weight *= TOLD_OTHERWISE
        score = prior(fact, setup, heard=fact.id in likelier) * weight * (0.1 + 0.9 * gap.fits(under) ** PARTLY)
        if score < LEAST_SCORE:
            continue
        found.append(
            Scored(
                score,
                told(fact, setup, basis, share=min(share, 1.0), under=under, change=fields | _written(machine),
                     after=_after(fact, setup, gap)),
            )
        )  # fmt: skip
    return sorted(found, key=lambda one: -one.score)


def evidence(fact: CauseFact, seen: Seen, setup: Setup) -> float:
    """The product of what other figures say; `filled` is the memory seen over what the card has for programs."""
    weight = 1.0
    for one in fact.evidence:
        whole = setup.card_memory
        if one.of == FILLED:
            value = seen.memory_bytes / whole if seen.memory_bytes and whole else None
        else:
            value = getattr(seen, one.of)
        if value is None:
            continue
        under = one.below is not None and value < one.below
        over = one.above is not None and value > one.above
        if under or over:
            weight *= one.times
    return weight


def witnessed(fact: CauseFact, seen: Seen) -> bool:
    """Whether a figure that speaks for or against it was seen."""
    return any(getattr(seen, one.of, None) is not None for one in fact.evidence)


def prior(fact: CauseFact, setup: Setup, *, heard: bool = False) -> float:
    """How often it is met: less where it needs a system that was not said; otherwise with room to spare, or without,
    which the estimate says where nobody told it (`heard`).
    """
    unsaid = 1.0
    if setup.card is not None and not linked(setup.card, min(setup.cards, BOARD)):
        unsaid *= fact.over_pcie_times
    for name, times in fact.stated_times.items():
        unsaid *= times if getattr(setup.request, name, None) is not None else 1.0
    if fact.platforms and setup.request.platform is None:
        at_home = setup.cards == 1 and setup.card is not None and setup.card.market in AT_HOME
        racks = setup.card is not None and setup.card.market in IN_RACKS
        unsaid *= UNSAID_AT_HOME if at_home else UNSAID_IN_RACKS if racks else UNSAID_PLATFORM
    by_room = not heard and (fact.roomy_times != 1.0 or fact.tight_times != 1.0)
    full = filled(setup) if by_room else None
    if full is not None and full < ROOMY:
        return fact.prior * unsaid * fact.roomy_times
    return fact.prior * unsaid * (fact.tight_times if full is not None and full > 1.0 else 1.0)


def filled(setup: Setup) -> float | None:
    """What the work needs over what the card has; None where either is unknown."""
    if not setup.named:
        return None
    try:
        return held_ratio(setup)
    except (AdvisorError, ValidationError):
        return None


def concerns(fact: CauseFact, setup: Setup, *, heard: bool = False) -> bool:
    """Whether a cause may be met with this kind of work at all; everything may where nothing is known of it.

    `heard`: words tell of it, and so of the machines that it takes.
    """
    if not possible(fact.model_copy(update={"nodes_min": 1}) if heard else fact, setup):
        return False
    if not fact.domains:
        return True
    if not setup.named:
        return ("training" in fact.domains) if setup.kind == "training" else fact.domains != ("training",)
    return _applies(fact.model_copy(update=OPEN | ({"nodes_min": 1} if heard else {})), setup, "")


def possible(fact: CauseFact, setup: Setup) -> bool:
    """Whether the machine, its cards and the program can have it, as far as they were said."""
    asked, card, programs = setup.request, setup.card, setup.workings
    if asked.cards and (setup.cards < fact.cards_min or setup.nodes < fact.nodes_min):
        return False
    if programs and ((fact.engines and not programs & set(fact.engines)) or programs & set(fact.not_engines)):
        return False
    if fact.platforms and asked.platform is not None and asked.platform not in fact.platforms:
        return False
    if card is not None and (
        (fact.vendors and card.vendor not in fact.vendors)
        or (fact.capabilities and card.compute_capability not in fact.capabilities)
        or (fact.own_memory and shares_memory(card))
    ):
        return False
    if (fact.work and not _of_work(fact, setup)) or (fact.experts and not setup.of_experts):
        return False
    if (fact.tasks and asked.task not in fact.tasks) or _told_already(fact, asked):
        return False
    return all(getattr(asked, name, None) in (None, *values) for name, values in fact.when.items())


def _of_work(fact: CauseFact, setup: Setup) -> bool:
    """Whether it is met in this kind of work; without a model all but training is one."""
    if setup.named or setup.kind == "training":
        return setup.kind in fact.work
    return fact.work != ("training",)


def feasible(setup: Setup, fields: Mapping[str, Any]) -> bool:
    """Whether the cards hold the work with these fields; what llama.cpp and generators of pictures cannot place they
    leave to the host."""
    changed = setup.changed(dict(fields))
    if setup.card is not None and _refused(setup, changed, fields):
        return False
    if setup.card is None or changed.engine == "llama.cpp" or changed.kind == "pictures":
        return True
    try:
        return (held_ratio(changed) or 0.0) <= 1.0
    except (AdvisorError, ValidationError, ValueError):
        return False


def _refused(setup: Setup, changed: Setup, fields: Mapping[str, Any]) -> bool:
    """Whether a rule of compatibility refuses a changed engine or format on the card, with released software."""
    if setup.card is None:
        return False
    asked = (changed.engine if "engine" in fields else None, fields.get("weight_format"))
    rules = [features()[key].rule(setup.card, changed.engine) for key in asked if key and key in features()]
    return any(rule is not None and rule.verdict == "does_not" and rule.way != "weights_only" for rule in rules)


def _applies(fact: CauseFact, setup: Setup, figure: str) -> bool:
    asked = setup.request
    programs = setup.workings
    return (
        setup.kind in fact.domains
        and (not fact.figures or figure in fact.figures)
        and (not fact.engines or bool(programs & set(fact.engines)))
        and not programs & set(fact.not_engines)
        and (not fact.platforms or asked.platform is None or asked.platform in fact.platforms)
        and (not fact.vendors or setup.card is None or setup.card.vendor in fact.vendors)
        and (not fact.tasks or asked.task in fact.tasks)
        and (not fact.moments or setup.at is None or setup.at in fact.moments)
        and setup.cards >= fact.cards_min
        and setup.nodes >= fact.nodes_min
        and not (fact.own_memory and setup.card is not None and shares_memory(setup.card))
        and (not fact.capabilities or (setup.card is not None and setup.card.compute_capability in fact.capabilities))
        and all((_stated(setup, name) or 0) >= least for name, least in fact.at_least.items())
        and (not fact.model_kinds or setup.model_kind in fact.model_kinds)
        and not (fact.transcribes and setup.speaks)
        and all(getattr(asked, name, None) is not None for name in fact.needs)
        and not _told_already(fact, asked)
        and all(getattr(asked, name, None) in values for name, values in fact.when.items())
        and not (fact.whole and _too_large(fact, setup))
        and (not fact.binds or expected(setup).binds.get(figure or "tokens_per_s") in fact.binds)
        and (fact.most_held is None or (filled(setup) or 0.0) <= fact.most_held)
        and (not fact.beyond_host or exceeds_machine(setup))
    )


def _stated(setup: Setup, name: str) -> float | None:
    """A field of the request, or of the machine where it is told with its memory."""
    value = setup.memory_channels if name == "memory_channels" else getattr(setup.request, name, None)
    return None if value is None else float(value)


def _too_large(fact: CauseFact, setup: Setup) -> bool:
    """Whether the cards could not even hold the weights with what the cause changes: then it ran otherwise."""
    if setup.card is None or not setup.named:
        return False
    if setup.engine in SPILLING and not shares_memory(setup.card):
        return False  # what shares the host's memory has nowhere to leave the rest
    try:
        held = weights_on_card(setup.changed(dict(fact.change)))
    except (AdvisorError, ValidationError, ValueError):
        return False
    return held > setup.card.usable_bytes


def _told_already(fact: CauseFact, asked: ObservationRequest) -> bool:
    """Whether the cause is what the set-up was said to be."""
    excluded = [*((name, (value,)) for name, value in fact.unless.items()), *fact.unless_also.items()]
    same = any(getattr(asked, name, None) in values for name, values in excluded)
    return same or any(getattr(asked, name, None) is not None for name in fact.unless_stated)


def _tried(fact: CauseFact, setup: Setup, gap: Gap, seen: Seen) -> Tried | None:
    """The figure under the cause, what was changed for it, and on what it rests; None where it cannot be reckoned."""
    fields = _fields(fact, setup)
    if fields is None:
        return None
    if not fields and not fact.machine:
        return None
    fixed = {name: value for name, value in fact.machine.items() if value != SOLVE}
    solved = next((name for name, value in fact.machine.items() if value == SOLVE), None)
    if solved is None:
        under = figure(setup, fields, fixed, gap.name)
        return None if under is None else (fields, fixed, under, "reckoned")
    given = getattr(seen, fact.observed) if fact.observed else None
    basis: CauseBasis = "seen" if given is not None else "reckoned"
    value = given if given is not None else _solve(fact, setup, fields, fixed, solved, gap)
    if value is None:
        return None
    under = figure(setup, fields, {**fixed, solved: value}, gap.name)
    return None if under is None else (fields, {**fixed, solved: round(value, 3)}, under, basis)


def _fields(fact: CauseFact, setup: Setup) -> dict[str, Any] | None:
    fields: dict[str, Any] = dict(fact.change)
    for name, times in fact.times.items():
        value = getattr(setup.request, name, None)
        if value is None:
            return None
        fields[name] = max(round(value * times), 1) if isinstance(value, int) else value * times
    for name, value in fields.items():
        if isinstance(value, str) and value[:1] in "=@":
            fields[name] = _meant(value, setup)
    same = all(getattr(setup.request, name, None) == value for name, value in fields.items())
    return None if fields and same else fields


def _meant(value: str, setup: Setup) -> Any:
    """=field: as large as another field of the request; @…: what follows from the cards."""
    if value.startswith("="):
        return getattr(setup.request, value[1:], None)
    if value == "@cards":
        return setup.cards
    if value in ("@one_card", "@twice_the_cards"):
        each = setup.request.cards[0] if setup.request.cards else None
        count = 1 if value == "@one_card" else 2 * setup.cards
        return (each.model_copy(update={"count": count}),) if each is not None else ()
    whole = setup.cards * setup.card.memory_bytes if setup.card else 0
    tiers = observation_facts().settings["ollama_context"]
    return next(row["tokens"] for row in tiers if whole < row["below_bytes"])


def alternative(fact: CauseFact, setup: Setup) -> tuple[dict[str, Any], dict[str, Any]] | None:
    """What a choice changes, where it can be made of this set-up and needs nothing to be solved for."""
    if not _applies(fact, setup, "") and not _applies(fact.model_copy(update={"figures": ()}), setup, ""):
        return None
    fields = _fields(fact, setup)
    if fields is None or SOLVE in fact.machine.values() or not (fields or fact.machine):
        return None
    return fields, dict(fact.machine)


def figure(setup: Setup, fields: Mapping[str, Any], machine: Mapping[str, Any], name: str) -> Range | None:
    """The figure with these fields and this machine; None where the estimators cannot take it."""
    try:
        changed = setup.changed(dict(fields)) if fields else setup
        return expected(changed, replace(changed.machine, **machine)).ranges.get(name)
    except (AdvisorError, ValidationError, ValueError, ZeroDivisionError):
        return None


def _solve(
    fact: CauseFact, setup: Setup, fields: dict[str, Any], fixed: dict[str, Any], name: str, gap: Gap
) -> float | None:
    """The value within the bounds that gives what was seen, by halving; the nearer end where none does.

    Where nothing runs at the far end (memory that leaves no cache at all), that end lies beyond what was seen.
    """
    usual = getattr(AS_SPECIFIED, name) or 0.0
    low, high = fact.bounds or (0.0, 1.0)
    host = setup.host_bytes
    if name in IN_HOST and host is not None:
        high = min(high, float(host))
    start, end = (low, high) if abs(low - usual) < abs(high - usual) else (high, low)
    first, last = (figure(setup, fields, {**fixed, name: value}, gap.name) for value in (start, end))
    if first is None:
        return None
    if last is not None and (gap.seen - last.value) * (gap.seen - first.value) > 0:
        return end if abs(gap.seen - last.value) < abs(gap.seen - first.value) else None
    for _ in range(HALVINGS):
        middle = (start + end) / 2
        here = figure(setup, fields, {**fixed, name: middle}, gap.name)
        if here is None:
            if last is not None:
                return None
            end = middle
        elif (here.value - gap.seen) * (first.value - gap.seen) > 0:
            start, first = middle, here
        else:
            end = middle
    return (start + end) / 2


def _after(fact: CauseFact, setup: Setup, gap: Gap) -> Range | None:
    """The figure once a fault is gone: as the set-up should give."""
    return None if fact.instead else gap.expected


def _written(machine: Mapping[str, float]) -> dict[str, Any]:
    return {name: value for name, value in machine.items() if getattr(AS_SPECIFIED, name) != value}


__all__ = ["Expected", "Gap", "Machine", "Scored", "evidence", "figure", "scored"]

"""Which causes lead: what a text states, what explains the figure, and what words, figures and arithmetic bring up."""

from collections.abc import Iterator, Mapping, Sequence

from kb.observation import SOLVE, CauseFact, Symptom, circumstances, observation_facts, wording
from tools.observation.capability import SHORT
from tools.observation.causes import (
    LEAST_SCORE,
    Gap,
    Scored,
    alternative,
    concerns,
    evidence,
    feasible,
    figure,
    filled,
    prior,
    scored,
    witnessed,
)  # fmt: skip
from tools.observation.errors import LAST
from tools.observation.estimates.expected import MORE_IS_WORSE
from tools.observation.estimates.memory import (
    crowded_by_scores,
    loading_exceeds_host,
    pipeline_exceeds_host,
    spread_thin,
)  # fmt: skip
from tools.observation.heard import MEANT
from tools.observation.judge import PACES
from tools.observation.request import ObservationRequest, Seen
from tools.observation.result import CauseBasis, Effect, Figure, ObservedCause, Range
from tools.observation.said.dealing import of_dealing
from tools.observation.said.tried import CURED, NONE, RULED_OUT, Tried
from tools.observation.setup import Setup, network_told, shares_memory
from tools.observation.telling import told

COPIES, SCORES, LAYERS, RECKONED = "copy_each_rank", "compute_buffer_grows", "layers_on_cpu", 20.0
"""Causes that arithmetic alone shows, and how much likelier that makes them."""
SPILLS = "llama.cpp"
"""The engine that leaves to the processor the layers that the cards do not hold."""
CROWDED = {"unified_pages": 0.85, "metal_working_set": 1.0}
"""Causes that memory shared with the system shows, by what the work needs over what the graphics may take."""
MOVED = frozenset({"host_swaps", "paged_to_host", "weights_streamed", "layers_on_cpu", "all_on_cpu"})
EXCHANGED = frozenset({"network_between_nodes", "slow_link"})
"""Causes of one kind: where words bring up one, arithmetic or the link that was told decides for another."""
SPREAD = "tensor_overhead"
"""What a model brings that is dealt out over far more cards than it needs."""
PARTICULAR, UNPROVEN = 8.0, 0.4
"""Weight of a symptom that tells of few causes, and what one of any size counts beside it that nothing speaks for."""
SLOW = "slow"
"""The symptom of whoever calls it slow."""
STATED = 10.0
"""Score of what a text states, before everything that is reckoned."""
CHOICE = 0.3
"""How much a choice counts where a symptom was told of a figure that is as it should be."""
BY_RULE = 0.5
"""Score of what a rule of compatibility refuses and no text states."""
BESIDE = 0.1
"""Score of what a text states of the circumstances, beside causes that explain a figure."""
WORTH_TELLING = 1.3
"""How much better a choice makes a normal figure before it is told as what holds it back."""
PROVING = 1.5
"""Weight of another figure from which it brings up a cause by itself."""
COVERED = 0.5
"""Share of a gap that a cause must explain for those that could explain any to stay unsaid."""
AFTER = 0.9
"""Most that such a cause counts, over the best that was reckoned."""
BETTER = 1.6
"""How many times as good as the estimate a figure may be before a cause is looked for: so far off estimates are."""
TELLING = 1.02
"""Least change of a figure that is worth telling."""


def ranked(
    request: ObservationRequest,
    setup: Setup,
    first: Figure | None,
    stated: list[ObservedCause],
    told_of: Symptom | None,
    of_remedies: Tried = NONE,
) -> list[Scored]:
    """Causes the text states, then those that explain the gap, then those that go with the symptom; those whose remedy
    was tried in vain come last."""
    likelier = _likelier(request, told_of, setup)
    proven = [key for key in of_remedies.cured if key in likelier] or of_remedies.cured
    likelier |= dict.fromkeys(proven, CURED)
    found: list[Scored] = []
    weak: frozenset[str] = frozenset()
    if first is not None and first.expected is not None:
        found = _explaining(request, setup, first, first.expected, likelier)
        weak = circumstances()
        found += _told_slow(setup, first, max((one.score for one in found), default=1.0))
    found = _own_evidence_first(found, likelier, request.seen)
    beside = min(BESIDE, AFTER * max((one.score for one in found), default=1.0))
    explained = {one.cause.id for one in found}
    for place, one in enumerate(stated):
        if one.share_ratio is not None and one.id in explained:
            continue
        score = beside if one.id in weak else _by_text(one, place)
        found.append(Scored(score, one))
    known_ids = [one.cause.id for one in found]
    facts = observation_facts().causes
    heard = told_of is not None and told_of.id != MEANT
    running = runs(request)
    for key, weight in likelier.items():
        if key not in facts or key in known_ids or (running and facts[key].stops):
            continue
        if concerns(facts[key], setup, heard=heard):
            told_by = evidence(facts[key], request.seen, setup)
            basis: CauseBasis = "seen" if told_by > 1 else "reckoned" if weight >= RECKONED else "known"
            score = prior(facts[key], setup, heard=True) * weight * told_by / 10
            found.append(Scored(score, told(facts[key], setup, basis)))
    found = [Scored(RULED_OUT * one.score, one.cause) if one.cause.id in of_remedies.vain else one for one in found]
    return sorted(found, key=lambda one: -one.score)


def _told_slow(setup: Setup, first: Figure, best: float) -> Iterator[Scored]:
    """Settings that were told and cost much of the figure, behind the best that explains it: the estimate counts them
    already, and without them it would be so much better."""
    if first.expected is None or first.worse is False:
        return
    asked = setup.request
    for fact in observation_facts().causes.values():
        fields = fact.unless or fact.change
        if fact.instead or not fields or "engine" in fields or setup.kind not in fact.domains:
            continue
        if fact.figures and first.name not in fact.figures:
            continue
        if any(name not in asked.model_fields_set or getattr(asked, name) != value for name, value in fields.items()):
            continue
        under = figure(setup, dict.fromkeys(fields), {}, first.name)
        if under is not None and _gain(first, under.value) > WORTH_TELLING:
            yield Scored(AFTER * best, told(fact, setup, "stated", after=under))


def _own_evidence_first(found: list[Scored], likelier: Mapping[str, float], seen: Seen) -> list[Scored]:
    """What could be of any size counts less beside what the words tell of: that it fits the gap is no evidence."""
    if max(likelier.values(), default=0.0) < PARTICULAR:
        return found
    facts = observation_facts().causes
    return [
        Scored(UNPROVEN * one.score, one.cause) if is_free(facts[one.cause.id], likelier, seen) else one
        for one in found
    ]  # fmt: skip


def is_free(fact: CauseFact, likelier: Mapping[str, float], seen: Seen) -> bool:
    """Whether its size is solved for, and neither words nor another figure speak for it."""
    return SOLVE in fact.machine.values() and fact.id not in likelier and not witnessed(fact, seen)


def spoken_for(causes: Sequence[ObservedCause], seen: Seen, told_of: Symptom | None) -> bool:
    """Whether the first cause has evidence of its own: a text, a figure, words that tell of few, or its one size."""
    if not causes:
        return False
    first, likelier = causes[0], told_of.causes if told_of is not None else {}
    if first.basis in ("stated", "seen") or likelier.get(first.id, 0.0) >= PARTICULAR:
        return True
    fact = observation_facts().causes[first.id]
    return first.basis == "reckoned" and not is_free(fact, likelier, seen)


def runs(request: ObservationRequest) -> bool:
    """Whether the work runs at all, however slowly: a pace was seen, or words call it slow."""
    if any(getattr(request.seen, name) is not None for name in PACES):
        return True
    return bool(request.symptom and wording(observation_facts().symptoms[SLOW].words).search(request.symptom))


def _by_text(one: ObservedCause, place: int) -> float:
    """Score of what a text brings up: by what it states, by a rule, by arithmetic that it asks for, or for want of any
    other."""
    if one.id in LAST:
        return 0.0
    if one.share_ratio is not None or (one.id, one.basis) == (SHORT, "known"):
        return BY_RULE - place * LEAST_SCORE
    return STATED - place


def _explaining(
    request: ObservationRequest, setup: Setup, first: Figure, of: Range, likelier: Mapping[str, float]
) -> list[Scored]:
    """Faults where the figure is off; else what lies between it and what was hoped for, or could be had."""
    if first.worse is False and first.verdict != "impossible" and _gain(first, first.seen) < BETTER:
        return []
    if first.verdict != "normal":
        gap = Gap(first.name, first.seen, of)
        found = scored(setup, gap, request.seen, likelier)
        facts = observation_facts().causes
        sized = [one for one in found if not is_free(facts[one.cause.id], likelier, request.seen)]
        if max((one.cause.share_ratio or 0.0 for one in sized), default=0.0) < COVERED:
            found += _residual(setup, first, found, request.seen)
        if first.verdict == "impossible":
            found += [Scored(fact.prior, told(fact, setup, "known")) for fact in _beyond(first)]
        if first.worse is False:  # a cure explains nothing that is better than expected
            return found or [Scored(fact.prior, told(fact, setup, "known")) for fact in _beyond(first)]
        return found or scored(setup, gap, request.seen, likelier, instead=True)
    hoped = first.by_person
    if hoped is None:
        hoped = _best(setup, first)
        if not hoped or _gain(first, hoped) < WORTH_TELLING:
            return []
    elif of.low <= hoped <= of.high:
        return []
    found = scored(setup, Gap(first.name, hoped, of), request.seen, likelier, instead=True)
    if likelier and hoped is not first.by_person:  # what was told goes before what could be had
        found = [Scored(CHOICE * one.score, one.cause) for one in found]
    bounded = first.name not in MORE_IS_WORSE and first.limit
    if (
        first.by_person is not None
        and first.limit
        and bounded
        and _gain(first, hoped) > max(_gain(first, first.limit), 1)
    ):
        limit = Range(value=first.limit, low=first.limit, high=first.limit, unit=first.unit)
        beyond = told(observation_facts().causes["beyond_limit"], setup, "reckoned", under=limit)
        found.insert(0, Scored(1.0, beyond))
    return found


def _residual(setup: Setup, first: Figure, found: list[Scored], seen: Seen) -> Iterator[Scored]:
    """What could explain any gap, where little else does: a thing to check, after the best of what was reckoned."""
    named = {one.cause.id for one in found}
    facts = observation_facts().causes
    shown = [one for one in found if witnessed(facts[one.cause.id], seen) or facts[one.cause.id].unproven_times == 1.0]
    most = AFTER * max((one.score for one in shown), default=1.0)
    for fact in observation_facts().causes.values():
        meant = fact.residual and first.worse and fact.id not in named and first.name in fact.figures
        if meant and concerns(fact, setup):
            yield Scored(min(prior(fact, setup), most), told(fact, setup, "known"))


def _best(setup: Setup, first: Figure) -> float:
    """The best that one other choice, or what people take for the whole, gives; 0 where none does."""
    values = [one.effect.value for one in effects(setup, first)]
    for fact in observation_facts().causes.values():
        if fact.belief and concerns(fact, setup) and (not fact.figures or first.name in fact.figures):
            effect = effect_of(fact.id, setup, first.name)
            values += [effect.effect.value] if effect else []
    return max(values, key=lambda one: _gain(first, one), default=0.0)


def _beyond(first: Figure) -> Iterator[CauseFact]:
    """What goes with a figure that the hardware cannot give."""
    for fact in observation_facts().causes.values():
        if fact.beyond and first.name in fact.figures:
            yield fact


def _gain(first: Figure, value: float) -> float:
    """How many times as good as expected a figure is."""
    expected_ = first.expected.value if first.expected else value
    return expected_ / value if first.name in MORE_IS_WORSE else value / expected_


def _spills(setup: Setup) -> bool:
    """Whether the estimate itself leaves layers in the host's memory."""
    if setup.engine != SPILLS or setup.card is None or shares_memory(setup.card):
        return False
    return (filled(setup) or 0.0) > 1.0


def _likelier(request: ObservationRequest, told_of: Symptom | None, setup: Setup) -> dict[str, float]:
    """How much likelier the symptom, figures that prove something by themselves, and arithmetic make causes."""
    weights = dict(told_of.causes) if told_of is not None else {}
    heard = frozenset(weights)
    if (request.error_text or request.symptom) and loading_exceeds_host(setup):
        weights[COPIES] = RECKONED
    if request.error_text or request.symptom:
        weights |= dict.fromkeys(of_dealing(setup, "host"), 2 * RECKONED)
        if (runs(request) or heard & MOVED or not heard) and pipeline_exceeds_host(setup):
            weights["host_swaps"] = RECKONED
        if heard & EXCHANGED and network_told(setup):
            weights["network_between_nodes"] = RECKONED
    if (request.seen.cpu_share_ratio or told_of is not None) and crowded_by_scores(setup):
        weights[SCORES] = RECKONED / 2
    slow = request.symptom and wording(observation_facts().symptoms[SLOW].words).search(request.symptom)
    if slow and _spills(setup):
        weights[LAYERS] = RECKONED
    if setup.speaks and request.seen.realtime_factor is not None:
        weights["small_steps"] = max(weights.get("small_steps", 0.0), RECKONED / 2)
    if spread_thin(setup):
        weights[SPREAD] = max(weights.get(SPREAD, 0.0), RECKONED / 2)
    if told_of is not None and setup.card is not None and shares_memory(setup.card):
        full = filled(setup) or 0.0
        weights |= {key: RECKONED for key, least in CROWDED.items() if full > least}
    for fact in observation_facts().causes.values():
        told_by = evidence(fact, request.seen, setup)
        if told_by > PROVING:
            weights.setdefault(fact.id, 1.0)
    return weights


def effects(setup: Setup, first: Figure) -> Iterator[Effect]:
    """Choices that would move the figure to the good side, the most effective first."""
    if first.expected is None:
        return
    better = []
    for fact in observation_facts().causes.values():
        if (
            not fact.instead
            or fact.belief
            or setup.kind not in fact.domains
            or (fact.figures and first.name not in fact.figures)
        ):
            continue
        effect = effect_of(fact.id, setup, first.name)
        if effect is None:
            continue
        gain = _gain(first, effect.effect.value)
        if gain > max(TELLING, _gain(first, first.seen) if first.worse is False else 0.0):
            better.append((gain, effect))
    yield from (effect for _, effect in sorted(better, key=lambda row: -row[0]))


def effect_of(cause: str, setup: Setup, name: str) -> Effect | None:
    """The figure with the choice that a cause of the kind `instead` stands for; None where it cannot be made."""
    fact = observation_facts().causes[cause]
    found = alternative(fact, setup)
    if found is None or not feasible(setup, found[0]):
        return None
    fields, machine = found
    under = figure(setup, fields, machine, name)
    if under is None:
        return None
    written = told(fact, setup, "reckoned", change=found[0]).setting or fact.fix
    return Effect(change=written, effect=under, costs=fact.fix)

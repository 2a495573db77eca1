"""`explain_observation`: a set-up and what was seen in; whether it is normal, why, how to check, and what to do out."""

from collections.abc import Iterator, Mapping
from typing import Any

from kb.artifacts.mask import masked
from kb.base import BadInput
from kb.memory_constants import memory_sources
from kb.observation import CauseFact, Symptom, circumstances, observation_facts, symptom_in
from kb.records.source import Source
from kb.speed_constants import speed_sources
from tools.base import Step
from tools.observation.capability import SHORT, of_card
from tools.observation.causes import (
    LEAST_SCORE,
    Gap,
    Scored,
    alternative,
    concerns,
    evidence,
    feasible,
    figure,
    prior,
    scored,
    witnessed,
)  # fmt: skip
from tools.observation.errors import LAST, read_error
from tools.observation.estimates.expected import MORE_IS_WORSE, Expected, expected
from tools.observation.estimates.memory import crowded_by_scores, loading_exceeds_host
from tools.observation.heard import MEANT, symptom_of
from tools.observation.judge import judged, seen_figures
from tools.observation.request import ObservationRequest, Seen
from tools.observation.result import (
    Answer,
    CauseBasis,
    Effect,
    ErrorRead,
    Explanation,
    Figure,
    ObservedCause,
    Range,
)  # fmt: skip
from tools.observation.said.figures import has_run, of_one_card, with_read
from tools.observation.said.flags import read_flags
from tools.observation.said.logs import cards_of, read_log
from tools.observation.said.words import in_words
from tools.observation.setup import Setup, bare
from tools.observation.telling import told
from tools.oom.quantities import folded

CAUSES_MAX = 8
EFFECTS_MAX = 6
COPIES, SCORES, RECKONED = "copy_each_rank", "compute_buffer_grows", 20.0
"""Causes that arithmetic alone shows, and how much likelier that makes them."""
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
SIDE = ("utilisation_ratio", "cpu_share_ratio", "power_w", "temperature_c", "clock_ratio")
"""Figures that tell of the cause rather than of what one wants."""
TELLING = 1.02
"""Least change of a figure that is worth telling."""


def explain_observation(request: ObservationRequest) -> Explanation:
    """Explain something observed: is the figure normal for this set-up, why is it not, how to check, what to do.

    Takes the set-up (model, cards, engine, lengths or the command line), what was seen (tokens a second, step time,
    memory, utilisation, temperature …), an error text or log, or a symptom. Gives what is expected beside what was
    seen, the verdict normal, low, high or impossible, causes ranked by how much of the gap each explains (the same
    set-up estimated anew with that one thing otherwise), the command that tells, the fix and the figure after it.
    """
    flags = read_flags(request.flags) if request.flags else {}
    read, logged = read_log(request.error_text) if request.error_text else ({}, {})
    request = with_read(request, read)
    listed = cards_of(request.error_text) if request.error_text and not request.cards else ()
    machine = {"cards": listed} if listed else {}
    text = folded(masked("\n".join(one for one in (request.error_text, request.symptom) if one)))
    setup = Setup(bare(request, in_words(text) | machine | logged | flags), at=request.seen.memory_at, ran=has_run(request, text))
    if not seen_figures(request.seen) and not request.error_text and not request.symptom:
        raise BadInput(
            "seen", "nothing was observed.", "Give a figure in `seen`, an `error_text`, or a `symptom`."
        )  # fmt: skip
    request, summed = of_one_card(request, setup)
    base = expected(setup)
    figures = [judged(name, value, base, request, setup) for name, value in seen_figures(request.seen)]
    figures.sort(key=_telling)
    error, stated = read_error(request.error_text, setup, request.symptom) if request.error_text else (None, [])
    first = figures[0] if figures else None
    ruled = bool(text and of_card([], setup, text))
    told_of = symptom_of(request, setup, stated, seen=bool(figures) or ruled, judged=_is_judged(first))
    if told_of is None and error is None and request.error_text:
        told_of = symptom_in(request.error_text)
    stated = of_card(stated, setup, text) if text else stated
    ranked = _ranked(request, setup, first, stated, told_of)
    causes = tuple(one.cause for one in ranked)[:CAUSES_MAX]
    return Explanation(
        answer=_answer(first, causes, setup, base), model=_model(setup), gpu=setup.card.id if setup.card else None,
        gpus=setup.cards if request.cards else None, engine=setup.engine, set_by_flags=_told_flags(flags),
        figures=tuple(figures), causes=causes, error_read=error, binds=base.binds.get(first.name) if first else None,
        changes=tuple(_effects(setup, first))[:EFFECTS_MAX] if first else (),
        derivation=(*base.steps, *_compared(first, causes)),
        assumptions=tuple(dict.fromkeys([*summed, *_told_by_text(read, logged), *setup.assumptions(),
                                         *base.assumptions])),
        warnings=tuple(_warnings(request, base, error, first)), sources=_sources(base, causes, error),
    )  # fmt: skip


def _is_judged(first: Figure | None) -> bool:
    return first is not None and first.expected is not None


def _telling(one: Figure) -> tuple[int, int, float]:
    """What the answer is of: first what was expected otherwise, then what is furthest off.

    Figures that only tell of others (utilisation, temperature …) and those without an estimate come last.
    """
    tells = 1 if one.name in SIDE else 0
    if one.expected is None or one.verdict is None:
        return 2 + tells, 0, 0.0
    asked = 0 if one.by_person is not None else 1
    if one.verdict == "normal":
        return tells, 1 + asked, 0.0
    outside = one.seen / one.expected.high if one.seen > one.expected.high else one.expected.low / max(one.seen, 1e-12)
    return tells, 0, -outside


def _ranked(
    request: ObservationRequest,
    setup: Setup,
    first: Figure | None,
    stated: list[ObservedCause],
    told_of: Symptom | None,
) -> list[Scored]:
    """Causes the text states, then those that explain the gap, then those that go with the symptom."""
    likelier = _likelier(request, told_of, setup)
    found: list[Scored] = []
    weak: frozenset[str] = frozenset()
    if first is not None and first.expected is not None:
        found = _explaining(request, setup, first, first.expected, likelier)
        weak = circumstances()
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
    for key, weight in likelier.items():
        if key in facts and key not in known_ids and concerns(facts[key], setup, heard=heard):
            told_by = evidence(facts[key], request.seen, setup)
            basis: CauseBasis = "seen" if told_by > 1 else "known"
            score = prior(facts[key], setup, heard=True) * weight * told_by / 10
            found.append(Scored(score, told(facts[key], setup, basis)))
    return sorted(found, key=lambda one: -one.score)


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
        if max((one.cause.share_ratio or 0.0 for one in found), default=0.0) < COVERED:
            found += _residual(setup, first, found, request.seen)
        if first.verdict == "impossible":
            found += [Scored(fact.prior, told(fact, setup, "known")) for fact in _beyond(first)]
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
    values = [one.effect.value for one in _effects(setup, first)]
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


def _likelier(request: ObservationRequest, told_of: Symptom | None, setup: Setup) -> dict[str, float]:
    """How much likelier the symptom, figures that prove something by themselves, and arithmetic make causes."""
    weights = dict(told_of.causes) if told_of is not None else {}
    if (request.error_text or request.symptom) and loading_exceeds_host(setup):
        weights[COPIES] = RECKONED
    if (request.seen.cpu_share_ratio or told_of is not None) and crowded_by_scores(setup):
        weights[SCORES] = RECKONED / 2
    for fact in observation_facts().causes.values():
        told_by = evidence(fact, request.seen, setup)
        if told_by > PROVING:
            weights.setdefault(fact.id, 1.0)
    return weights


def _within(value: float, of: Range) -> bool:
    return of.low <= value <= of.high


def _answer(first: Figure | None, causes: tuple[ObservedCause, ...], setup: Setup, base: Expected) -> Answer:
    needs = tuple(_needs(first, setup, base))
    cause = causes[0].id if causes else None
    if first is None:
        return Answer(cause=cause, needs=needs)
    right = None
    if first.by_person is not None and first.expected is not None:
        right = _within(first.by_person, first.expected)
    return Answer(
        verdict=first.verdict, of=first.name, expected=first.expected, seen=first.seen, ratio=first.ratio,
        worse=first.worse, cause=cause, person_right=right, needs=needs,
    )  # fmt: skip


def _needs(first: Figure | None, setup: Setup, base: Expected) -> Iterator[str]:
    """Fields without which the figure cannot be estimated."""
    if first is None or first.expected is not None:
        return
    asked = setup.request
    if not setup.named:
        yield "model"
    if setup.card is None and not setup.on_cpu:
        yield "cards"
    if setup.kind == "training" and first.name in ("step_s", "it_per_s"):
        if asked.micro_batch_size is None:
            yield "micro_batch_size"
        if asked.sequence_tokens is None:
            yield "sequence_tokens"
    if (
        first.name == "wall_s"
        and setup.kind == "training"
        and not (asked.dataset_tokens or asked.dataset_samples or asked.steps)
    ):
        yield "dataset_tokens"
    yield from (name for name in base.refused if name not in ("model", "gpu"))


def _effects(setup: Setup, first: Figure) -> Iterator[Effect]:
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


def _told_by_text(read: Mapping[str, Any], logged: Mapping[str, Any]) -> Iterator[str]:
    """What was taken from the pasted text."""
    for name, value in (*read.items(), *logged.items()):
        yield f"{name} = {value:g}, as the text states it."


def _compared(first: Figure | None, causes: tuple[ObservedCause, ...]) -> Iterator[Step]:
    """Seen over expected, and how much of that the first cause explains."""
    if first is None or first.expected is None or first.ratio is None:
        return
    expected_ = {"seen": first.seen, "expected": first.expected.value}
    yield Step(label=f"Seen over expected: {first.name}", formula="seen / expected", inputs=expected_,
               value=first.ratio, unit="ratio", source="own-estimate")  # fmt: skip
    for cause in causes[:1]:
        if cause.expected is not None and cause.share_ratio is not None:
            yield Step(label=f"Share explained by {cause.id}", formula="ln(under / expected) / ln(seen / expected)",
                       inputs={**expected_, "under": cause.expected.value}, value=cause.share_ratio, unit="ratio",
                       source="own-estimate")  # fmt: skip


def _model(setup: Setup) -> str | None:
    from kb.catalog import model as catalog_model

    return catalog_model(setup.request.model).id if setup.request.model and not setup.request.params else None


def _told_flags(flags: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in flags.items() if isinstance(value, str | int | float | bool)}


def _warnings(
    request: ObservationRequest, base: Expected, error: ErrorRead | None, first: Figure | None
) -> Iterator[str]:
    yield from base.warnings
    yield from (f"No estimate: {why}" for why in base.refused.values())
    used = read_log(request.error_text)[0] or symptom_in(request.error_text) if request.error_text else True
    if error is None and not used:
        yield "The text holds no wording that is known here: it was not used."
    if first is not None and first.expected is None:
        yield f"{first.name} could not be estimated; causes rest on what was seen and on the symptom alone."


def _sources(base: Expected, causes: tuple[ObservedCause, ...], error: ErrorRead | None) -> tuple[Source, ...]:
    facts = observation_facts()
    known = {**speed_sources(), **memory_sources(), **facts.sources}
    ids = [facts.causes[one.id].source for one in causes]
    if error is not None:
        ids += [one.source for one in facts.wordings if one.id == error.id]
    ids += [step.source for step in base.steps if step.source]
    found = {source.id: source for source in base.sources}
    found |= {key: known[key] for key in ids if key in known}
    return tuple(found.values())

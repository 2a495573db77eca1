"""`explain_observation`: a set-up and what was seen in; whether it is normal, why, how to check, and what to do out."""

from collections.abc import Iterator, Mapping
from typing import Any

from kb.artifacts.mask import masked
from kb.base import BadInput
from kb.constants.memory_constants import memory_sources
from kb.constants.speed_constants import speed_sources
from kb.observation import observation_facts, symptom_in
from kb.records.source import Source
from tools.base import Step
from tools.observation.capability import of_card
from tools.observation.errors import read_error
from tools.observation.estimates.expected import Expected, expected
from tools.observation.heard import symptom_of
from tools.observation.judge import judged, seen_figures
from tools.observation.next_steps import next_steps
from tools.observation.ranking import effects, ranked, spoken_for
from tools.observation.request import ObservationRequest
from tools.observation.result import (
    Answer,
    ErrorRead,
    Explanation,
    Figure,
    ObservedCause,
    Range,
)  # fmt: skip
from tools.observation.said.figures import has_run, of_one_card, with_read
from tools.observation.said.flags import read_flags
from tools.observation.said.loaded import loaded_format
from tools.observation.said.logs import cards_of, read_log
from tools.observation.said.parts import WEIGHTS, dealt
from tools.observation.said.parts import told as parts_told
from tools.observation.said.tried import tried, without
from tools.observation.said.words import in_words
from tools.observation.setup import Setup, bare
from tools.observation.takes import takes
from tools.oom.quantities import folded

CAUSES_MAX = 8
EFFECTS_MAX = 6
SIDE = ("utilisation_ratio", "cpu_share_ratio", "power_w", "temperature_c", "clock_ratio")
"""Figures that tell of the cause rather than of what one wants."""


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
    form = loaded_format(request.error_text, request.model or flags.get("model"), _shared(request, flags))
    if form and request.weight_format is None:
        logged = {**logged, "weight_format": form}
    listed = cards_of(request.error_text) if request.error_text and not request.cards else ()
    machine = {"cards": listed} if listed else {}
    text = folded(masked("\n".join(one for one in (request.error_text, request.symptom) if one)))
    setup = Setup(
        bare(request, in_words(text) | machine | logged | flags), at=request.seen.memory_at, ran=has_run(request, text)
    )
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
    stated = of_card(stated, setup, text, folded(masked(request.flags or ""))) if text else stated
    said = masked("\n".join(one for one in (request.error_text, request.symptom) if one))
    of_remedies = tried(said)
    held = dealt(f"{said}\n{request.flags or ''}", setup)
    if held and all(one.fits for one in held):  # an even split is not what ran
        stated = [one for one in stated if one.id != WEIGHTS]
    every = ranked(request, setup, first, stated, told_of, of_remedies)
    causes = tuple(one.cause for one in every)[:CAUSES_MAX]
    open_ = first is None or (first.verdict != "normal" and first.worse is not False)
    steps = (
        without(next_steps(setup, first, told_of, error), said)
        if open_ and not spoken_for(causes, request.seen, told_of)
        else ()
    )
    return Explanation(
        answer=_answer(first, causes, setup, base), model=_model(setup), gpu=setup.card.id if setup.card else None,
        gpus=setup.cards if request.cards else None, engine=setup.engine, set_by_flags=_told_flags(flags),
        figures=tuple(figures), causes=causes, error_read=error, binds=base.binds.get(first.name) if first else None,
        changes=tuple(effects(setup, first))[:EFFECTS_MAX] if first else (), takes=takes(setup),
        derivation=(*base.steps, *_compared(first, causes)),
        assumptions=tuple(dict.fromkeys([*of_remedies.told(), *parts_told(held), *summed,
                                         *_told_by_text(read, logged), *setup.assumptions(),
                                         *base.assumptions])),
        warnings=(*steps, *_warnings(request, base, error, first)), sources=_sources(base, causes, error),
    )  # fmt: skip


def _shared(request: ObservationRequest, flags: Mapping[str, Any]) -> int:
    """Cards that share the weights, as told or set."""
    told = request.model_dump(include={"tensor_parallel", "pipeline_parallel"}, exclude_none=True)
    known = {**flags, **told}
    return int(known.get("tensor_parallel") or 1) * int(known.get("pipeline_parallel") or 1)


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


def _told_by_text(read: Mapping[str, Any], logged: Mapping[str, Any]) -> Iterator[str]:
    """What was taken from the pasted text."""
    for name, value in (*read.items(), *logged.items()):
        yield f"{name} = {f'{value:g}' if isinstance(value, float | int) else value}, as the text states it."


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

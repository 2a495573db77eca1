"""Where no model is named: the current ones that the machine runs best."""

from collections.abc import Iterator

from kb.base import BadInput
from kb.records.model import Model
from tools.base import Step
from tools.memory.formats import weight_format
from tools.ways_to_run.request import WaysToRunRequest, WorkFields
from tools.ways_to_run.result import FittingModel, WayAnswer, WaysToRun
from tools.ways_to_run.search import search
from tools.ways_to_run.space.load import load_of
from tools.ways_to_run.space.machine import Machine, machine_of
from tools.ways_to_run.tell.doubts import doubts
from tools.ways_to_run.tell.way import way_of
from tools.ways_to_run.tell.words import format_name
from tools.what_fits_examples import EVERYDAY, everyday, everyday_series

FOUR_BITS = "gguf:Q4_K_M"
"""The format that models are sized by before they are searched."""
CARD_RATIO = 0.9
"""Share of the memory that is left for weights."""
HOST_ALONE_RATIO = 8
"""A model whose tokens visit less than one in so many of its weights may lie mostly in the host's memory."""


def ways_for_no_model(request: WaysToRunRequest) -> WaysToRun:
    """The models that fit best, each with its best way; the largest that writes fluently first.

    Raises:
        BadInput: no machine.
    """
    machine = machine_of(request)
    if not machine.cards and machine.host.usable is None:
        raise BadInput("model", "neither a model nor a machine is given.", "Give model, or cards, or both.")
    bandwidth = _bandwidth(machine)
    chosen = everyday(lambda one: _roomy(machine, one), bandwidth, weight_format(FOUR_BITS).body_bits)
    chosen = chosen or _smallest(machine)
    found = tuple(_fitting(request, machine, chosen))
    ways = tuple(one.way for one in found if one.way is not None)
    if not found:
        said = f"None of the current models fits {machine.name}."
        return WaysToRun(answer=WayAnswer(verdict="does_not_fit", cards=machine.name, said=said),
                         assumptions=machine.said)  # fmt: skip
    named = ", ".join(f"{one.name} ({format_name(one.weight_format)})" for one in found)
    first = ways[0] if ways else None
    rate = first.speed.tokens_per_s_per_user.value if first and first.speed else None
    return WaysToRun(
        answer=WayAnswer(
            verdict="fits", way=0, model=found[0].model, weight_format=found[0].weight_format, cards=machine.name,
            engine=first.engine if first else None, tokens_per_s_per_user=rate,
            max_context_tokens=first.limits.max_context_tokens if first else None,
            said=f"{machine.name} runs {named}.",
        ),
        ways=ways, models=found, warnings=tuple(doubts(ways)),
        assumptions=(*machine.said, "Of every maker the largest current model that fits."),
        derivation=(
            Step(label="Models tried", formula="current general models of well-known makers, one of each",
                 value=sum(len(series) for series in everyday_series()), unit="models"),
        ),
    )  # fmt: skip


def _bandwidth(machine: Machine) -> float:
    """What most of a token's weights are read at."""
    known = [float(card.gpu.bandwidth_bytes_per_s) for card in machine.cards if card.gpu.bandwidth_bytes_per_s]
    return min(known, default=0.0 if machine.cards else machine.host.bandwidth)


def _roomy(machine: Machine, model: Model) -> bool:
    """Whether its weights in four bits find room: on the cards, or with the host's memory for mixtures."""
    weights = model.params * weight_format(FOUR_BITS).body_bits / 8
    room = CARD_RATIO * sum(card.usable for card in machine.cards) * machine.nodes
    sparse = (model.active_params or model.params) * HOST_ALONE_RATIO <= model.params
    if sparse or not machine.cards:
        room += machine.host.usable or 0
    return weights <= room


def _smallest(machine: Machine) -> list[Model]:
    every = [one for series in everyday_series() for one in series if _roomy(machine, one)]
    return sorted(every, key=lambda one: -one.params)[:EVERYDAY]


def _fitting(request: WaysToRunRequest, machine: Machine, models: list[Model]) -> Iterator[FittingModel]:
    fields = {name: getattr(request, name) for name in WorkFields.model_fields if name not in {"model", "params"}}
    for model in sorted(models, key=lambda one: -one.params):
        load = load_of(WorkFields.model_validate({**fields, "model": model.id}), request.objective)
        ways = search(machine, load).ways
        if ways:
            way = way_of(load, machine, ways[0])
            yield FittingModel(
                model=model.id, name=model.name, params=model.params, weight_format=way.weight_format, way=way
            )

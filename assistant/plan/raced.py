"""The same work on each of several cards: how fast each does it in a format that all of them hold."""

import re
from collections.abc import Sequence
from typing import Any

from assistant.answer import ToolCallRecord
from assistant.plan import duration, held_training, loaded, requests
from assistant.plan.call import PlannedCall
from assistant.plan.cheaper import card_of
from assistant.plan.enough import on_enough
from assistant.plan.formats import alike_formats, bits
from assistant.plan.intents import intents
from assistant.plan.outcomes import estimates, verdict
from assistant.plan.own_files import placed_in
from assistant.plan.tighter import for_small_cards
from assistant.understanding import Understanding
from tools.memory import estimate_memory
from tools.memory.request import MemoryRequest
from tools.need import Need

Calls = list[PlannedCall | None]
LAYOUT = ("tensor_parallel", "pipeline_parallel", "expert_parallel")
"""How it lies on the cards: as many requests as it holds are those that it holds lying so."""
PACED = ("speed", "training_time", "can_it_run", "compare")
"""Intents under which several cards are each timed where their speed is asked for."""
_SPEED = re.compile(
    r"速度|多快|每秒|\bspeeds?\b|how fast|\btok(?:en)?s?\s?/\s?s|\bt/s\b|tokens? (?:per|a) second", re.I
)
"""Words that ask for a speed in figures."""


def asked(understanding: Understanding, need: Need) -> bool:
    """Whether it is asked how fast each of several cards is."""
    return (
        intents(understanding)[0] in PACED
        and wanted(understanding)
        and len(requests.compared(need)) > 1
        and requests.sized(need)
    )


def wanted(understanding: Understanding) -> bool:
    """Whether the speed is asked for, be it in a choice between cards."""
    asked_for = intents(understanding)
    paced = {"speed", "training_time"}.intersection(asked_for)
    return bool(paced) or (asked_for[0] == "compare" and _SPEED.search(understanding.text) is not None)


def each(understanding: Understanding, need: Need, results: Sequence[ToolCallRecord], usable: int | None) -> Calls:
    """Memory and speed of every card asked about: as published where it holds that, and in the widest format that all
    hold which hold it in any; of a card that holds it in none, what it takes at the least."""
    text, firsts = understanding.text, first_on_each(results)
    if len(firsts) < 2:
        return []
    if requests.is_training(need):
        ways = {card: held_training.way(need, record) for card, record in firsts.items()}
        return [
            requests.training_time(need, card_of(firsts[card].request), text=text, **way)
            for card, way in ways.items()
            if way is not None
        ]
    amount = duration.to_write(need, text)
    lost = {card: record for card, record in firsts.items() if verdict(record, usable) == "no"}
    published = [
        requests.speed(need, card_of(record.request), None, text=text, **amount)
        for card, record in firsts.items()
        if card not in lost
    ]
    if not lost:
        return published
    used: str | None = next(iter(firsts.values())).result.get("weight_format")
    narrower = alike_formats(used, need.engine, list(firsts))
    way, holding = _shared(need, firsts, narrower)
    calls: Calls = []
    for card, record in firsts.items():
        held = card_of(record.request)
        if card in holding:
            calls.append(requests.memory(need, held, weight_format=way[card]))
            calls.append(requests.speed(need, held, way[card], text=text, **amount))
        elif files := for_small_cards(need, record, held):
            calls += [requests.memory(need, held, weight_format=file) for file in files]
            calls += [requests.speed(need, held, file, text=text, **amount) for file in files]
        elif narrower:
            calls.append(requests.memory(need, held, weight_format=narrower[0][card]))
    if not holding and len(lost) == len(firsts):
        calls += _on_enough(need, firsts, narrower[0] if narrower and need.weight_format is None else {}, text)
    return [*published, *calls]


def _on_enough(need: Need, firsts: dict[str, ToolCallRecord], way: dict[str, str], text: str) -> Calls:
    """Memory and speed on as many of each card as hold it, where no single one does and no numbers were stated."""
    files = need.engine == "llama.cpp" or (need.weight_format or "").startswith("gguf:")  # leaves the rest to the host
    if files or any(card.count and card.count > 1 for card in requests.compared(need)):
        return []
    calls: Calls = []
    for card, record in firsts.items():
        tried = requests.memory(need, card_of(record.request), weight_format=way[card]) if card in way else None
        single = record if tried is None else record.model_copy(update=_run(tried))
        held = on_enough(need, single)
        if held is None:
            continue
        laid: dict[str, Any] = {name: held.request.get(name) for name in LAYOUT}
        used = held.request.get("weight_format")
        calls += [held, requests.speed(need, card_of(held.request), used, text=text, **laid)]
    return calls


def _run(call: PlannedCall) -> dict[str, Any]:
    """The request and the result of an estimate of memory."""
    result = estimate_memory(MemoryRequest.model_validate(call.request))
    return {"request": call.request, "result": result.model_dump(mode="json")}


def _shared(
    need: Need, firsts: dict[str, ToolCallRecord], narrower: Sequence[dict[str, str]]
) -> tuple[dict[str, str], set[str]]:
    """The widest format that every card holds with room which holds the narrowest, else that; and those cards."""
    found: tuple[dict[str, str], set[str]] = ({}, set())
    for way in narrower:
        counted = {card: held for card, one in firsts.items() if (held := card_of(one.request))}
        placed = {card: fit.verdict for card, held in counted.items() if (fit := placed_in(need, held, way[card]))}
        holding = {card for card, fits in placed.items() if fits != "no"}
        roomy = all(placed[card] == "yes" for card in holding)
        if not found[1] or (roomy and holding == found[1]):
            found = way, holding
    return found


def between(need: Need, results: Sequence[ToolCallRecord], usable: int | None, text: str) -> Calls:
    """The speed of every card compared: as published, or in the smaller formats when one of them cannot hold that."""
    firsts = first_on_each(results)
    if len(firsts) < 2 or len(requests.compared(need)) < 2:
        return []
    if requests.is_training(need):
        return [
            requests.training_time(need, card_of(record.request), **held_training.as_held(need, record))
            for record in firsts.values()
        ]
    first = next(iter(firsts.values()))
    used: str | None = first.result.get("weight_format")
    missing = {card: record for card, record in firsts.items() if verdict(record, usable) == "no"}
    ways = alike_formats(used, need.engine, list(firsts)) if missing else []
    files = {card: file for card, record in missing.items() if (file := _file(need, record))}
    return [
        requests.speed(need, card_of(record.request), way.get(card) or used, text=text)
        for way in ways or [files]
        for card, record in firsts.items()
    ]


def at_full(need: Need, text: str, results: Sequence[ToolCallRecord]) -> Calls:
    """With a rate of requests: the speed of each set with as many at once as it holds, which is what it serves most."""
    if not loaded.asked(need, text) or not loaded.rate(text):
        return []
    found: Calls = []
    for record in first_on_each(results).values():
        most = (record.result.get("fit") or {}).get("max_concurrent_sequences") or 0
        if most > 1:
            full = need.model_copy(update={"concurrent_sequences": most, "users": None})
            used = record.result.get("weight_format")
            laid = {name: record.request.get(name) for name in LAYOUT}
            found.append(requests.speed(full, card_of(record.request), used, **laid))
    return found


def first_on_each(results: Sequence[ToolCallRecord]) -> dict[str, Any]:
    """The first estimate of memory on each kind of card, by the card."""
    return {record.request["gpu"]: record for record in reversed(estimates(results)) if record.request.get("gpu")}


def _file(need: Need, record: ToolCallRecord) -> str | None:
    """The file of as many bits that a card may hold which does not hold them in an engine that keeps more beside."""
    files = for_small_cards(need, record, card_of(record.request))
    return next((one for one in files if bits(one) == bits(record.result.get("weight_format"))), None)

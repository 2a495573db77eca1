"""The second wave: what the first results make worth knowing, above all what would fit when the first does not."""

import re
from collections.abc import Sequence
from itertools import zip_longest
from typing import Any

from assistant.answer import ToolCallRecord
from assistant.plan import (
    candidates,
    duration,
    fed,
    growing,
    held_training,
    host_machine,
    link,
    money,
    neighbours,
    own_files,
    particular,
    raced,
    replicas,
    requests,
    served,
    several,
    sights,
    sooner,
    together,
    value,
    where_to_rent,
)
from assistant.plan.amounts import model_kind, span_s
from assistant.plan.call import PlannedCall, planned
from assistant.plan.cheaper import card_of, cheaper
from assistant.plan.enough import on_enough
from assistant.plan.exemplars import longest, paced_examples, trained_on
from assistant.plan.first import CALLS_MAX
from assistant.plan.formats import TRAINING_LADDER, bits, smaller_formats
from assistant.plan.instead import instead
from assistant.plan.intents import intents
from assistant.plan.launch import launch, launch_of
from assistant.plan.like_rent import rented_like
from assistant.plan.method import NO_ADAPTERS
from assistant.plan.outcomes import estimates, usable_of
from assistant.plan.outcomes import verdict as outcome
from assistant.plan.preferred import preferred
from assistant.plan.provisional import chinese_cards, provisional
from assistant.plan.spill import with_host
from assistant.plan.usual import with_usual
from assistant.plan.wave import distinct
from assistant.understanding import Understanding
from tools.configuration import Configuration
from tools.need import GpuCount, Need

_BETWEEN_CARDS = ("compare", "which_to_buy", "budget")
"""Intents for which cards race each other at the same work."""
_FASTER = ("can_it_run", "concurrency", "launch_files", "how_many_gpus")
"""Intents for which the speed is worth knowing once the workload fits."""
_SHOPPING = ("which_to_buy", "budget", "cloud_or_buy")
"""Intents that a configuration to order answers."""
_HARDWARE = {"which_to_buy", "how_many_gpus", "budget", "cloud_or_buy"}
"""Questions beside the time of a training that ask which cards to get."""
_HOW_MANY = re.compile(r"how many|几[张块卡台个]|多少[张块卡台]", re.I)
"""Words that ask for a number of cards, whatever else is asked."""
FOUR_BITS = 4
"""Bits of a weight in the narrowest of the usual formats."""
SEVERAL = 2
"""More estimates than this follow in turns."""


def plan_more(understanding: Understanding, results: Sequence[ToolCallRecord]) -> list[PlannedCall]:
    """The calls that the first results call for; none when they settle the question."""
    if understanding.out_of_scope or understanding.command == "thanks":
        return []
    understanding = with_usual(understanding)
    need = provisional(understanding)
    results = [record for record in results if not growing.of_today(understanding, record)]
    if kept_up := sights.more(understanding, results):
        return kept_up
    if (more := particular.more(understanding, need, results)) is not None:
        return distinct(more)
    if understanding.workloads:
        return distinct(several.machines(understanding, need, results))
    if together.asked(understanding):
        return []
    if served.asked(understanding):
        return distinct(served.bills(understanding, need, results))
    fitted = host_machine.calls(understanding, need, results)
    wanted: list[PlannedCall | None] = [*fitted]
    usable, asked = usable_of(results), intents(understanding)[0]
    shops, sized = asked in _SHOPPING, asked == "how_many_gpus"
    each = [_following(understanding, need, record, usable) for record in _first_on_each(estimates(results))]
    if asked in _BETWEEN_CARDS and len(each) > 2:
        each = [_widest_held(calls) for calls in each]  # so that there are calls left to time them with
    # Of many cards each comes once before one comes again: the calls of a turn are limited.
    turns = zip_longest(*each) if len(each) > SEVERAL else each
    wanted += [call for turn in turns for call in turn]
    if asked in _BETWEEN_CARDS:
        wanted += value.calls(need, understanding, results)
        counted = _as_many_as_needed(understanding, need, results, usable)
        wanted += counted or raced.between(need, results, usable, understanding.text)
        wanted = [*raced.at_full(need, understanding.text, results), *wanted]
    if asked == "can_it_run" and not raced.asked(understanding, need):
        wanted += _paced_on_all(understanding, need, results, usable)
    if raced.asked(understanding, need):
        wanted = [*raced.each(understanding, need, results, usable), *wanted]
    searched = next((record.result for record in results if record.tool == "configure"), {})
    if searched.get("least_first_s"):
        wanted.append(requests.configure(need, target_latency_s=None))
    if _nothing_fits(results, usable) and asked != "oom":
        first = next((record for record in estimates(results) if record.request.get("gpu")), None)
        wanted += with_host(understanding, need, first, card_of(first.request) if first else None)
        if not chinese_cards(understanding):
            own = own_files.usual(need, first, card_of(first.request)) if first else None
            wanted.append(requests.configure(need, gpus_asked=(), **({"weight_format": own} if own else {})))
    if "interconnect" in intents(understanding):
        wanted += link.memories(need, understanding)
    if asked == "cloud_or_buy" or money.asks_price(understanding.text, need):
        need = _with_offers(need, results)
        run = duration.rented_for(need, results)
        bills = _bills(understanding, need, results)
        wanted += [money.cost(need, understanding, bills, **run), *sooner.calls(understanding, need, bills)]
    if asked == "power" and not requests.cards(need):
        wanted += _power_of_best(need, understanding, results)
    wanted += duration.calls(understanding, need, _bills(understanding, need, results)) if shops or sized else []
    wanted += duration.in_time(understanding, need, results) if asked == "training_time" else []
    wanted += replicas.calls(need, understanding) if asked in ("can_it_run", "concurrency") else []
    wanted += fed.calls(understanding, need, _bills(understanding, need, results))
    wanted += rented_like(need, understanding, results)
    wanted += _files(understanding, need, results)
    wanted += _lighter_purchase(need, results)
    wanted += [candidates.look_up(need, understanding, _bills(understanding, need, results))] if shops else []
    wanted += _beside_best(understanding, need, results) if shops else []
    rented = shops and requests.sized(need)
    wanted += where_to_rent.other_ways(need, understanding, _bills(understanding, need, results)) if rented else []
    wanted += instead(need, understanding.text, results, fitted=bool(fitted)) if shops else []
    wanted += [*paced_examples(need, results), *longest(understanding, need, results)]
    wanted += _trained_on(understanding, need, results) if asked == "training_time" else []
    wanted += _as_recommended(understanding, need, results)
    done = [PlannedCall(tool=record.tool, request=record.request) for record in results]
    fresh = [call for call in distinct(wanted) if call not in done]
    return fresh[: max(0, CALLS_MAX - len(results))]


def _widest_held(calls: Sequence[PlannedCall | None]) -> list[PlannedCall | None]:
    """The calls less the sizes of formats narrower than one that the card holds."""
    kept: list[PlannedCall | None] = []
    settled = False
    for call in calls:
        sizes = call is not None and call.tool == "estimate_memory"
        if not (sizes and settled):
            kept.append(call)
        settled = settled or (sizes and own_files.held(call))
    return kept


def _following(
    understanding: Understanding, need: Need, record: ToolCallRecord, usable: int | None
) -> list[PlannedCall | None]:
    """What one estimate calls for: its speed where it fits, cheaper ways where it does not."""
    asked, verdict = intents(understanding)[0], outcome(record, usable)
    wanted: list[PlannedCall | None] = [on_enough(need, record)] if asked == "how_many_gpus" else []
    if duration.asked(understanding, need):
        wanted += [_fast(understanding, need, call.request) for call in wanted if call is not None]
    if verdict in {"yes", "tight"} and asked in _FASTER:
        wanted.append(_fast(understanding, need, record.request))
    timed = asked == "can_it_run" or (asked == "training_time" and verdict == "no")
    wanted.append(_trains_at(understanding, need, record) if timed else None)
    if asked == "concurrency":
        wanted += _crowded(need, record)
    cramped = verdict == "tight" and record.request.get("task") == "lora"
    if verdict == "no" or asked == "oom" or (cramped and asked in _FASTER):
        wanted += _with_work(cheaper(need, record), understanding, need)
        if asked in _FASTER and model_kind(need) == "video":  # as long in a format that fits
            wanted.append(_fast(understanding, need, record.request))
        paced = "speed" in intents(understanding) and not own_files.asked(need, card_of(record.request))
        paced = paced and not raced.asked(understanding, need)  # each card is timed in a format that all hold
        wanted += _lighter_speeds(understanding, need, record) if paced else []
    return wanted


def _fast(understanding: Understanding, need: Need, held: dict[str, Any]) -> PlannedCall | None:
    """The speed of what fits, as its memory was asked for, and how long the work takes that was stated."""
    card, used = card_of(held), held.get("weight_format")
    amount = duration.work(need, understanding.text)
    return requests.speed(need, card, used, text=_said(understanding, need, amount), **amount)


def _with_work(
    calls: Sequence[PlannedCall | None], understanding: Understanding, need: Need
) -> list[PlannedCall | None]:
    """The calls, with how long the work takes that was stated in those that ask for a speed."""
    amount = duration.work(need, understanding.text) if duration.asked(understanding, need) else {}
    timed = (one is not None and one.tool == "estimate_inference_speed" for one in calls)
    return [
        planned(one.tool, **(one.request | amount)) if one is not None and fast and amount else one
        for one, fast in zip(calls, timed, strict=True)
    ]


def _said(understanding: Understanding, need: Need, amount: dict[str, object]) -> str:
    """The asker's words where they say how much is to be done, by when, or ask how much comes out; else none."""
    spoken = amount or need.deadline_s or span_s(need, understanding.text)
    return understanding.text if spoken else ""


def _trains_at(understanding: Understanding, need: Need, record: ToolCallRecord) -> PlannedCall | None:
    """How fast a language model trains, or how long where its data are stated, in the way that the cards hold it."""
    training = requests.is_training(need) and record.request.get("task") == need.task
    card = card_of(record.request)
    if not training or card is None or model_kind(need) not in {"llm", "vlm", None}:
        return None
    changes = held_training.way(need, record)
    if changes is None or ("task" in changes and NO_ADAPTERS.search(understanding.text)):
        return None
    return requests.training_time(need, card, text=understanding.text, **changes)


def _trained_on(
    understanding: Understanding, need: Need, results: Sequence[ToolCallRecord]
) -> list[PlannedCall | None]:
    """How long a training takes on the cards to order where those are asked for too, else on some that hold it."""
    best = next((one for one in _bills(understanding, need, results) if len(one.cards) < 2), None)
    if best is None or requests.cards(need) or not _HARDWARE.intersection(understanding.asks):
        return trained_on(need, results, understanding.text)
    return [duration.training_on(need, understanding.text, best)]


def _files(understanding: Understanding, need: Need, results: Sequence[ToolCallRecord]) -> list[PlannedCall | None]:
    """Launch files of the configuration found first, where none were made; for cards that were named of the file
    that they hold as the asker's own."""
    made = any(record.tool == "make_launch_files" and "error" not in record.result for record in results)
    if made or intents(understanding)[0] != "launch_files":
        return []
    if requests.cards(need):
        first = next((record for record in estimates(results) if record.request.get("gpu")), None)
        card = card_of(first.request) if first else None
        file = own_files.best_of(need, first, card) if first else None
        return [launch(need, understanding.text, card, weight_format=file)] if file else []
    best = next(iter(preferred(_found(results), understanding.text.lower(), need)), None)
    return [launch_of(need, understanding.text, best)] if best else []


def _power_of_best(
    need: Need, understanding: Understanding, results: Sequence[ToolCallRecord]
) -> list[PlannedCall | None]:
    """What the machine draws that would be bought for the work, where no card was named."""
    best = next((one for one in _bills(understanding, need, results) if one.acquisition == "buy"), None)
    if best is None:
        return []
    cards = (GpuCount(gpu=best.gpu, count=best.gpu_count),)
    return money.power(need.model_copy(update={"gpus_owned": cards}), understanding)


def _with_offers(need: Need, results: Sequence[ToolCallRecord]) -> Need:
    """The need with any provider where the one that was named offers none of the cards."""
    asked = [one for one in results if one.tool == "find_offers" and one.request.get("provider")]
    nothing = bool(asked) and not any(one.result.get("offers") for one in asked)
    return need.model_copy(update={"provider": None}) if nothing else need


def _bills(understanding: Understanding, need: Need, results: Sequence[ToolCallRecord]) -> list[Configuration]:
    """What could be bought, as the answer would order it."""
    return preferred(_found(results), understanding.text.lower(), need)


def _beside_best(
    understanding: Understanding, need: Need, results: Sequence[ToolCallRecord]
) -> list[PlannedCall | None]:
    """The data sheets of what was put forward and of the cards next to it, where the reason is asked."""
    best = next(iter(_bills(understanding, need, results)), None)
    if understanding.command != "why" or best is None or requests.named_gpus(need):
        return []
    return [requests.gpu_facts(need, names=(best.gpu, *neighbours.around(best)))]


def _found(results: Sequence[ToolCallRecord]) -> list[Configuration]:
    """The configurations of every search."""
    return [
        Configuration.model_validate(row)
        for record in results
        if record.tool == "configure" and "error" not in record.result
        for row in record.result.get("configurations") or ()
    ]


def _crowded(need: Need, record: ToolCallRecord) -> list[PlannedCall | None]:
    """Memory and speed with as many requests at once as the cards hold: what fits is not yet what is fast enough."""
    most = (record.result.get("fit") or {}).get("max_concurrent_sequences") or 0
    if most <= (record.request.get("concurrent_sequences") or 1):
        return []
    full = need.model_copy(update={"concurrent_sequences": most, "users": None})
    card, used = card_of(record.request), record.request.get("weight_format")
    laid: dict[str, Any] = {name: record.request.get(name) for name in raced.LAYOUT}
    return [requests.memory(full, card, weight_format=used, **laid), requests.speed(full, card, used, **laid)]


def _paced_on_all(
    understanding: Understanding, need: Need, results: Sequence[ToolCallRecord], usable: int | None
) -> list[PlannedCall | None]:
    """The speed in lighter formats on all the cards in hand, where what would be run on them leaves some idle."""
    first = next((one for one in estimates(results) if one.request.get("gpu") and outcome(one, usable) == "no"), None)
    card = card_of(first.request) if first else None
    if first is None or card is None or own_files.asked(need, card) or not need.gpus_owned:
        return []
    kept = [one for one in _found(results) if one.gpu == card.gpu and one.owned_count >= one.gpu_count]
    idle = kept and all(one.gpu_count < (card.count or 1) for one in kept)
    return _lighter_speeds(understanding, need, first) if idle else []


def _lighter_speeds(understanding: Understanding, need: Need, record: ToolCallRecord) -> list[PlannedCall | None]:
    """How fast it is in the formats that may fit: the speed of what does not fit is nobody's."""
    card = card_of(record.request)
    used = record.result.get("weight_format") or record.request.get("weight_format")
    if card is None or requests.is_training(need):
        return []
    amount = duration.work(need, understanding.text)
    words = _said(understanding, need, amount)
    return [
        requests.speed(need, card, name, text=words, **amount) for name in smaller_formats(used, need.engine, card.gpu)
    ]


def _as_many_as_needed(
    understanding: Understanding, need: Need, results: Sequence[ToolCallRecord], usable: int | None
) -> list[PlannedCall | None]:
    """Memory and speed on as many of each card compared as the work takes, where that is asked or where no single one
    would hold it even in four bits; none where numbers of cards were stated."""
    firsts = {record.request["gpu"]: record for record in reversed(estimates(results)) if record.request.get("gpu")}
    stated = any(card.count for card in requests.compared(need))
    missed = all(outcome(record, usable) == "no" for record in firsts.values())
    if stated or len(firsts) < 2 or not missed or requests.is_training(need):
        return []
    calls: list[PlannedCall | None] = []
    for record in firsts.values():
        held = on_enough(need, record)
        card = card_of(held.request) if held else None
        wide = bits(record.result.get("weight_format")) / FOUR_BITS
        if held is None or card is None:
            return []
        if not _HOW_MANY.search(understanding.text) and (card.count or 1) <= wide:
            return []
        laid: dict[str, Any] = {name: held.request.get(name) for name in raced.LAYOUT}
        calls += [held, requests.speed(need, card, record.result.get("weight_format"), **laid)]
    return calls


def _lighter_purchase(need: Need, results: Sequence[ToolCallRecord]) -> list[PlannedCall | None]:
    """When no hardware is within reach of a way to fine-tune, hardware for the lighter ways."""
    empty = any(record.tool == "configure" and record.result.get("configurations") == [] for record in results)
    if not empty or need.task not in TRAINING_LADDER:
        return []
    lighter = requests.lighter_tasks(need, need.task)
    return [
        call for task in lighter for call in (requests.configure(need, task=task), requests.memory(need, task=task))
    ]


def _as_recommended(
    understanding: Understanding, need: Need, results: Sequence[ToolCallRecord]
) -> list[PlannedCall | None]:
    """The memory of what will be recommended, as it is laid out there: its format, and its share on each GPU."""
    if intents(understanding)[0] not in _SHOPPING or len(requests.named_gpus(need)) > 1:
        return []
    best = next(iter(preferred(_found(results), understanding.text.lower(), need)), None)
    if need.purpose and not requests.sized(need):
        taken = (record.result.get("model") for record in results if record.tool == "configure")
        need = need.model_copy(update={"model": next(taken, None)})
    if best is None or (not requests.is_training(need) and best.data_parallel > 1):
        return []
    layout: dict[str, object] = {
        "tensor_parallel": best.tensor_parallel,
        "pipeline_parallel": best.pipeline_parallel,
        "data_parallel": best.data_parallel,
        "expert_parallel": best.expert_parallel,
    }
    if requests.is_training(need):
        layout["sharding"] = best.sharding
    elif best.kv_format is not None:
        layout["kv_format"] = best.kv_format
    card = GpuCount(gpu=best.gpu, count=best.tensor_parallel * best.pipeline_parallel * best.data_parallel)
    return [requests.memory(need, card, weight_format=best.weight_format, task=None, **layout)]


def _first_on_each(records: Sequence[ToolCallRecord]) -> list[ToolCallRecord]:
    """The first estimate of each format and method on each kind of card: others only vary the number of cards."""
    kept: dict[tuple[object, ...], ToolCallRecord] = {}
    for record in records:
        request = record.request
        kept.setdefault((request.get("gpu"), request.get("weight_format"), request.get("task")), record)
    return list(kept.values())


def _nothing_fits(results: Sequence[ToolCallRecord], usable: int | None) -> bool:
    verdicts = [outcome(record, usable) for record in estimates(results)]
    return bool(verdicts) and all(verdict == "no" for verdict in verdicts)

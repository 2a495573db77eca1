"""The first wave: which tools each intent needs, from the Need alone."""

from collections.abc import Callable, Sequence

from assistant.plan import (
    card_claims,
    clips,
    duration,
    growing,
    interface,
    keeping_up,
    link,
    money,
    needless,
    of_each,
    particular,
    pictured,
    purse,
    rent_or_buy,
    requests,
    served,
    several,
    together,
    unsold,
)
from assistant.plan.amounts import model_kind
from assistant.plan.call import PlannedCall, planned
from assistant.plan.formats import native_format, smaller_formats
from assistant.plan.guidance import guidance
from assistant.plan.intents import intents, shares_with_host
from assistant.plan.launch import ACCEPTANCE, FILES, launch
from assistant.plan.method import other_ways, unsaid
from assistant.plan.mixture import by_layers
from assistant.plan.pasted import pasted
from assistant.plan.provisional import chinese_cards, compared_formats, provisional
from assistant.plan.smaller import smaller
from assistant.plan.tiers import tiers, unsized_purchase
from assistant.plan.usual import with_usual
from assistant.plan.wave import distinct, first_of, in_turn
from assistant.plan.ways import only
from assistant.understand.errors import is_oom
from assistant.understanding import Understanding
from kb.catalog import gpu
from tools.need import GpuCount, Intent, Need
from tools.oom.cause import signature_of
from tools.oom.quantities import folded

CALLS_MAX = 16
"""Calls of one turn, both waves together: what fits in the time a person waits."""
BOARD = 8
"""Modules of one server."""
CARDS_MAX = 3
"""Kinds of card looked at one by one."""
PACED_MAX = 4
"""Kinds of card whose speed alone is asked for: the second wave times those that the first has no room for."""

Calls = list[PlannedCall | None]
_MAY_WANT_FILES = ("can_it_run", "min_vram", "how_many_gpus", "concurrency", "context_length", "guidance", "other")
"""Intents under which words for files ask for files; others only mention them."""


def plan(understanding: Understanding) -> list[PlannedCall]:
    """The calls to make first; none for what is not the advisor's business."""
    if understanding.out_of_scope or understanding.command == "thanks":
        return []
    understanding = with_usual(understanding)
    need = provisional(understanding)
    if understanding.workloads:
        return [*distinct(several.sizes(understanding, need)), *distinct([guidance(understanding)])]
    if together.asked(understanding):
        return _of_several(understanding, need)
    if own := distinct(particular.calls(understanding, need)):
        return own
    if interface.asked(understanding):
        return []
    wanted: Calls = [guidance(understanding)]
    if requests.sized(need) and not requests.cards(need):
        wanted.append(requests.what_fits(need, understanding.text))
    if card_claims.misjudged(understanding, need) or unsold.unsold(understanding, need):
        wanted.append(requests.gpu_facts(need))
    if pair := card_claims.likened(understanding):
        wanted.append(requests.gpu_facts(need, names=pair))
    wanted += [call for call in pasted(understanding, need) if call is not None]
    if understanding.error_text and "oom" not in intents(understanding) and not shares_with_host(understanding):
        known = signature_of(folded(understanding.error_text))
        wanted.append(_diagnosis(need, understanding, _as_it_ran(need)) if known else None)
    wants_files = FILES.search(understanding.text) or ACCEPTANCE.search(understanding.text)
    if wants_files and not understanding.error_text and intents(understanding)[0] in _MAY_WANT_FILES:
        wanted.append(launch(need, understanding.text))
    compared = (requests.memory(need, next(iter(requests.cards(need)), None), weight_format=name)
                for name in compared_formats(understanding))  # fmt: skip
    wanted += compared
    wanted += in_turn(_BY_INTENT.get(intent, _guidance_only)(need, understanding) for intent in intents(understanding))
    calls = distinct(wanted)
    looked_up, rest = calls[:1], calls[1:]
    return (first_of(rest) + looked_up) if rest else looked_up


def _of_several(understanding: Understanding, need: Need) -> list[PlannedCall]:
    """The memory of each of several models, with what the cards are known to hold where only their size was said."""
    usable = None if requests.cards(need) else requests.what_fits(need, understanding.text)
    beside, apart = understanding.beside, together.apart_calls(understanding, need)
    each = together.beside_calls(understanding, need) if beside else apart
    return distinct([usable, *each, *_check(need, understanding), guidance(understanding)])[:CALLS_MAX]


def _can_it_run(need: Need, understanding: Understanding) -> Calls:
    if not requests.sized(need):
        return _what_fits(need, understanding)
    if not requests.cards(need):
        return _min_vram(need, understanding)
    if chinese_cards(understanding):
        return _how_many(need, understanding)
    return [
        _together(need),
        *_on_each_card(need),
        needless.in_four_bits(need, understanding),
        *_check(need, understanding),
        smaller(need),
        requests.configure(need),
    ]


def _together(need: Need) -> PlannedCall | None:
    """Different cards that an engine needs equal: all of them at the size of the smallest."""
    if len(need.gpus_owned) < 2 or requests.is_training(need) or by_layers(need):
        return None
    smallest = min(need.gpus_owned, key=lambda card: gpu(card.gpu).usable_bytes)
    return requests.memory(need, GpuCount(gpu=smallest.gpu, count=sum(card.count or 1 for card in need.gpus_owned)))


def _on_each_card(need: Need, among: Sequence[GpuCount] | None = None) -> Calls:
    """The workload on each kind of card; adapters, which run as copies, also on a single one."""
    cards = (requests.cards(need) if among is None else among)[:CARDS_MAX]
    calls = [requests.memory(need, card) for card in cards]
    copied = need.task in {"lora", "qlora"} and need.sharding is None
    singles = [card for card in cards if copied and (card.count or 1) > 1][:1]
    return calls + [requests.memory(need, card.model_copy(update={"count": 1})) for card in singles]


def _min_vram(need: Need, understanding: Understanding) -> Calls:
    """Every usual format when none is stated: "how much for 70B" has no one answer."""
    if not requests.sized(need):
        return _what_fits(need, understanding)
    card = next(iter(requests.cards(need)), None)
    first = requests.memory(need, card)
    if requests.is_training(need):
        others = pictured.beside(need, understanding, card, other_ways(understanding, need))
    elif model_kind(need) in ("diffusion", "video") and need.offload is None:
        smaller = smaller_formats(need.weight_format, need.engine) if need.weight_format is None else ()
        turns = [] if clips.program(need, card) else [requests.memory(need, card, offload="components")]
        others = turns + [requests.memory(need, card, weight_format=name) for name in smaller[-len(turns) :]]
    elif need.weight_format is None and model_kind(need) != "vision":
        names = smaller_formats(native_format(need.model), need.engine, card.gpu if card else None)
        names = (*names, *(("gguf:MXFP4",) if native_format(need.model) == "mxfp4" and not need.engine else ()))
        others = [requests.memory(need, card, weight_format=name) for name in names]
    else:
        others = []
    return [first, *others, *_check(need, understanding), requests.configure(need)]


def _how_many(need: Need, understanding: Understanding) -> Calls:
    if not requests.sized(need):
        return _which_to_buy(need, understanding)
    asked = [GpuCount(gpu=card.gpu, count=card.count) for card in requests.cards(need)][:1]
    if (kept_up := keeping_up.calls(need, understanding)) is not None:
        return kept_up
    if served.asked(understanding):
        return [*served.calls(need, understanding), *_check(need, understanding)]
    if not asked:
        return _min_vram(need, understanding)
    stated = need.weight_format is not None
    smaller = () if stated else smaller_formats(None, need.engine, asked[0].gpu)[-1:]
    variants = () if requests.is_training(need) else smaller
    ways = other_ways(understanding, need) if unsaid(understanding, need) else ()
    return [
        requests.memory(need, asked[0]),
        _hours(need, asked[0]),
        *(requests.memory(need, asked[0], weight_format=name) for name in variants),
        *(requests.memory(need, asked[0], task=task) for task in ways),
        *_check(need, understanding),
        requests.configure(need),
    ]


def _hours(need: Need, card: GpuCount) -> PlannedCall | None:
    """GPU-hours of a training whose data are stated: what a deadline is divided into."""
    if need.dataset_tokens is None or not requests.is_training(need):
        return None
    return planned(
        "estimate_training_time", **(need.model_dump(exclude={"intent"}) | {"gpu": card.gpu, "gpu_count": card.count})
    )


def _which_to_buy(need: Need, understanding: Understanding) -> Calls:
    if unsized_purchase(need):
        return [*tiers(need, understanding), *_check(need, understanding)]
    calls: Calls = []
    if need.provider or only(understanding.text, need) == "rent":
        card = next(iter(requests.cards(need)), None)
        calls.append(requests.offers(need, card.gpu if card else None, card.count if card else None))
    if len(requests.named_gpus(need)) > 1 and not chinese_cards(understanding):
        calls.append(requests.comparison(need))
        calls += _on_each_card(need, requests.compared(need))
    elif requests.sized(need):
        card = next(iter(requests.cards(need)), None)
        ways = other_ways(understanding, need) if unsaid(understanding, need) else ()
        calls.append(requests.memory(need, card))
        calls += [requests.memory(need, card, task=task) for task in ways]
    calls.append(
        requests.configure(
            need,
            max_power_w=money.power_left(understanding.text),
            whole_budget=purse.whole(need, understanding) or None,
        )
    )
    calls += growing.calls(understanding, need)
    if not requests.sized(need):
        calls.append(requests.gpu_facts(need))
    return calls + _check(need, understanding)


def _compare(need: Need, understanding: Understanding) -> Calls:
    calls: Calls = [requests.comparison(need)]
    if len(requests.named_gpus(need)) < 2:
        calls.append(requests.gpu_facts(need))
    if requests.sized(need):
        calls += _on_each_card(need, requests.compared(need))
        calls.append(requests.configure(need))
    return [*calls, *of_each.rents(need, understanding), *_check(need, understanding)]


def _spec(need: Need, understanding: Understanding) -> Calls:
    return [requests.gpu_facts(need), *_check(need, understanding)]


def _interconnect(need: Need, understanding: Understanding) -> Calls:
    """What several cards bring over one, beside the facts of those named; their memory follows in the second wave."""
    paced = link.calls(need, understanding)
    example = link.of(need, understanding) if paced else need
    return [*paced, requests.gpu_facts(need), *_check(example, understanding)]


def _power(need: Need, understanding: Understanding) -> Calls:
    if requests.cards(need) or not requests.sized(need):
        return [*money.power(need, understanding), requests.gpu_facts(need)]
    return [requests.configure(need, max_power_w=money.power_left(understanding.text))]


def _speed(need: Need, understanding: Understanding) -> Calls:
    alone = intents(understanding)[0] == "speed"
    most = PACED_MAX if alone else CARDS_MAX
    card, *others = requests.compared(need)[:most] or requests.cards(need)[:1] or (None,)
    amount = duration.to_write(need, understanding.text)
    placed = [requests.memory(need, other) for other in others]
    timed = [requests.speed(need, other, None, text=understanding.text, **amount) for other in others]
    return [
        requests.speed(need, card, None, text=understanding.text, **amount),
        requests.memory(need, card),
        *([*placed, *timed] if alone else [*timed, *placed]),
        requests.comparison(need) or requests.gpu_facts(need),
        requests.configure(need) if requests.sized(need) and card is None else None,
        *_check(need, understanding),
    ]


def _training_time(need: Need, understanding: Understanding) -> Calls:
    card = next(iter(requests.cards(need)), None)
    if card is not None and card.count is None and "how_many_gpus" in understanding.asks and need.dataset_tokens:
        return _timed_by_number(need, card, understanding)
    if ways := duration.either(need):
        return [*duration.on_each(need, ways, understanding), requests.comparison(need), *_check(need, understanding)]
    return [
        requests.training_time(need, card, text=understanding.text),
        money.cost(need, understanding) if money.prices_run(understanding.text, need) else None,
        requests.memory(need, card, task=need.task if requests.is_training(need) else "full_finetune"),
        requests.comparison(need) or requests.gpu_facts(need),
        requests.configure(need) if requests.sized(need) and card is None else None,
        *_check(need, understanding),
    ]


def _timed_by_number(need: Need, card: GpuCount, understanding: Understanding) -> Calls:
    """The time on one machine of the card and on two and four, and the memory on one."""
    board = BOARD if gpu(card.gpu).form_factor.upper().startswith(("SXM", "OAM")) else 1
    ways = [card.model_copy(update={"count": board * machines}) for machines in (1, 2, 4)]
    times = [requests.training_time(need, way, text=understanding.text) for way in ways]
    return [times[0], requests.memory(need, ways[0]), *times[1:]]


def _serving(need: Need, understanding: Understanding) -> Calls:
    """Concurrency and context: what the cards hold, and what would hold what was asked."""
    if not requests.sized(need):
        return _what_fits(need, understanding)
    card = next(iter(requests.cards(need)), None)
    if card is None:
        return _min_vram(need, understanding)
    return [
        requests.memory(need, card),
        requests.configure(need),
        requests.speed(need, card),
        *_check(need, understanding),
    ]


def _budget(need: Need, understanding: Understanding) -> Calls:
    asked = money.asks_cost(understanding.text) or money.asks_price(understanding.text, need)
    worked_out = money.cost(need, understanding) if asked else None
    return [worked_out, *_which_to_buy(need, understanding)]


def _cloud_or_buy(need: Need, understanding: Understanding) -> Calls:
    if of_each.asks_price(understanding):
        return _compare(need, understanding)
    return [*rent_or_buy.calls(need, understanding), *growing.calls(understanding, need), *_check(need, understanding)]


def _compatibility(need: Need, understanding: Understanding) -> Calls:
    calls = _check(need, understanding)
    if requests.sized(need):
        calls += _on_each_card(need) or [requests.memory(need)]
    return [*calls, requests.gpu_facts(need)]


def _oom(need: Need, understanding: Understanding) -> Calls:
    """What the workload holds as it was run; the cheaper settings follow once that is known."""
    ran = _as_it_ran(need)
    others = requests.compared(need)[len(need.gpus_owned) :] if need.gpus_owned else ()
    return [
        _diagnosis(need, understanding, ran),
        *ran,
        *(requests.memory(need, card) for card in others[:CARDS_MAX]),
        *_check(need, understanding),
        requests.gpu_facts(need),
    ]


def _diagnosis(need: Need, understanding: Understanding, ran: Calls) -> PlannedCall | None:
    """The text together with the settings that its memory is worked out with."""
    settings = next((call.request for call in ran if call is not None), {})
    text = understanding.error_text or (understanding.text if is_oom(understanding.text.lower()) else None)
    if text is None and not settings:
        return None
    count = sum(card.count or 1 for card in requests.cards(need) if card.gpu == settings.get("gpu", card.gpu))
    return planned("diagnose_oom", **settings, error_text=text, gpu_count=count or need.gpu_count)


def _launch(need: Need, understanding: Understanding) -> Calls:
    """The files, and what they rest on: the fit, and hardware where none was named."""
    return [launch(need, understanding.text), *_can_it_run(need, understanding)]


def _as_it_ran(need: Need) -> Calls:
    """On the cards it failed on, or on none; an adapter also on one card, since each card holds a copy."""
    on_cards = _on_each_card(need)
    copies = len(on_cards) - min(len(requests.cards(need)), CARDS_MAX)
    return [*on_cards[:1], *(on_cards[-copies:] if copies else [])] or [requests.memory(need)]


def _what_fits(need: Need, understanding: Understanding) -> Calls:
    fits = requests.what_fits(need, understanding.text)
    return [fits, *_check(need, understanding)] if fits else _which_to_buy(need, understanding)


def _check(need: Need, understanding: Understanding) -> Calls:
    """Whether the cards support the format, the software and whatever else the question names."""
    asked = understanding.need
    named = need.model_copy(update={"engine": asked.engine, "weight_format": asked.weight_format or need.weight_format})
    return [requests.compatibility(named if asked.engine != need.engine else need, understanding.text)]


def _guidance_only(need: Need, understanding: Understanding) -> Calls:
    calls: Calls = [requests.gpu_facts(need), *_check(need, understanding)]
    if requests.sized(need):
        calls += _on_each_card(need) or [requests.memory(need)]
    return [*calls, requests.configure(need)] if by_layers(need) else calls


_BY_INTENT: dict[Intent, Callable[[Need, Understanding], Calls]] = {
    "can_it_run": _can_it_run,
    "how_many_gpus": _how_many,
    "min_vram": _min_vram,
    "which_to_buy": _budget,
    "compare": _compare,
    "spec": _spec,
    "speed": _speed,
    "training_time": _training_time,
    "concurrency": _serving,
    "context_length": _serving,
    "budget": _budget,
    "cloud_or_buy": _cloud_or_buy,
    "compatibility": _compatibility,
    "oom": _oom,
    "interconnect": _interconnect,
    "power": _power,
    "launch_files": _launch,
    "what_fits": _what_fits,
    "guidance": _guidance_only,
    "other": _guidance_only,
}

"""What a buyer weighs besides the price: head-room, a budget that holds at the upper end, every card that was named."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kb.market.rates import usd
from tools.configure.load.precision import precision_lost
from tools.configure.tell.tiers import (
    Ask,
    Order,
    amount,
    differences,
    in_hand,
    memory,
    speed,
    sure,
    whole,
)
from tools.named import read_card

LEADS = ("recommended", "best to buy")
"""Tiers of the purchase that stands first."""
FILLED = 0.85
"""Share of a card's memory from which the next longer prompt, or the next model, does not fit."""
ROOM = 2
"""Times the context that an order with room holds as well."""
ROOM_FOR = 2.5
"""Times the price beyond which room for more is a purchase of another class."""
ROOM_PACE = 0.7
"""Share of the pace that room may cost: what does not fit has no pace at all."""
TRIED_MAX = 2
USUAL_CONTEXT = 8192
"""Tokens that are reckoned where no context was stated."""
SWAP_FOR = 1.5
"""Times the price of further cards at which one larger card in their place is the better purchase: it takes one slot,
and one process of one card needs no layout."""


def weighed(orders: Sequence[Order], asked: Mapping[str, Any], ask: Ask) -> list[dict[str, Any]]:
    """The orders with the purchase that a buyer would place first.

    Of purchases within a sum that was stated, one that is whole leads before cards alone, one that stays within it at
    its upper price before one that does not, and one with room left before one that is just filled. Where cards of
    one's own would take more beside them, one larger card in their place, where it costs little more.
    """
    told = _swapped([dict(one) for one in orders], asked, ask)
    limit = _limit(asked)
    if limit is None or asked.get("task") not in {None, "inference"} or asked.get("gpus_owned"):
        return told
    return _roomy(_affordable(_orderable(told, limit), limit), asked, ask, limit)


def instead(asked: Mapping[str, Any], ask: Ask) -> list[dict[str, Any]]:
    """What else is sold for the work, where none of the cards that were named can be had or holds it."""
    if not asked.get("gpus_asked"):
        return []
    found = ask({**asked, "gpus_asked": []})
    return [{**one, "tier": "instead of the cards named"} for one in (found or {}).get("configurations", ())[:2]]


def every_named(orders: Sequence[Order], asked: Mapping[str, Any], ask: Ask) -> list[dict[str, Any]]:
    """The same with an order of each card that was named, and of each only one beyond those that have a rank."""
    named = [read_card(name)[0].id for name in asked.get("gpus_asked") or ()]
    told = [dict(one) for one in orders]
    if len(named) < 2:
        return told
    ranked = [one for one in told if one["tier"] != "also"]
    seen = {one["gpu"] for one in ranked}
    return [*ranked, *_missing([card for card in named if card not in seen], asked, ask)]


def _missing(cards: Sequence[str], asked: Mapping[str, Any], ask: Ask) -> Iterator[dict[str, Any]]:
    for card in cards:
        found = ask({**asked, "gpus_asked": [card], "max_results": 1})
        for one in (found or {}).get("configurations", ())[:1]:
            yield {**one, "tier": "also"}


def _limit(asked: Mapping[str, Any]) -> float | None:
    """The sum stated for a purchase, in dollars."""
    budget = asked.get("budget")
    if not budget or budget.get("period"):
        return None
    return float(usd(budget["amount"], budget["currency"]))


def _lead(orders: Sequence[Order]) -> Order | None:
    found = next((one for one in orders if one["tier"] in LEADS), None)
    return found if found is not None and found["acquisition"] == "buy" and not in_hand(found) else None


def _led(orders: list[dict[str, Any]], lead: Order, other: Order) -> list[dict[str, Any]]:
    """`other` in the place of the lead, which is told after it by what it lacks or adds; the rest without a rank."""
    dearer = amount(lead) > amount(other)
    side = "adds" if dearer else "gives_up"
    behind = {
        **lead, "tier": "stronger" if dearer else "cheaper", side: differences(lead, other, better=dearer),
    }  # fmt: skip
    rest = [one for one in orders if one is not lead and one["title"] != other["title"]]
    kept = [
        {**{name: value for name, value in one.items() if name not in {"adds", "gives_up"}}, "tier": "also"}
        if one["tier"] in {"cheaper", "stronger"} else one
        for one in rest
    ]  # fmt: skip
    place = next(number for number, one in enumerate(orders) if one is lead)
    first = {name: value for name, value in other.items() if name not in {"adds", "gives_up"}}
    return [*kept[:place], {**first, "tier": lead["tier"]}, behind, *kept[place:]]


def _orderable(orders: list[dict[str, Any]], limit: float) -> list[dict[str, Any]]:
    """With what can be ordered whole within the limit before cards for a computer that would have to be there."""
    lead = _lead(orders)
    if lead is None or whole(lead):
        return orders
    found = (one for one in orders if one["acquisition"] == "buy" and whole(one) and sure(one) and _high(one) <= limit)
    other = next(found, None)
    return orders if other is None else _led(orders, lead, other)


def _affordable(orders: list[dict[str, Any]], limit: float) -> list[dict[str, Any]]:
    """With an order first whose upper price is within the limit, where one does as well as the lead."""
    lead = _lead(orders)
    if lead is None or not whole(lead) or _high(lead) <= limit:
        return orders
    other = next((one for one in orders if one["acquisition"] == "buy" and _holds(one, lead, limit)), None)
    return orders if other is None else _led(orders, lead, other)


def _holds(one: Order, lead: Order, limit: float) -> bool:
    """Whether it is priced whole within the limit and is no slower, coarser or smaller than the lead."""
    alike = one["weight_format"] == lead["weight_format"] and one["gpu_count"] <= lead["gpu_count"]
    good = speed(one) >= speed(lead) and memory(one) >= memory(lead)
    return one is not lead and whole(one) and sure(one) and _high(one) <= limit and alike and good


def _roomy(orders: list[dict[str, Any]], asked: Mapping[str, Any], ask: Ask, limit: float) -> list[dict[str, Any]]:
    """With an order first that has room left, where the lead is filled and the money suffices.

    A larger card is looked for first, then whatever holds twice the context.
    """
    lead = _lead(orders)
    if lead is None or _share(lead) <= FILLED or asked.get("weight_format"):
        return orders
    card = math.ceil(float(lead["memory"]["needed_bytes_per_gpu"]) / FILLED)
    tokens = ROOM * (asked.get("context_tokens") or USUAL_CONTEXT)
    for changes in ({"card_memory_least_bytes": card}, {"context_tokens": tokens}):
        larger = ask({**asked, **changes, "acquisition": "buy"})
        fitting = [one for one in (larger or {}).get("configurations", ()) if _in_question(one, lead, limit)]
        for one in fitting[:TRIED_MAX]:
            other = _same(one, asked, ask)
            if other is not None and _roomier(other, lead):
                return _led(orders, lead, other)
    return orders


def _in_question(one: Order, lead: Order, limit: float) -> bool:
    """Whether it is another purchase within the limit; cards alone in no greater number, for they need a machine."""
    affordable = 0 < _high(one) <= limit and amount(one) <= ROOM_FOR * amount(lead)
    alike = whole(one) >= whole(lead) and (whole(one) or one["gpu_count"] <= lead["gpu_count"])
    return affordable and alike and sure(one) and one["title"] != lead["title"]


def _roomier(one: Order, lead: Order) -> bool:
    """Whether it has more room than the lead, at no worse a pace, in as fine weights and for a like price."""
    alike = precision_lost(one["weight_format"] or "", None) <= precision_lost(lead["weight_format"] or "", None)
    return alike and _share(one) < _share(lead) and speed(one) >= ROOM_PACE * speed(lead)


def _same(one: Order, asked: Mapping[str, Any], ask: Ask) -> Order | None:
    """The same purchase at the context that was asked for."""
    found = ask({**asked, "gpus_asked": [one["gpu"]], "max_gpus": one["gpu_count"], "acquisition": "buy"})
    same = ("gpu", "gpu_count", "title")
    return next(
        (each for each in (found or {}).get("configurations", ()) if all(each[name] == one[name] for name in same)),
        None,
    )


def _swapped(orders: list[dict[str, Any]], asked: Mapping[str, Any], ask: Ask) -> list[dict[str, Any]]:
    """With one larger card first for a computer that is there, where more of the cards in it would cost about as much.

    One with room left before one that is just filled.
    """
    lead = _lead(orders)
    if lead is None or not lead.get("owned_count") or asked.get("task") not in {None, "inference"}:
        return orders
    alone = {**asked, "gpus_owned": [], "acquisition": "buy", "max_gpus": 1, "objective": "cheapest"}
    tokens = asked.get("context_tokens") or USUAL_CONTEXT
    for context in (ROOM * tokens, tokens):
        found = ask({**alone, "context_tokens": context})
        cards = (_in_place(one, lead) for one in (found or {}).get("configurations", ()))
        other = next((one for one in cards if one is not None), None)
        held = _same(other, {**alone, "context_tokens": asked.get("context_tokens")}, ask) if other else None
        if held is not None:
            return _led(orders, lead, {**held, "machine_price": None, "price": {**held["price"], "complete": True}})
    return orders


def _in_place(one: Order, lead: Order) -> Order | None:
    """The order where it is a card alone that is second to the further cards in nothing but its price."""
    alone = not whole(one) and one.get("machine_price") and sure(one)
    finer = precision_lost(one["weight_format"] or "", None) <= precision_lost(lead["weight_format"] or "", None)
    alike = finer and one["gpu_count"] < lead["gpu_count"]
    return one if alone and alike and 0 < amount(one) <= SWAP_FOR * amount(lead) else None


def _share(one: Order) -> float:
    held = one.get("memory") or {}
    return float(held.get("needed_bytes_per_gpu") or 0) / float(held.get("usable_bytes_per_gpu") or 1)


def _high(one: Order) -> float:
    price = one.get("price") or {}
    return float(price.get("high") or price.get("amount") or 0)

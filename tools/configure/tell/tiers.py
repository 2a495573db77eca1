"""Orders as a buyer weighs them: what is recommended, what costs less and lacks something, what costs more and adds."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from tools.configure.load.precision import precision_lost
from tools.configure.market.choice import is_unsure
from tools.configure.rank.bands import HALF_FOR

Order = Mapping[str, Any]
"""A configuration of the result as JSON."""
Ask = Callable[[dict[str, Any]], Mapping[str, Any] | None]
"""Another search, of changed fields; null where it is refused."""

CHEAPER_FOR, DEARER_FOR = 0.9, 1.02
"""Shares of the recommended price below which an order is worth naming as cheaper, and above which one is dearer."""
QUICKER_FOR = 1.4
"""Times the speed from which an order is quicker by more than estimates are off."""
FINER_AT = 0.6
"""Share of the speed at which an order of finer weights is still the stronger one."""
SLOWER_FOR = 0.85
ENOUGH_AT, FAR_BELOW = 0.5, 0.2
"""Shares of the price at which what meets a stated speed, or a bearable one where none was stated, goes before what
exceeds it."""
WANTED_FOR = 1.6
"""Times the speed of what is recommended that a stronger order is looked for at."""
SMALL_BITS = 4
"""Loss of precision that a cheaper order may have: below four bits answers get markedly worse."""
MILLION = 1e6
LIMITS = ("budget", "max_power_w")


def tiers(orders: Sequence[Order], asked: Mapping[str, Any], ask: Ask) -> list[dict[str, Any]]:
    """The orders that are told, each with its `tier` and what it lacks or adds against the one recommended.

    What is in hand comes first, then of the way that leads what is recommended, what costs less and what does more,
    then the first of the other way, then what else was found. A cheaper and a stronger one are searched for where the
    result holds none: the least that it can cost at any speed, and 1.6 times the speed without a limit of money.
    """
    told = [{**one, "tier": "in hand"} for one in orders if in_hand(one)]
    open_ = [one for one in orders if not in_hand(one)]
    ways = list(dict.fromkeys(one["acquisition"] for one in open_))
    for place, way in enumerate(ways):
        lead = next(one for one in open_ if one["acquisition"] == way)
        told.append({**lead, "tier": "recommended" if place == 0 and not told else f"best to {way}"})
        if way == "buy" or len(ways) == 1:
            others = [one for one in open_ if one["acquisition"] == way and one is not lead]
            told += _around(lead, others, asked, ask)
    known = {one["title"] for one in told}
    return [*told, *({**one, "tier": "also"} for one in open_ if one["title"] not in known)]


def _around(lead: Order, others: list[Order], asked: Mapping[str, Any], ask: Ask) -> Iterator[dict[str, Any]]:
    """A cheaper and a stronger order beside the one recommended."""
    less = _least(lead, others)
    if less is None or not sure(less) or less.get("condition") == "used":
        less = _least(lead, [*others, *_searched(lead, asked, ask, cheaper=True)])
    if less is not None:
        yield {**less, "tier": "cheaper", "gives_up": differences(less, lead, better=False)}
    more = _most(lead, [*others, *_searched(lead, asked, ask, cheaper=False)])
    if more is not None:
        yield {**more, "tier": "stronger", "adds": differences(more, lead, better=True)}


def _searched(lead: Order, asked: Mapping[str, Any], ask: Ask, *, cheaper: bool) -> list[Order]:
    """What another search finds at any speed, or much quicker without a limit of money."""
    changes: dict[str, Any] = {"acquisition": lead["acquisition"], "max_results": 3, "gpus_owned": []}
    rate, time_s = speed(lead), _time(lead)
    if cheaper:
        changes |= {"objective": "cheapest", "target_tokens_per_s": None, "deadline_s": None}
    elif rate and (lead.get("speed") or {}).get("tokens_per_s_per_user"):
        changes |= {"target_tokens_per_s": float(f"{rate * WANTED_FOR:.2g}"), **dict.fromkeys(LIMITS)}
    elif time_s:
        changes |= {"deadline_s": time_s / WANTED_FOR, **dict.fromkeys(LIMITS)}
    else:
        return []
    found = ask({**asked, **changes})
    if cheaper:  # and what is sold new beside what is second-hand
        new = ask({**asked, **changes, "conditions": [*(asked.get("conditions") or ()), "new"]})
        found = {"configurations": [*(found or {}).get("configurations", ()), *(new or {}).get("configurations", ())]}
    return [one for one in (found or {}).get("configurations", ()) if one["acquisition"] == lead["acquisition"]]


def _least(lead: Order, others: Sequence[Order]) -> Order | None:
    """What costs least for what it is, of orders priced as whole as the lead and of four bits or more.

    amount · 1.3 ^ doublings of cards, and 1.3 each where it is second-hand and where nobody was read within a year to
    sell the cards at that price; what fits by the estimate only where nothing surely does
    """
    found = [
        one for one in others
        if amount(one) and amount(lead) and whole(one) >= whole(lead)
        and amount(one) < CHEAPER_FOR * amount(lead) and precision_lost(one["weight_format"] or "", None) <= SMALL_BITS
    ]  # fmt: skip
    return min([one for one in found if sure(one)] or found, key=_felt, default=None)


def _felt(one: Order) -> float:
    lacking = math.log2(one["gpu_count"] or 1) + (one.get("condition") == "used") + _aged(one)
    return amount(one) * math.pow(HALF_FOR, lacking)


def _aged(one: Order) -> bool:
    """Whether the price of its cards is undated or a year old."""
    days = [item.get("price_date") for item in one.get("items") or () if item["part"] in {"gpu", "system", "instance"}]
    return any(is_unsure(day) for day in days)


def _most(lead: Order, others: Sequence[Order]) -> Order | None:
    """The least dear that is finer or quicker and in nothing worse."""
    found = [one for one in others if amount(one) > DEARER_FOR * amount(lead) and whole(one) and _does_more(one, lead)]
    return min(found, key=_felt, default=None)


def _does_more(one: Order, lead: Order) -> bool:
    if (one.get("condition") == "used" and lead.get("condition") != "used") or (sure(lead) and not sure(one)):
        return False
    finer = _loss(one) < _loss(lead)
    coarser = _loss(one) > _loss(lead)
    rate, known, time_s, took = speed(one), speed(lead), _time(one), _time(lead)
    if rate and known:
        return not coarser and (rate >= QUICKER_FOR * known or (finer and rate >= FINER_AT * known))
    if time_s and took:
        return not coarser and time_s * QUICKER_FOR <= took
    return finer


def differences(one: Order, lead: Order, *, better: bool) -> str:
    """In what an order differs from the one recommended, the better or the worse sides first."""
    good, bad = list[str](), list[str]()
    if (one["weight_format"] or "") != (lead["weight_format"] or "") and _loss(one) != _loss(lead):
        side = good if _loss(one) < _loss(lead) else bad
        side.append(f"weights in {one['weight_format']} instead of {lead['weight_format']}")
    rate, known = speed(one), speed(lead)
    if rate and known and not SLOWER_FOR < rate / known < 1 / SLOWER_FOR:
        (good if rate > known else bad).append(f"{_round(rate)} instead of {_round(known)} tokens/s")
    if one.get("condition") != lead.get("condition"):
        (bad if one["condition"] == "used" else good).append(
            "second-hand, without a maker's warranty" if one["condition"] == "used" else "new, with a warranty"
        )
    if sure(lead) and not sure(one):
        bad.append("memory fits by the estimate only")
    if one["gpu_count"] != lead["gpu_count"]:
        (good if one["gpu_count"] < lead["gpu_count"] else bad).append(
            f"{one['gpu_count']} card{'s' if one['gpu_count'] > 1 else ''} instead of {lead['gpu_count']}"
        )
    held, had = memory(one), memory(lead)
    if held and had and not SLOWER_FOR < held / had < 1 / SLOWER_FOR:
        (good if held > had else bad).append(f"{held:.0f} instead of {had:.0f} GiB of card memory")
    return "; ".join([*good, *(f"but {one}" for one in bad)] if better else [*bad, *(f"yet {one}" for one in good)])


def _round(rate: float) -> str:
    """Three digits written out, no power of ten."""
    return f"{float(f'{rate:.3g}'):,.6g}" if rate < MILLION else f"{rate:,.0f}"


def in_proportion(orders: list[dict[str, Any]], most: float) -> list[dict[str, Any]]:
    """The same where another machine serves for less than `most` of the price: that is recommended then."""
    lead = next((one for one in orders if one["tier"] in {"recommended", "best to buy"}), None)
    other = next((one for one in orders if one["tier"] == "other machine"), None)
    if lead is None or other is None or amount(other) >= most * amount(lead) or lead["acquisition"] != "buy":
        return orders
    first = {**other, "tier": lead["tier"]}
    second = {**lead, "tier": "stronger", "adds": differences(lead, other, better=True)}
    rest = [one for one in orders if one is not lead and one is not other]
    place = orders.index(lead)
    of_lead = ("gives_up", "adds")  # what they were held against leads no more
    kept = [
        {**{name: value for name, value in one.items() if name not in of_lead}, "tier": "also"}
        if one["tier"] in {"cheaper", "stronger"} else one
        for one in rest
    ]  # fmt: skip
    return [*kept[:place], first, second, *kept[place:]]


def in_hand(one: Order) -> bool:
    """Whether nothing of it is bought or rented."""
    return bool(one.get("owned_count")) and one["owned_count"] >= (one.get("gpu_count") or 0)


def amount(one: Order) -> float:
    """Its price in dollars; 0 = none is known."""
    return float((one.get("price") or {}).get("amount") or 0)


def whole(one: Order) -> bool:
    """Whether every part of it has a price."""
    return bool((one.get("price") or {}).get("complete"))


def sure(one: Order) -> bool:
    """Whether the upper end of the estimate fits its memory."""
    return bool((one.get("memory") or {}).get("verdict") != "tight")


def speed(one: Order) -> float:
    """Tokens a second of every user, of a training those of all cards; 0 = not reckoned."""
    rates = one.get("speed") or {}
    return float(rates.get("tokens_per_s_per_user") or rates.get("tokens_per_s_total") or 0)


def memory(one: Order) -> float:
    """Usable GiB of all its cards."""
    return float((one.get("memory") or {}).get("usable_bytes_per_gpu") or 0) * (one.get("gpu_count") or 0) / 2**30


def _time(one: Order) -> float:
    return float((one.get("speed") or {}).get("time_s") or 0)


def _loss(one: Order) -> int:
    return precision_lost(one["weight_format"] or "", None)

"""As many of each card that was named as serve so many people at the pace that was set, and what renting them costs."""

from collections.abc import Sequence
from decimal import Decimal
from math import inf

from assistant.answer import ToolCallRecord
from assistant.plan import requests
from assistant.plan.amounts import model_kind
from assistant.plan.call import PlannedCall, planned
from assistant.plan.home import CURRENCIES
from assistant.plan.preferred import preferred
from assistant.plan.ways import only
from assistant.understanding import Understanding
from tools.configuration import Configuration
from tools.need import Need

MACHINE_FOR = Decimal("1.3")
"""Times the price of cards in several machines that one machine may cost: nobody strings them together."""
KINDS_MAX = 3
"""Kinds of card looked at one by one."""


def asked(understanding: Understanding) -> bool:
    """Whether the number of cards for a service is asked, its pace or its price with it: memory alone does not say."""
    need = understanding.need
    cards = requests.cards(need)
    if not 1 <= len(cards) <= KINDS_MAX or need.gpus_owned or any(card.count for card in cards):
        return False
    wanted = "how_many_gpus" in (need.intent, *understanding.asks)
    several = (need.concurrent_sequences or need.users or 1) > 1
    bound = need.target_tokens_per_s or need.target_latency_s or only(understanding.text, need) == "rent"
    language = model_kind(need) in ("llm", "vlm", None) and not requests.is_training(need)
    return bool(wanted and several and bound and language and requests.sized(need))


def calls(need: Need, understanding: Understanding) -> list[PlannedCall | None]:
    """The configurations of each kind of card, bought or rented as was said."""
    way = only(understanding.text, need)
    return [
        requests.configure(need, gpus_asked=(card.gpu,), gpus_proposed=(), acquisition=way)
        for card in requests.cards(need)
    ]


def bills(understanding: Understanding, need: Need, results: Sequence[ToolCallRecord]) -> list[PlannedCall | None]:
    """What the best of each kind comes to a month, where it is rented."""
    best = best_of_each(understanding, need, results)
    return [
        planned(
            "estimate_cost",
            gpu=one.gpu,
            gpu_count=one.gpu_count,
            acquisition="rent",
            rent_per_hour=float(told.amount),
            currency=told.currency if told.currency in CURRENCIES.values() else None,
            country=need.country,
            provider=need.provider,
        )
        for one in best
        if one.acquisition == "rent" and (told := one.price.asked_price or one.price).amount
    ]


def best_of_each(understanding: Understanding, need: Need, results: Sequence[ToolCallRecord]) -> list[Configuration]:
    """The configuration of each kind of card that one would order, cheapest kind first within each way to get them."""
    found = []
    for card in requests.cards(need):
        rows = [
            Configuration.model_validate(row)
            for record in results
            if record.tool == "configure"
            and record.request.get("gpus_asked") == [card.gpu]
            and "error" not in record.result
            for row in record.result["configurations"]
        ]
        ranked = preferred(rows, understanding.text.lower(), need)
        found += sorted(ranked[:1] + [one for one in ranked if _whole(one, ranked[0])], key=lambda one: one.nodes)[:1]
    return sorted(found, key=lambda one: (one.acquisition != "rent", one.price.amount or inf))


def _whole(one: Configuration, best: Configuration) -> bool:
    """Whether it is one machine in the place of several, had the same way for little more."""
    dear, least = one.price.amount, best.price.amount
    same = one.nodes == 1 < best.nodes and one.acquisition == best.acquisition
    return bool(same and dear and least and dear <= MACHINE_FOR * least)

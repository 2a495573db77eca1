"""Claims about results that are no figures: "cheapest" is held against what was on offer."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assistant.grounding.wording.cues import says
from assistant.grounding.wording.mentions import products
from assistant.grounding.wording.quantities import MONEY, quantities
from assistant.grounding.wording.statements import statements
from tools.agent_tools.ledger import LookedUp

PERIOD = re.compile(r"/(h|hour|day|month|year)\b")
CLEARLY = 0.9
"""A price has to be this much lower to make a claim wrong: intervals and days differ."""


@dataclass(frozen=True, slots=True)
class Priced:
    """Something on offer in a result."""

    key: str
    ids: frozenset[str]
    amount: float
    currency: str
    period: str
    name: str


def priced(looked_up: Sequence[LookedUp]) -> tuple[Priced, ...]:
    """Everything with a price in lists of results that hold several."""
    return tuple(one for each in looked_up if not each.failed for one in _walk(each.shown, each.key))


def false_superlatives(answer: str, looked_up: Sequence[LookedUp]) -> Iterator[tuple[str, str]]:
    """(statement, reason) for each claim of being the cheapest which the very list that it is from denies."""
    offers = priced(looked_up)
    for statement in statements(answer):
        named = products(statement.text) if says("cheapest", statement.text) else ()
        cards = [one for one in named if one.dimension == "card"]
        if len(cards) != 1:
            continue
        mine = [one for one in offers if one.ids & cards[0].ids]
        for own in mine:
            beside = [
                one for one in offers if (one.key, one.currency, one.period) == (own.key, own.currency, own.period)
            ]
            least = min(beside, key=lambda one: one.amount)
            best = min(one.amount for one in mine if one.key == own.key and one.period == own.period)
            if least.amount < best * CLEARLY:
                yield statement.text, f"{own.key} holds {least.name} for less"
                break


def _walk(value: Any, key: str) -> Iterator[Priced]:
    if isinstance(value, Mapping):
        yield from _row(value, key)
        for inner in value.values():
            yield from _walk(inner, key)
    elif isinstance(value, list):
        for inner in value:
            yield from _walk(inner, key)


def _row(value: Mapping[str, Any], key: str) -> Iterator[Priced]:
    name = next((str(value[field]) for field in ("title", "gpu_name", "gpu_text", "name") if value.get(field)), "")
    told = value.get("price", value.get("usd_per_gpu_hour"))
    told = told.get("amount") if isinstance(told, Mapping) else told
    if not name or not isinstance(told, str):
        return
    ids = frozenset().union(*(one.ids for one in products(name) if one.dimension == "card"))
    for one in quantities(told):
        if one.kind == MONEY and ids:
            period = PERIOD.search(told)
            yield Priced(key, ids, one.values[0], one.currencies[0], period[1] if period else "", name)
            return

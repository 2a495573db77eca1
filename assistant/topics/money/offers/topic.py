"""Who rents a card and for how much, and what it is sold for."""

from collections.abc import Mapping
from pathlib import Path

from assistant.reading.annotation import Ask
from assistant.reading.situation import Known, Situation
from assistant.topics.topic import Calls, SectionTold, Topic
from assistant.writing.arguments import card_names
from assistant.writing.money.buying import place_or_money
from assistant.writing.words import Words
from tools.agent_tools.ledger import LookedUp

ROWS_MAX, CARDS_MAX = 4, 3
RECKONED = (
    "rent", "price", "duration", "samples", "data_tokens", "duty", "busy_hours", "api_price", "model",
)  # fmt: skip
"""Slots that make a cost more than an hourly price."""
PLACES = ("country", "provider", "purchase")
"""Limits without which an offer of the same card is still one of it."""


def applies(ask: Ask, situation: Situation) -> bool:
    """Cards that are named; a cost, where they are to be rented and nothing tells for how long."""
    if ask.ask == "cost":
        known = [*situation.known, *(one for thing in situation.things for one in thing.known)]
        asked = any(one.ask == "available" for one in situation.asks)
        renting = any(one.slot == "acquisition" and one.value == "rent" for one in known)
        if not (renting or asked) or any(one.slot in RECKONED for one in known):
            return False
    return bool(card_names(ask, situation)) or (ask.ask == "available" and _memory(situation) is not None)


def answer(ask: Ask, situation: Situation, calls: Calls, words: Words) -> SectionTold | None:
    """The cheapest offer of each card, then the next ones; what is nearest where none is as asked; the price to buy."""
    leads: list[str] = []
    lines: list[str] = []
    memory = _memory(situation)
    for card in card_names(ask, situation)[:CARDS_MAX] or [""]:
        wanted: dict[str, object] = {"names": [card]} if card else {"min_memory": memory.quote if memory else ""}
        one = calls.call("look_up", {"kind": "offers", **wanted, **_limits(situation)})
        if one.failed:
            continue
        lead, rest = _rents(card, one, words)
        leads += lead
        lines += rest
        lines += _sold(card, calls, words) if card else []
    if not leads and not lines:
        return None
    told = [*leads, *lines]
    return SectionTold(told[0], tuple(dict.fromkeys((*told[1:], words.say("mind_stock")))), "fact")


def _memory(situation: Situation) -> Known | None:
    """The memory a card must have, where none is named."""
    return next((one for thing in situation.hardware() for one in thing.all("card_memory")), None)


def _limits(situation: Situation) -> dict[str, object]:
    """Where, and of whom."""
    told = {name: situation.one(name) for name in ("country", "provider")}
    return {name: place_or_money(one) for name, one in told.items() if one is not None}


def _rents(card: str, one: LookedUp, words: Words) -> tuple[list[str], list[str]]:
    rows = [row for row in one.shown.get("offers", []) if isinstance(row, Mapping)][: ROWS_MAX + 2]
    if not card:  # a memory is wanted of one card, not of all in an instance
        rows = [row for row in rows if str(row.get("gpu_count")) == "1"] or rows
    if rows:
        lead = words.maybe("cheapest", **_fields(rows[0]))
        told = [said for row in rows[1:ROWS_MAX] for said in words.maybe("offer", **_fields(row))]
        return lead, ["\n".join(f"- {line}" for line in told)] if told else []
    near = [row for row in one.shown.get("nearest", []) if isinstance(row, Mapping) and row.get("without") in PLACES]
    told = [said for row in near[:1] for said in words.maybe("offer", **_fields(row.get("offer") or {}))]
    return [words.say("no_offer", card=card, near=told[0]) if told else words.say("no_offer_at_all", card=card)], []


def _sold(card: str, calls: Calls, words: Words) -> list[str]:
    one = calls.call("look_up", {"kind": "spec", "names": [card]})
    row = next((row for row in one.shown.get("found", []) if isinstance(row, Mapping)), {}) if not one.failed else {}
    price = row.get("price") or {}
    if row and not price.get("amount_usd") and words.knows(f"status_{row.get('status')}"):
        return [words.say("unpriced", card=row["name"], status=words.say(f"status_{row['status']}"))]
    return words.maybe("sold", card=row.get("name"), price=price.get("amount_usd"), day=price.get("as_of"),
                       status=words.say(f"status_{row.get('status')}") if words.knows(f"status_{row.get('status')}")
                       else str(row.get("status", "–")))  # fmt: skip


def _fields(row: Mapping[str, object]) -> dict[str, str]:
    wanted = {"card": "gpu_text", "provider": "provider", "price": "usd_per_gpu_hour", "day": "as_of"}
    told = {name: str(row.get(key) or "–") for name, key in wanted.items()}
    if not row.get("usd_per_gpu_hour") and row.get("gpu_hourly_cost"):
        told["price"] = str(row["gpu_hourly_cost"])
    told["month"] = str(row.get("monthly_cost") or "–")
    return told


TOPIC = Topic("offers", Path(__file__).parent, ("available", "cost"), applies, answer)

"""What to order or rent, and how many: for each work, within the money, of the cards that may be."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from assistant.reading.annotation import Ask
from assistant.reading.situation import Situation
from assistant.topics.topic import Calls, SectionTold, Topic
from assistant.writing.buying import ordering
from assistant.writing.setups import setups
from assistant.writing.ways import model_name
from assistant.writing.words import Words
from tools.agent_tools.ledger import LookedUp
from tools.ways_to_run.tell.words import format_name

ASKS = ("which_hardware", "count", "plan")
ORDERS_MAX = 3
LIMITS = frozenset({"acquisition", "budget", "country", "provider"})
"""Of what may be ordered; without them it is told how many cards the work takes."""


def applies(ask: Ask, situation: Situation) -> bool:
    """A work that is named or described."""
    found = setups(situation, ask)
    return bool(found) and any(one.work is not None or one.one("purpose") or _purpose(situation) for one in found)


def answer(ask: Ask, situation: Situation, calls: Calls, words: Words) -> SectionTold | None:
    """What to order for each work, the dearest first, with what else there is and what falls short."""
    found = [_ordered(one, calls) for one in _asked(ask, situation, words.language)]
    if any(one.failed for one in found):
        return None
    told = [(one, _orders(one)) for one in found]
    told.sort(key=lambda row: -_amount(row[1]))
    leads = [said for one, orders in told for said in _lead(one, orders, words)]
    if not leads:
        return _nothing(found[0], words)
    first = told[0]
    lines = [*leads[1:], *_others(first[1], words), *_misses(first[0], words), *_assumed(first[0], words)]
    return SectionTold(leads[0], tuple(dict.fromkeys(lines)), "recommendation")


def _ordered(asked: dict[str, str], calls: Calls) -> LookedUp:
    """What is ordered; where no offer is known, how many cards it takes all the same."""
    one = calls.call("configure", dict(asked))
    if one.failed or one.shown.get("orders") or "cards" not in asked:
        return one
    open_ = {name: value for name, value in asked.items() if name not in LIMITS}
    return calls.call("configure", dict(open_)) if open_ != asked else one


def _nothing(one: LookedUp, words: Words) -> SectionTold | None:
    """What comes nearest, where nothing that may be ordered holds it."""
    row = next((row for row in one.shown.get("nearest_misses", []) if isinstance(row, Mapping)), None)
    if one.failed or row is None:
        return None
    return SectionTold(words.say("nothing", title=row["title"]), tuple(_misses(one, words)), "recommendation")


def _asked(ask: Ask, situation: Situation, language: str) -> list[dict[str, str]]:
    """One request a work; cards that are options stand in one request, as what it may choose from."""
    wanted: dict[str, dict[str, str]] = {}
    for setup in setups(situation, ask):
        asked = ordering(setup, situation, language)
        if not asked.get("model") and (purpose := _purpose(situation)):
            asked.setdefault("purpose", purpose)
        name = f"{asked.get('model')} {asked.get('task')}"
        if name in wanted and asked.get("cards"):
            asked["cards"] = f"{wanted[name].get('cards', '')}, {asked['cards']}".strip(", ")
        wanted[name] = asked
    return list(wanted.values())


def _purpose(situation: Situation) -> str | None:
    found = situation.one("purpose")
    return str(found.value or found.quote) if found is not None else None


def _orders(one: LookedUp) -> list[Mapping[str, Any]]:
    return [row for row in one.shown.get("orders", []) if isinstance(row, Mapping)][:ORDERS_MAX]


def _amount(orders: list[Mapping[str, Any]]) -> float:
    """How much the first is, so that the work that asks most leads."""
    first = orders[0] if orders else {}
    return float(first.get("gpu_count") or 0)


def _fields(order: Mapping[str, Any], one: LookedUp) -> dict[str, str]:
    memory, speed, price = (order.get(name) or {} for name in ("memory_per_gpu", "speed", "price"))
    return {
        "count": str(order.get("gpu_count", "")),
        "card": str(order.get("gpu_name", "")),
        "provider": str(order.get("provider", "")),
        "price": str(price.get("amount", "")),
        "day": str(order.get("as_of", "")),
        "model": model_name(one),
        "how": f"{format_name(str(order.get('weight_format')))}, {order.get('engine', '')}",
        "needed": memory.get("needed", ""),
        "usable": memory.get("usable", ""),
        "rate": speed.get("tokens_per_s_per_user") or speed.get("tokens_per_s_total", ""),
        "total": speed.get("tokens_per_s_total", ""),
        "time": speed.get("time", ""),
    }


def _lead(one: LookedUp, orders: list[Mapping[str, Any]], words: Words) -> list[str]:
    if not orders:
        return []
    fields = _fields(orders[0], one)
    kind = "rent" if orders[0].get("acquisition") == "rent" else "buy"
    if fields["rate"]:
        name = kind if fields["price"] else "unpriced"
        return [words.say(name if kind == "rent" or fields["day"] or not fields["price"] else "buy_undated", **fields)]
    return [words.say("holds", **fields)]


def _others(orders: list[Mapping[str, Any]], words: Words) -> list[str]:
    told = []
    for order in orders[1:]:
        fields = _fields(order, _NONE)
        name = "other_rent" if order.get("acquisition") == "rent" else "other_buy"
        keys = ("count", "card", "price", "rate", *(("provider",) if name == "other_rent" else ()))
        told += words.maybe(name, **{key: fields[key] for key in keys})
    return ["\n".join(f"- {line}" for line in told)] if told else []


def _misses(one: LookedUp, words: Words) -> list[str]:
    """What is nearest and falls short; results say it in English."""
    rows = [row for row in one.shown.get("nearest_misses", []) if isinstance(row, Mapping)]
    if words.language != "en":
        return []
    return [words.say("miss", title=row["title"], reason=str(row["reason"]).rstrip(".")) for row in rows[:1]]


def _assumed(one: LookedUp, words: Words) -> list[str]:
    load = {name: one.request.get(name) for name in ("users", "concurrent_sequences", "context_tokens")}
    return [] if any(load.values()) or one.request.get("task") else [words.say("one_user")]


_NONE = LookedUp(key="", tool="configure", request={}, shown={})
TOPIC = Topic("order", Path(__file__).parent, ASKS, applies, answer)

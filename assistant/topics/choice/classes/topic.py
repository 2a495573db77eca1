"""What to order where no model is named that is known: an order for each usual size, and which to begin with."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from assistant.reading.annotation import Ask
from assistant.reading.situation import Situation
from assistant.topics.topic import Calls, SectionTold, Topic
from assistant.writing.money.buying import conditions_open, ordering
from assistant.writing.money.orders import besides, bill, fields, order_line, orders, rests_on
from assistant.writing.setups import THOUGHT_OF, Setup, setups, works_of
from assistant.writing.words import Words
from tools.agent_tools.ledger import LookedUp

ASKS = ("which_hardware", "plan", "count", "cost", "memory", "worth", "needed")
SIZES = ("8B", "14B", "32B", "70B")
"""What most open models that people run themselves come near to."""
ALONE, MANY = 1, 2
"""Which of the sizes is begun with for one person, and for several, where no money decides it."""
DOCUMENTS = frozenset({"rag", "extraction", "summarising"})


class _Class(NamedTuple):
    """One size and what is ordered for it."""

    size: str
    found: LookedUp
    order: Mapping[str, Any]


def applies(ask: Ask, situation: Situation) -> bool:
    """Neither a model that is known nor a card is named."""
    cards = any(one.stance in THOUGHT_OF for thing in situation.hardware() for one in thing.all("cards"))
    return not cards and not any(one.work is not None for one in setups(situation, ask))


def answer(ask: Ask, situation: Situation, calls: Calls, words: Words) -> SectionTold | None:
    """The order to begin with, then one for each size, its bill, and what has to be known."""
    setup = Setup(next(iter(works_of(situation, ask)), None), ())
    asked = ordering(setup, situation, words.language)
    asked.pop("purpose", None)
    if asked.get("task") == "full" and not setup.every("method"):
        asked["task"] = "qlora"
    if not asked.get("acquisition"):
        asked["acquisition"] = "buy"
    told = [one for size in SIZES if (one := _ordered(size, asked, calls)) is not None]
    if not told:
        return None
    first = _begun_with(told, asked)
    method = words.say(f"method_{asked['task']}") if asked.get("task") else ""
    lead = words.say("begin_training" if method else "begin", size=first.size, method=method,
                     order=order_line(first.order, first.found, words))  # fmt: skip
    lines = [_table(told, words), *bill(first.order, words)]
    if asked["acquisition"] == "buy":
        rents = calls.call("configure", {**asked, "model": first.size, "acquisition": "rent", "budget": None})
        lines += besides(orders(rents, how="rent")[:1], first.order, rents, words)
        lines += [words.say("try_first")] if orders(rents, how="rent") and asked.get("users") else []
    if {str(one.value) for one in setup.every("purpose")} & DOCUMENTS:
        lines.append(words.say("documents"))
    lines += rests_on(first.order, first.found, words)
    lines += words.maybe("conditions_open", conditions=words.listed(conditions_open(setup, situation)))
    return SectionTold(lead, (*lines, _question(asked, words)), "recommendation")


def _ordered(size: str, asked: dict[str, Any], calls: Calls) -> _Class | None:
    one = calls.call("configure", {**asked, "model": size})
    found = orders(one)
    return _Class(size, one, found[0]) if not one.failed and found else None


def _begun_with(told: list[_Class], asked: Mapping[str, Any]) -> _Class:
    """With a budget the largest that it pays for, else what is usual for one or for many."""
    if asked.get("budget"):
        paid = [one for one in told if not (one.order.get("price") or {}).get("beyond_budget_cost")]
        whole = [one for one in paid if not one.order.get("whole_machine")]
        return (whole or told[:1])[-1]
    return told[min(MANY if asked.get("users") or asked.get("concurrent_sequences") else ALONE, len(told) - 1)]


def _table(told: list[_Class], words: Words) -> str:
    head = "| " + " | ".join(words.say(f"head_{name}") for name in ("class", "order", "price", "memory", "pace")) + " |"
    rows = []
    for one in told:
        row = fields(one.order, one.found, words)
        cells = (
            f"{one.size} ({row['how']})", f"{row['count']}× {row['card']}{row['used']}", row["price"] or "–",
            f"{row['needed']} / {row['usable']}", row["pace"].lstrip(" ,，") or "–",
        )  # fmt: skip
        rows.append("| " + " | ".join(cells) + " |")
    return "\n".join([head, "|" + " --- |" * 5, *rows])


def _question(asked: Mapping[str, Any], words: Words) -> str:
    """The one question whose answer would change it most."""
    if asked.get("task"):
        return words.say("question_training")
    if asked.get("users") or asked.get("concurrent_sequences"):
        return words.say("question_load" if asked.get("budget") else "question_load_budget")
    return words.say("question_use" if asked.get("budget") else "question_use_budget")


TOPIC = Topic("classes", Path(__file__).parent, ASKS, applies, answer)

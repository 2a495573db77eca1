"""Orders as a result of `configure` tells them: what to buy or rent, for how much, and what else there is."""

from collections.abc import Mapping, Sequence
from typing import Any

from assistant.writing.ways import model_name
from assistant.writing.words import Words
from tools.agent_tools.ledger import LookedUp
from tools.ways_to_run.tell.words import format_name

ORDERS_MAX = 6
TOLD_BESIDES = ("cheaper", "stronger", "other machine", "also")
"""Tiers behind the first, in the order in which they are told."""


def orders(one: LookedUp, *, how: str | None = None) -> list[Mapping[str, Any]]:
    """The orders of a result; those of one kind (buy, rent) alone where that is wanted."""
    rows = [row for row in one.shown.get("orders", []) if isinstance(row, Mapping)][:ORDERS_MAX]
    return [row for row in rows if how is None or row.get("acquisition") == how]


def amount(order: Mapping[str, Any]) -> float:
    """How much money an order is, to compare those of one currency by."""
    said = "".join(one for one in str((order.get("price") or {}).get("amount", "")) if one.isdigit() or one == ".")
    return float(said.strip(".") or 0)


def fields(order: Mapping[str, Any], one: LookedUp, words: Words) -> dict[str, str]:
    """The figures of an order, written out; what is not known is empty."""
    memory, price = order.get("memory_per_gpu") or {}, order.get("price") or {}
    return {
        "count": str(order.get("gpu_count", "")),
        "card": str(order.get("gpu_name", "")),
        "used": words.say("order_used") if order.get("condition") == "used" else "",
        "provider": str(order.get("provider") or ""),
        "price": str(price.get("amount", "")),
        "low": str(price.get("low_amount", "")),
        "high": str(price.get("high_amount", "")),
        "month": str(price.get("monthly_cost", "")),
        "left": str(price.get("budget_left", "")),
        "beyond": str(price.get("beyond_budget_cost", "")),
        "day": str(order.get("as_of") or ""),
        "work": work_name(one, words),
        "how": words.listed([*filter(None, (format_name(str(order.get("weight_format"))), _engine(order)))]),
        "needed": str(memory.get("needed", "")),
        "usable": str(memory.get("usable", "")),
        "pace": pace(order, words),
        "layout": str(order.get("layout") or "").upper(),
    }


def work_name(one: LookedUp, words: Words) -> str:
    """The model, and how it is trained where it is."""
    task = str(one.request.get("task") or "")
    named = model_name(one) or str(one.request.get("purpose") or "")
    kind = task.split()[0] if task else ""
    if not kind or not words.knows(f"method_{kind}"):
        return named
    name = "trained_whole" if kind == "pretrain" else "trained"
    return words.say(name, model=named, method=words.say(f"method_{kind}"))


def pace(order: Mapping[str, Any], words: Words) -> str:
    """How fast it is: for one user and in all, or the time and rate of a training."""
    speed = order.get("speed") or {}
    user, total, time = (speed.get(name) for name in ("tokens_per_s_per_user", "tokens_per_s_total", "time"))
    if time:
        return words.say("pace_time", time=time)
    if user and total:
        return words.say("pace_both", rate=user, total=total)
    if user:
        return words.say("pace_user", rate=user)
    return words.say("pace_total", total=total) if total else ""


def order_line(order: Mapping[str, Any], one: LookedUp, words: Words) -> str:
    """What to buy or rent in one sentence, with price, room and speed."""
    told = fields(order, one, words)
    if order.get("acquisition") == "in hand":
        return words.say("order_in_hand", **told)
    rents = order.get("acquisition") == "rent"
    name = "order_rent" if rents and told["provider"] else "order_buy" if not rents else "order_rent_anywhere"
    if not told["price"]:
        name = "order_unpriced"
    money = words.say("order_dated", day=told["day"]) if told["day"] else words.say("order_undated")
    return words.say(name, dated=money, monthly=_monthly(told, words), within=_within(told, words), **told)


def besides(found: Sequence[Mapping[str, Any]], first: Mapping[str, Any], one: LookedUp, words: Words) -> list[str]:
    """The next orders: what is cheaper and what it lacks, what more money does, the other way to get it."""
    rest, lines, known = [row for row in found if row is not first], [], {_same(first)}
    for row in rest[:4]:
        told = fields(row, one, words)
        if not told["price"] or _same(row) in known:
            continue
        known.add(_same(row))
        name = _besides_as(row, first)
        where = f" @ {told['provider']}" if told["provider"] else ""
        differs = (row.get("gives_up") or row.get("adds")) if _leads(first, row) else None
        lines.append(
            words.say(name, where=where, monthly=_monthly(told, words), **told)
            + (words.say("differs", text=differs) if differs and words.language == "en" else "")
        )
    return ["\n".join(f"- {line}" for line in lines)] if lines else []


def bill(order: Mapping[str, Any], words: Words) -> list[str]:
    """What the order is made of, line by line; where it leaves the machine out, that too."""
    whole = (order.get("whole_machine") or {}).get("amount")
    cards, _, rest = str(order.get("bill") or "").partition("; ")
    said = [*words.maybe("bill", cards=cards), *words.maybe("bill_rest", rest=rest)]
    return [*said, *words.maybe("whole_machine", whole=whole)]


def rests_on(order: Mapping[str, Any], one: LookedUp, words: Words) -> list[str]:
    """What the price and the speed rest on: the load that was taken, the age of prices, how it can be had."""
    said = []
    asked = one.request
    several = str(asked.get("users") or "1") != "1"
    if several and not asked.get("concurrent_sequences"):
        said.append(words.say("assumed_users", users=asked["users"]))
    elif not asked.get("task") and not asked.get("concurrent_sequences"):
        said.append(words.say("assumed_one"))
    if any("prices" in str(row).lower() for row in one.shown.get("warnings", [])):
        said.append(words.say("mind_prices"))
    if words.language == "en" and order.get("availability"):
        said.append(words.say("had", text=str(order["availability"]).rstrip(".")))
    elif order.get("condition") == "used":
        said.append(words.say("mind_used"))
    return [" ".join(said)] if said and words.language == "en" else ["".join(said)] if said else []


def _same(order: Mapping[str, Any]) -> tuple[str, ...]:
    """By what orders are told apart."""
    return tuple(str(order.get(name)) for name in ("acquisition", "gpu_name", "gpu_count", "provider"))


def _leads(first: Mapping[str, Any], order: Mapping[str, Any]) -> bool:
    """Whether the first is what the result itself holds an order against."""
    kind = str(first.get("tier"))
    return (kind == "recommended" or kind.startswith("best to")) and order.get("acquisition") == first["acquisition"]


def _besides_as(order: Mapping[str, Any], first: Mapping[str, Any]) -> str:
    """Whether an order is had another way, or costs less or more than the first, whatever its result called it."""
    if order.get("acquisition") == "rent":
        return "besides_rent"
    if first.get("acquisition") == "rent":
        return "besides_buy"
    return "besides_cheaper" if 0 < amount(order) < amount(first) else "besides_more"


def _engine(order: Mapping[str, Any]) -> str:
    return str(order.get("engine") or "")


def _monthly(told: Mapping[str, str], words: Words) -> str:
    return words.say("order_month", month=told["month"]) if told["month"] else ""


def _within(told: Mapping[str, str], words: Words) -> str:
    if told["left"]:
        return words.say("order_left", left=told["left"])
    return words.say("order_beyond", beyond=told["beyond"]) if told["beyond"] else ""

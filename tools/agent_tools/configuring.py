"""`configure`: what to buy or rent for a work, a load and a budget."""

import re
from typing import Any, NamedTuple, get_args

from pydantic import Field

from kb.base import BadInput, UnknownName
from kb.lexicon import Money, read_power
from kb.market.rates import convert, rate
from kb.purposes import purposes
from kb.units import HOURS_PER_MONTH
from tools.agent_tools import reading
from tools.agent_tools.asked import AgentRequest
from tools.agent_tools.desk import Desk
from tools.agent_tools.shown import SHOWN_MAX, SIGNS, shown, shown_row, written
from tools.agent_tools.sized import as_many_first, sized
from tools.agent_tools.trained import retold
from tools.configure.load.arrivals import kept_up, read_arrivals, times_needed
from tools.configure.tell.elsewhere import elsewhere
from tools.configure.tell.tiers import ENOUGH_AT, FAR_BELOW, in_hand, in_proportion, tiers
from tools.configure.tell.weighed import every_named, instead, weighed
from tools.need import Condition
from tools.prices import MONEY_OF

TASKS = {
    "inference": "inference", "serve": "inference", "full": "full_finetune", "sft": "full_finetune", "lora": "lora",
    "qlora": "qlora", "pretrain": "pretrain", "full_finetune": "full_finetune", "train": "full_finetune",
}  # fmt: skip
OBJECTIVES = {"cheapest", "fastest", "quietest", "simplest"}
NAMED = re.compile(r"(?:, | \(| for ).*")
"""What a line of a bill is known without."""
CARD_PARTS = frozenset({"gpu", "system", "instance"})
ORDERS_MAX, ASSUMED_MAX = 6, 3
OF_DESK = 200
"""Characters that are said beside: for which load, and how names were read."""


class ConfigureRequest(AgentRequest):
    """A need for hardware."""

    model: str | None = Field(default=None, max_length=200)
    """"Qwen3-32B AWQ", "70B"."""
    purpose: str | None = Field(default=None, max_length=60)
    """Without a model: chat, coding"""
    task: str | None = Field(default=None, max_length=40)
    """inference, lora, qlora, full, pretrain."""
    users: str | None = Field(default=None, max_length=80)
    """People, or "20k requests/day, 500 tokens"."""
    concurrent_sequences: str | None = Field(default=None, max_length=80)
    """Requests at once."""
    context_tokens: str | None = Field(default=None, max_length=40)
    """Prompt plus answer."""
    input_tokens: str | None = Field(default=None, max_length=40)
    """Prompt."""
    output_tokens: str | None = Field(default=None, max_length=40)
    """Answer."""
    target_first_token: str | None = Field(default=None, max_length=40)
    """"2 s"."""
    target_tokens_per_s: str | None = Field(default=None, max_length=40)
    """Per user."""
    sequence_tokens: str | None = Field(default=None, max_length=40)
    """Training."""
    dataset_tokens: str | None = Field(default=None, max_length=40)
    """Training."""
    deadline: str | None = Field(default=None, max_length=60)
    """Training: "3 days"."""
    budget: str | None = Field(default=None, max_length=80)
    """"$25k", "3万元/月"."""
    acquisition: str | None = Field(default=None, max_length=20)
    """buy or rent, if only that."""
    cards: str | None = Field(default=None, max_length=300)
    """Only these."""
    owned: str | None = Field(default=None, max_length=300)
    """Has: "1x 3090"."""
    max_cards: str | None = Field(default=None, max_length=20)
    """All."""
    country: str | None = Field(default=None, max_length=20)
    """CN, US …"""
    currency: str | None = Field(default=None, max_length=10)
    """Told in."""
    provider: str | None = Field(default=None, max_length=60)
    """Only this cloud."""
    hours_per_month: str | None = Field(default=None, max_length=20)
    """Use."""
    max_power: str | None = Field(default=None, max_length=20)
    """"1500 W"."""
    conditions: tuple[str, ...] = Field(default=(), max_length=6)
    """new, consumer, professional, ecc, nvidia, not_nvidia, amd, chinese."""
    prices: str | None = Field(default=None, max_length=400)
    """Theirs: "3090 $700; …"."""
    rents: str | None = Field(default=None, max_length=400)
    """"H100 $2/h"."""
    objective: str | None = Field(default=None, max_length=20)
    """cheapest fastest quietest simplest"""


def configure(request: ConfigureRequest, desk: Desk) -> dict[str, Any]:
    """What to buy or rent: recommended, cheaper and stronger orders, itemised. Give every limit stated.
    For: which GPU or server for N users."""
    named, form = reading.model_and_format(request.model, None)
    budget, country = reading.money(request.budget, "budget"), (request.country or "").upper() or None
    count, pace = reading.count, reading.number(request.target_tokens_per_s, "target_tokens_per_s")
    loads = (request.users, request.concurrent_sequences)
    only = reading.stated(reading.cards(request.cards))
    come = next(filter(None, (read_arrivals(one, pace) for one in loads if one)), None)
    asked: dict[str, Any] = {
        **named, "weight_format": form, "purpose": _purpose(request.purpose),
        "task": TASKS.get((request.task or "inference").strip().lower(), "inference"),
        "users": None if come else count(request.users, "users"),
        "concurrent_sequences":
            come.at_once if come else count(request.concurrent_sequences, "concurrent_sequences"),
        "context_tokens": count(request.context_tokens, "context_tokens") or (come.context_tokens if come else None),
        "input_tokens": count(request.input_tokens, "input_tokens"),
        "output_tokens": count(request.output_tokens, "output_tokens"),
        "target_latency_s": reading.seconds(request.target_first_token, "target_first_token"),
        "target_tokens_per_s": come.pace_tokens_per_s if come else pace,
        "sequence_tokens": count(request.sequence_tokens, "sequence_tokens"),
        "dataset_tokens": count(request.dataset_tokens, "dataset_tokens"),
        "deadline_s": reading.seconds(request.deadline, "deadline"),
        "acquisition": request.acquisition if request.acquisition in {"buy", "rent"} else None,
        "gpus_asked": [row["gpu"] for row in only],
        "gpus_proposed": [{"gpu": row["gpu"], "count": row["count"]} for row in only if row["count"] > 1],
        "gpus_owned": [
            {"gpu": row["gpu"], "count": row["count"]}
            for row in reading.stated(reading.cards(request.owned, "owned"), "owned")
        ],
        "max_gpus": count(request.max_cards, "max_cards"), "country": country,
        "currency": (request.currency or "").upper() or (budget.currency if budget else MONEY_OF.get(country or "")),
        "provider": request.provider, "hours_per_month": reading.number(request.hours_per_month, "hours_per_month"),
        "max_power_w": _watts(request.max_power), "conditions": _conditions(request.conditions), "max_results": 6,
        "objective": request.objective if request.objective in OBJECTIVES else None, "with_frontier": False,
        "prices": _several(request.prices), "rents": _several(request.rents),
    }  # fmt: skip
    if budget:
        period = budget.per if budget.per in {"hour", "month", "year"} else None
        asked["budget"] = {
            "amount": float(budget.amount), "currency": budget.currency, "period": period,
            "mode": "rent" if period else asked["acquisition"],
        }  # fmt: skip
    found, said = sized(asked, come, desk)

    def ask(changed: dict[str, Any]) -> dict[str, Any] | None:
        other = desk.tried("configure", changed)
        return retold(other, changed, desk) if other else None

    orders = tiers(found["configurations"], asked, ask)
    bought = next((one for one in orders if one["acquisition"] == "buy" and not in_hand(one)), None)
    if asked["acquisition"] != "rent" and not request.provider and not (budget and asked["budget"]["period"]):
        orders[3:3] = elsewhere(bought, asked, found["model"], ask, desk.tried)
        if asked["objective"] in {None, "cheapest"}:
            stated = asked["target_tokens_per_s"] or asked["objective"]
            orders = in_proportion(orders, ENOUGH_AT if stated else FAR_BELOW)
    orders = every_named(weighed(orders, asked, ask), asked, ask) or instead(asked, ask)
    orders = as_many_first(orders, asked["gpus_proposed"])
    if come is not None and come.prompt_tokens:
        times = [times_needed(one, found["model"], come, desk.tried) for one in orders]
        orders = [{**one, "keeps_up": kept_up(many, come)} for one, many in zip(orders, times, strict=True)]
    told = configured(
        found, asked["currency"] or "USD", orders, budget if budget and not asked["budget"]["period"] else None
    )
    return _within({"load": said, **told} if said else told)


def configured(
    result: dict[str, Any], currency: str, orders: list[dict[str, Any]] | None = None, budget: Money | None = None
) -> dict[str, Any]:  # fmt: skip
    """Orders as a model reads them: each with its tier, key figures and price, the first with its bill."""
    orders = result["configurations"] if orders is None else orders
    paid = _rate_of(currency, budget)
    told = [_order(one, paid, whole=place == 0) for place, one in enumerate(orders[:ORDERS_MAX])]
    misses = [
        shown({"title": one["title"], "reason": one["reason"], "change": one["change"]})
        for one in result["rejected"][:3]
    ]
    return {
        "answer": {
            "verdict": "recommendation" if told else "nothing fits within these limits",
            **({"model": result["model"]} if result["model"] else {}),
        },
        **({"given": result["given"]} if result["given"] else {}),
        **({"rate": paid.said} if paid.said and told else {}),
        "orders": told, "nearest_misses": misses[: 1 if told else 3],
        "assumptions": result["assumptions"][: ASSUMED_MAX if told else 4],
        "warnings": result["warnings"][:2],
    }  # fmt: skip


class _Paid(NamedTuple):
    """The currency that everything is told in, with its rate and the day of that."""

    currency: str
    per_usd: float
    said: str | None
    budget: float | None = None


def _rate_of(currency: str, budget: Money | None) -> _Paid:
    """Dollars where no rate of the currency is known, as the orders are then."""
    try:
        known = rate(currency)
    except UnknownName:
        return _Paid("USD", 1.0, None)
    said = None if known.currency == "USD" else f"1 USD = {known.per_usd} {known.currency} ({known.as_of})"
    limit = float(convert(budget.amount, budget.currency, known.currency)) if budget else None
    return _Paid(known.currency, float(known.per_usd), said, limit)


def _within(found: dict[str, Any]) -> dict[str, Any]:
    """The same short enough to be shown uncut: what was found besides goes first, then what is said of the rest."""
    orders = found["orders"]
    for lose in (_trade_off, _spare, _assumed, _layout_of, _bill_of):
        while len(written(found)) > SHOWN_MAX - OF_DESK and lose(found, orders):
            pass
    return found


def _trade_off(_: dict[str, Any], orders: list[dict[str, Any]]) -> bool:
    """What is said of orders behind the first, from the last on."""
    held = next((one for one in reversed(orders[1:]) if one.get("trade_offs")), None)
    return held is not None and held.pop("trade_offs") is not None


def _spare(_: dict[str, Any], orders: list[dict[str, Any]]) -> bool:
    """The last of the orders that are only told besides."""
    spare = next((one for one in reversed(orders) if one["tier"] == "also"), None)
    if spare is not None:
        orders.remove(spare)
    return spare is not None


def _assumed(found: dict[str, Any], _: list[dict[str, Any]]) -> bool:
    """Near misses, then the last of the assumptions."""
    for name in ("nearest_misses", "assumptions"):
        if len(found[name]) > (name == "assumptions"):
            found[name].pop()
            return True
    return False


def _layout_of(_: dict[str, Any], orders: list[dict[str, Any]]) -> bool:
    """What the last orders share with most: layout, first token, totals."""
    for one in reversed(orders[1:]):
        for name in ("layout", "kv_format", "board_power"):
            if one.pop(name, None) is not None:
                return True
    return False


def _bill_of(_: dict[str, Any], orders: list[dict[str, Any]]) -> bool:
    """What orders behind the first are made of, and how many tokens they give in all."""
    for one in reversed(orders[1:]):
        if one.pop("bill", None) is not None or one["speed"].pop("tokens_per_s_total", None) is not None:
            return True
    return False


def _order(one: dict[str, Any], paid: _Paid, *, whole: bool) -> dict[str, Any]:
    """One order; what is bought of `whole` ones line by line."""
    price, memory = one.get("price") or {}, one.get("memory") or {}
    free = in_hand(one)
    items = [] if free else one.get("items") or []
    cards_read = next((item["price_date"] for item in items if item["part"] in CARD_PARTS and item["price_date"]), None)
    running = (one.get("running_cost") or {}).get("energy_cost_per_month")
    plainly = f"{one['gpu_count']} × {one['gpu_name']}"
    told = {
        "tier": one["tier"], "title": one["title"] if one["title"] != plainly else None,
        "acquisition": "in hand" if free else one["acquisition"],
        "gpu_name": one["gpu_name"], "gpu_count": one["gpu_count"],
        "nodes": one["nodes"] if one["nodes"] > 1 else None, "provider": one.get("provider"),
        "condition": one["condition"] if one.get("condition") == "used" else None,
        "keeps_up": one.get("keeps_up"), "gives_up": one.get("gives_up"), "adds": one.get("adds"),
        "weight_format": one["weight_format"],
        "kv_format": None if one.get("kv_format") == "bf16" else one.get("kv_format"), "engine": one["engine"],
        "layout": _layout(one),
        "memory_per_gpu": {
            "needed_bytes": memory.get("needed_bytes_per_gpu"), "usable_bytes": memory.get("usable_bytes_per_gpu"),
        },
        "speed": _speed(one.get("speed") or {}),
        "price": None if free else _price(price, paid),
        "bill": _bill(items, paid, whole=whole) if one["acquisition"] == "buy" and not free else None,
        "whole_machine": _price(one["machine_price"], paid) if one.get("machine_price") and not free else None,
        "board_power_w": one.get("power_w"),
        "energy_monthly": {"currency": one["running_cost"]["currency"], "monthly_cost": running}
        if whole and running is not None else None,
        "configured": one.get("configured"), "trade_offs": (one.get("trade_offs") or ())[: 4 if whole else 2],
        "availability": None if free else _availability(one.get("availability"), cards_read),
        "as_of": cards_read or (None if free else price.get("as_of")),
    }  # fmt: skip
    told = shown_row(told)
    if isinstance(energy := told.pop("energy_monthly", None), dict):
        told["energy_around_the_clock"] = energy.get("monthly_cost")
    for name in ("price", "whole_machine"):
        (told.get(name) or {}).pop("currency", None)  # its sign stands before every amount
    return told


def _availability(said: str | None, day: str | None) -> str | None:
    """Whether it can be had; the day of its price stands beside it."""
    kept = [one for one in (said or "").split("; ") if one and not (day and one.startswith("price read"))]
    return "; ".join(kept) or None


def _layout(one: dict[str, Any]) -> str | None:
    """How several cards share the work: "tp 2, pp 2"."""
    ways = (("tp", "tensor_parallel"), ("pp", "pipeline_parallel"), ("dp", "data_parallel"))
    return ", ".join(f"{short} {one[name]}" for short, name in ways if (one.get(name) or 1) > 1) or None


def _bill(items: list[dict[str, Any]], paid: _Paid, *, whole: bool) -> str | None:
    """Lines that add up to the price: each with its number, or the cards and all the rest."""
    if len(items) < 2:
        return None
    if whole:
        return "; ".join(f"{_named(one)} {_sum(one['subtotal'], paid)}" for one in items)
    cards = [one["subtotal"] for one in items if one["part"] in CARD_PARTS]
    rest = [one["subtotal"] for one in items if one["part"] not in CARD_PARTS]
    return f"cards {_of_part(cards, paid)} + machine {_of_part(rest, paid)}"


def _of_part(subtotals: list[Any], paid: _Paid) -> str:
    """What lines come to together; that of one without a price nobody knows."""
    return _sum(None if None in subtotals else sum(map(float, subtotals)), paid)


def _named(item: dict[str, Any]) -> str:
    """A product without what stands behind its name, and how many."""
    name = NAMED.sub("", item["product"]) or item["product"]
    return f"{name} ×{item['count']}" if item["count"] > 1 else name


def _sum(subtotal: Any, paid: _Paid) -> str:
    if subtotal is None:
        return "(no price known)"
    return f"{SIGNS.get(paid.currency, paid.currency + ' ')}{float(subtotal) * paid.per_usd:,.0f}"


def _speed(speed: dict[str, Any]) -> dict[str, Any]:
    low, high = (speed.get(f"tokens_per_s_per_user_{end}") for end in ("low", "high"))
    total = speed.get("tokens_per_s_total")
    if total == speed.get("tokens_per_s_per_user"):  # of one at a time
        total = None
    return {
        "tokens_per_s_per_user": {"value": speed.get("tokens_per_s_per_user"), "low": low, "high": high},
        "tokens_per_s_total": total, "first_token_s": speed.get("time_to_first_token_s"),
        "time_s": {"value": speed.get("time_s"), "low": speed.get("time_s_low"), "high": speed.get("time_s_high")},
        "gpu_hours": speed.get("gpu_hours"),
    }  # fmt: skip


def _price(price: dict[str, Any], paid: _Paid) -> dict[str, Any] | None:
    """An amount with its ends and period, under keys that say it is money; a rent's month around the clock beside it.

    What is beyond a budget, or left of it, where one was stated.
    """
    if price.get("amount") is None:
        return None
    asked = price.get("asked_price") or {}
    amount, scale = (asked, 1.0) if asked.get("currency") == paid.currency else (price, paid.per_usd)
    middle, low, high = (
        float(amount[name]) * scale if amount.get(name) is not None else None for name in ("amount", "low", "high")
    )
    left = None if paid.budget is None or price.get("period") or middle is None else paid.budget - middle
    return {
        "currency": paid.currency, "period": price.get("period"), "amount": middle,
        "low_amount": low if low != high else None, "high_amount": high if low != high else None,
        "monthly_cost": middle * HOURS_PER_MONTH if price.get("period") == "hour" and middle else None,
        "beyond_budget_cost": -left if left is not None and left < 0 else None,
        "budget_left": left if left is not None and left >= 0 else None,
        "incomplete": None if price.get("complete", True) else "parts without a known price are not in it",
    }  # fmt: skip


def _purpose(text: str | None) -> str | None:
    if text is None:
        return None
    plain = text.strip().lower().replace(" ", "_")
    return plain if plain in purposes() else None


def _several(text: str | None) -> list[str]:
    """Each with its card, apart from the next by a semicolon: commas stand inside of amounts."""
    return [one.strip() for one in (text or "").replace("；", ";").split(";") if one.strip()]


def _watts(text: str | None) -> int | None:
    return None if text is None else int(read_power(text, "max_power"))


def _conditions(given: tuple[str, ...]) -> list[str]:
    known = set(get_args(Condition))
    for one in given:
        if one.strip().lower() not in known:
            raise BadInput("conditions", f"holds “{one}”, which is none.", f"Use {', '.join(sorted(known))}.")
    return [one.strip().lower() for one in given]

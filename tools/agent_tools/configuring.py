"""`configure`: what to buy or rent for a work, a load and a budget."""

from typing import Any, get_args

from pydantic import Field

from kb.base import BadInput
from kb.lexicon import read_power
from kb.purposes import purposes
from tools.agent_tools import reading
from tools.agent_tools.asked import AgentRequest
from tools.agent_tools.desk import Desk
from tools.agent_tools.shown import shown, shown_row
from tools.agent_tools.trained import retold
from tools.need import Condition

TASKS = {
    "inference": "inference", "serve": "inference", "full": "full_finetune", "sft": "full_finetune", "lora": "lora",
    "qlora": "qlora", "pretrain": "pretrain", "full_finetune": "full_finetune", "train": "full_finetune",
}  # fmt: skip
OBJECTIVES = {"cheapest", "fastest", "quietest", "simplest"}
KEPT = (
    "title", "acquisition", "gpu_name", "gpu_count", "nodes", "provider", "instance", "machine", "weight_format",
    "kv_format", "engine", "tensor_parallel", "pipeline_parallel", "data_parallel", "condition", "memory", "speed",
    "price", "machine_price", "running_cost", "power_w", "trade_offs", "configured", "availability", "owned_count",
)  # fmt: skip


class ConfigureRequest(AgentRequest):
    """A need for hardware."""

    model: str | None = Field(default=None, max_length=200)
    """"Qwen3-32B AWQ", "70B"."""
    purpose: str | None = Field(default=None, max_length=60)
    """Without a model: chat, coding"""
    task: str | None = Field(default=None, max_length=40)
    """inference, lora, qlora, full, pretrain."""
    users: str | None = Field(default=None, max_length=40)
    """People."""
    concurrent_sequences: str | None = Field(default=None, max_length=40)
    """Requests at once."""
    context_tokens: str | None = Field(default=None, max_length=40)
    """Prompt plus answer."""
    target_tokens_per_s: str | None = Field(default=None, max_length=40)
    """Of each user."""
    sequence_tokens: str | None = Field(default=None, max_length=40)
    """Training."""
    dataset_tokens: str | None = Field(default=None, max_length=40)
    """Training."""
    deadline: str | None = Field(default=None, max_length=60)
    """Training: "3 days"."""
    budget: str | None = Field(default=None, max_length=80)
    """"$25k", "¥50000", "3万元/月"."""
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
    """Of prices told."""
    provider: str | None = Field(default=None, max_length=60)
    """Only this cloud."""
    hours_per_month: str | None = Field(default=None, max_length=20)
    """Use."""
    max_power: str | None = Field(default=None, max_length=20)
    """"1500 W"."""
    conditions: tuple[str, ...] = Field(default=(), max_length=6)
    """Of: new, consumer, professional, ecc, nvidia, not_nvidia, amd, chinese."""
    prices: str | None = Field(default=None, max_length=400)
    """Theirs: "3090 $700; …"."""
    rents: str | None = Field(default=None, max_length=400)
    """"H100 $2/h"."""
    objective: str | None = Field(default=None, max_length=20)
    """cheapest fastest quietest simplest"""


def configure(request: ConfigureRequest, desk: Desk) -> dict[str, Any]:
    """What to buy or rent: ranked orders with speed and price; misses. Give every limit stated.
    For: which GPU or server, how many for N users."""
    named, form = reading.model_and_format(request.model, None)
    budget = reading.money(request.budget, "budget")
    count = reading.count
    asked: dict[str, Any] = {
        **named, "weight_format": form, "purpose": _purpose(request.purpose),
        "task": TASKS.get((request.task or "inference").strip().lower(), "inference"),
        "users": count(request.users, "users"),
        "concurrent_sequences": count(request.concurrent_sequences, "concurrent_sequences"),
        "context_tokens": count(request.context_tokens, "context_tokens"),
        "target_tokens_per_s": reading.number(request.target_tokens_per_s, "target_tokens_per_s"),
        "sequence_tokens": count(request.sequence_tokens, "sequence_tokens"),
        "dataset_tokens": count(request.dataset_tokens, "dataset_tokens"),
        "deadline_s": reading.seconds(request.deadline, "deadline"),
        "acquisition": request.acquisition if request.acquisition in {"buy", "rent"} else None,
        "gpus_asked": [row["gpu"] for row in reading.stated(reading.cards(request.cards))],
        "gpus_owned": [
            {"gpu": row["gpu"], "count": row["count"]}
            for row in reading.stated(reading.cards(request.owned, "owned"), "owned")
        ],
        "max_gpus": count(request.max_cards, "max_cards"), "country": (request.country or "").upper() or None,
        "currency": (request.currency or "").upper() or (budget.currency if budget else None),
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
    return configured(retold(desk.call("configure", asked), asked, desk), asked["currency"] or "USD")


def configured(result: dict[str, Any], currency: str) -> dict[str, Any]:
    """Orders as a model reads them."""
    orders = [
        _order({name: one.get(name) for name in KEPT}, currency, _cards_read(one)) for one in result["configurations"]
    ]
    misses = [
        shown({"title": one["title"], "reason": one["reason"], "change": one["change"]})
        for one in result["rejected"][:3]
    ]
    return {
        "answer": {
            "verdict": "recommendation" if orders else "nothing fits within these limits",
            **({"model": result["model"]} if result["model"] else {}),
        },
        **({"given": result["given"]} if result["given"] else {}),
        "orders": orders, "nearest_misses": misses, "assumptions": result["assumptions"][:4],
        "warnings": result["warnings"][:3],
    }  # fmt: skip


def _cards_read(one: dict[str, Any]) -> str | None:
    """The day on which the price of the cards, or of the instance, was read."""
    days = [item.get("price_date") for item in one.get("items") or () if item["part"] in {"gpu", "system", "instance"}]
    return next((str(day) for day in days if day), None)


def _order(one: dict[str, Any], currency: str, cards_read: str | None) -> dict[str, Any]:
    price, memory = one.get("price") or {}, one.get("memory") or {}
    asked = price.get("asked_price") or {}
    if one.get("owned_count") and one["owned_count"] >= (one.get("gpu_count") or 0):
        one, price, asked = {**one, "acquisition": "in hand", "availability": None, "machine_price": None}, {}, {}
    amount = asked if asked.get("currency") == currency else price
    return shown_row({
        **{name: value for name, value in one.items() if name not in {"price", "memory", "machine_price", "speed"}},
        "memory_per_gpu": {
            "needed_bytes": memory.get("needed_bytes_per_gpu"), "usable_bytes": memory.get("usable_bytes_per_gpu"),
        },
        "speed": _speed(one.get("speed") or {}),
        "price": _price(amount, price),
        "whole_machine": _price(one["machine_price"], one["machine_price"]) if one.get("machine_price") else None,
        "as_of": cards_read or price.get("as_of"),
        "oldest_part_as_of": price.get("as_of") if cards_read and price.get("as_of") != cards_read else None,
    })  # fmt: skip


def _speed(speed: dict[str, Any]) -> dict[str, Any]:
    low, high = (speed.get(f"tokens_per_s_per_user_{end}") for end in ("low", "high"))
    return {
        "tokens_per_s_per_user": {"value": speed.get("tokens_per_s_per_user"), "low": low, "high": high},
        "tokens_per_s_total": speed.get("tokens_per_s_total"), "first_token_s": speed.get("time_to_first_token_s"),
        **{name: value for name, value in speed.items() if name.startswith("time_s") or name == "gpu_hours"},
    }  # fmt: skip


def _price(amount: dict[str, Any], price: dict[str, Any]) -> dict[str, Any] | None:
    """An amount with its ends and period, under keys that say it is money."""
    if amount.get("amount") is None:
        return None
    return {
        "currency": amount.get("currency", "USD"), "period": price.get("period"), "amount": amount["amount"],
        "low_amount": amount.get("low"), "high_amount": amount.get("high"),
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

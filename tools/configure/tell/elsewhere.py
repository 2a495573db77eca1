"""Machines of another kind for few people: a computer of one memory, or one card with the experts in host memory."""

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from kb.catalog import gpus, models
from kb.market.rates import usd
from kb.records.gpu import Gpu
from kb.units import GIB
from tools.configure.bills.bill import card_lines, condition
from tools.configure.bills.host import Host, hosts
from tools.configure.market.sold import CHINA, buyable
from tools.configure.market.suitable import MAINSTREAM, capable, reads_files
from tools.configure.tell.tiers import Ask, Order, amount, differences, speed, sure, whole
from tools.power.plan import plan_power
from tools.power.request import PowerRequest
from tools.prices import price_band

Run = Callable[[str, dict[str, Any]], Mapping[str, Any] | None]
"""A registered tool by its name; null where it refuses."""

FEW = 2
"""Requests at once up to which such a machine serves: they share its pace, and prompts are read slowly."""
BEARABLE_TOKENS_PER_S = 5.0
"""Pace below which nobody waits for an answer, where none was asked for: what people read at."""
PATIENT_TOKENS_PER_S = 2.0
"""The same of somebody who wants the cheapest that runs it at all."""
CHEAPER_FOR = 0.9
SPARSE = 0.3
"""Share of its weights that a token reads, up to which a mixture is worth keeping in host memory."""
Q4_BYTES = 4.85 / 8
"""Bytes of a weight in Q4_K_M, as llama.cpp counts its files."""
CARD_BYTES = 24 * GIB
"""Memory of the one card: attention, shared experts and the cache lie there."""
REST_BYTES = 16 * GIB
"""Of the host beside the weights."""
TOLD = "prompts are read slowly, and more than one or two at once wait for each other"
MODULES = re.compile(r"(\d+) GB (DDR\d)-(\d+)")


def elsewhere(
    lead: Order | None, asked: Mapping[str, Any], model: str | None, ask: Ask, run: Run
) -> list[dict[str, Any]]:
    """What costs less than `lead` in another kind of machine, for few people at a bearable pace; `model` as found.

    Nothing for training, for many at once, where cards or conditions were named, or where the lead is as cheap. Where
    no cards fit the limits, what does within the sum that was stated.
    """
    at_once = asked.get("concurrent_sequences") or -(-(asked.get("users") or 1) // 5)
    named = any(asked.get(name) for name in ("gpus_asked", "gpus_owned", "conditions", "weight_format", "prices"))
    if asked.get("task") not in {None, "inference"} or named or at_once > FEW:
        return []
    patient = asked.get("objective") == "cheapest"
    least = asked.get("target_tokens_per_s") or (PATIENT_TOKENS_PER_S if patient else BEARABLE_TOKENS_PER_S)
    found = [*_whole_computers(asked, ask), *_in_host_memory(asked, model, run, int(at_once), least)]
    most = CHEAPER_FOR * amount(lead) if lead is not None else _stated(asked)
    kept = [
        one for one in found if whole(one) and sure(one) and speed(one) >= least and 0 < amount(one) < most
        and soon(one, asked) and (one.get("power_w") or 0) <= (asked.get("max_power_w") or math.inf)
    ]  # fmt: skip
    best = min(kept, key=amount, default=None)
    if best is None:
        return []
    if lead is None:
        return [{**best, "tier": "recommended", "gives_up": TOLD}]
    return [{**best, "tier": "other machine", "gives_up": f"{differences(best, lead, better=False)}; {TOLD}"}]


def soon(one: Order, asked: Mapping[str, Any]) -> bool:
    """Whether its first token comes within the longest wait that was stated."""
    wanted, first = asked.get("target_latency_s"), (one.get("speed") or {}).get("time_to_first_token_s")
    return not wanted or (first is not None and first <= wanted)


def _stated(asked: Mapping[str, Any]) -> float:
    """The sum that was stated for a purchase, in dollars; without end where none was."""
    budget = asked.get("budget")
    return float(usd(budget["amount"], budget["currency"])) if budget else math.inf


def _whole_computers(asked: Mapping[str, Any], ask: Ask) -> Sequence[Order]:
    found = ask({**asked, "gpus_asked": list(_desks()), "acquisition": "buy", "max_results": 3})
    return [
        {**one, "title": f"1 × {one['gpu_name']}, a whole computer with one memory"}
        for one in (found or {}).get("configurations", ()) if one["gpu_count"] == 1
    ]  # fmt: skip


@lru_cache(maxsize=1)
def _desks() -> tuple[str, ...]:
    """Computers of one memory that are sold and have a price."""
    return tuple(key for key, gpu in gpus().items()
                 if reads_files(gpu) and gpu.status == "available" and price_band(gpu))  # fmt: skip


def _in_host_memory(
    asked: Mapping[str, Any], name: str | None, run: Run, at_once: int, least: float
) -> Iterator[dict[str, Any]]:  # fmt: skip
    """One card in the cheapest machine whose memory holds the experts and is fast enough; every channel filled."""
    model = models().get(name or "")
    if model is None or not model.experts or not model.active_params or model.active_params > SPARSE * model.params:
        return
    card, domestic = _card(asked.get("country")), asked.get("country") in CHINA
    if card is None:
        return
    need = int(model.params * Q4_BYTES * 1.05) + REST_BYTES
    towers = [one for one in hosts(card.id, 1, need, domestic=domestic, filled=True)
              if one.rack_units == 0 and one.amount is not None and one.channels]  # fmt: skip
    for host in towers:
        order = _order(model.id, card, host, asked, run, at_once)
        if order is not None and speed(order) >= least:
            yield order
            return


@lru_cache(maxsize=32)
def _card(country: str | None) -> Gpu | None:
    """The cheapest card of 24 GiB or more that is sold and runs current software; second-hand counts."""
    found = [
        (price_band(gpu), gpu.id) for gpu in gpus().values()
        if gpu.vendor == MAINSTREAM and gpu.market in {"consumer", "workstation"} and gpu.memory_bytes >= CARD_BYTES
        and capable(gpu, training=False) and price_band(gpu)
        and buyable(gpu, owned=False, asked=False, country=country)
    ]  # fmt: skip
    return gpus()[min(found)[1]] if found else None


def _order(
    model: str, card: Gpu, host: Host, asked: Mapping[str, Any], run: Run, at_once: int
) -> dict[str, Any] | None:
    """It as an order of the result: bill, memory, speed; null where it does not run."""
    module = next(item for item in host.items if item.part == "memory")
    made = MODULES.match(module.product)
    if made is None:
        return None
    size, kind, rate = made.groups()
    held = f"{module.count}x{size}GB {kind}-{rate}"
    found = run("find_ways_to_run", {
        "model": model, "cards": [{"gpu": card.id, "count": 1}], "host_memory": held,
        "memory_channels": min(module.count, host.channels or 1), "context_tokens": asked.get("context_tokens"),
        "concurrent_sequences": at_once, "input_tokens": asked.get("input_tokens"),
        "output_tokens": asked.get("output_tokens"),
    })  # fmt: skip
    way = next(iter((found or {}).get("ways") or ()), None)
    if way is None or not way.get("speed"):
        return None
    lines = [*card_lines(card, 1), *host.items]
    total, low, high = (sum(float(getattr(one, end) or one.subtotal or 0) for one in lines)
                        for end in ("subtotal", "low", "high"))  # fmt: skip
    pace, memory = way["speed"]["tokens_per_s_per_user"], way["memory"]
    money = asked.get("currency") or "USD"
    drawn = plan_power(PowerRequest(gpu=card.id, gpu_count=1, country=asked.get("country"), currency=money))
    ram = f"{int(size) * module.count} GB of {kind}-{rate}"
    return {
        "title": f"1 × {card.name} with {ram}, {host.name}", "acquisition": "buy", "gpu": card.id,
        "gpu_name": card.name, "gpu_count": 1, "nodes": 1, "owned_count": 0, "condition": condition(card),
        "weight_format": way["weight_format"], "kv_format": way["kv_format"], "engine": way["engine"],
        "memory": {
            "needed_bytes_per_gpu": memory["needed_bytes_per_gpu"],
            "usable_bytes_per_gpu": memory["usable_bytes_per_gpu"],
            "verdict": "yes" if memory["surety"] == "yes" else "tight",
        },
        "speed": {
            "tokens_per_s_per_user": pace["value"], "tokens_per_s_per_user_low": pace["low"],
            "tokens_per_s_per_user_high": pace["high"],
            "tokens_per_s_total": way["speed"]["tokens_per_s_total"]["value"],
            "time_to_first_token_s": way["speed"]["first_token_s"]["value"],
        },
        "items": [one.model_dump(mode="json") for one in lines], "power_w": card.tdp_w,
        "price": {"amount": total, "low": low, "high": high, "currency": "USD", "period": None, "complete": True},
        "running_cost": {"energy_cost_per_month": drawn.energy.monthly_cost.value, "currency": money},
        "trade_offs": way.get("why") or (), "availability": None,
    }  # fmt: skip

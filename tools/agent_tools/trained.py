"""Orders for a training, told with the time that `find_ways_to_train` gives the same cards: one job, one figure."""

from typing import Any

from tools.agent_tools.desk import Desk

METHODS = {"full_finetune": "full", "pretrain": "pretrain", "lora": "lora", "qlora": "qlora"}
GIVEN = ("model", "params", "weight_format", "dataset_tokens", "sequence_tokens", "deadline_s")
"""Fields of a need that a training takes over as they are."""
ONE_MACHINE = 8
"""Cards up to which usual trainers share one machine; beyond, grids of tensors and stages are set up."""
ENDS = {"": "value", "_low": "low", "_high": "high"}
"""How an order names the ends of an interval."""
LATE = "later than the deadline"


def retold(result: dict[str, Any], asked: dict[str, Any], desk: Desk) -> dict[str, Any]:
    """The result with the speed, time and memory of its orders as the solver of trainings finds them."""
    method = METHODS.get(asked.get("task") or "")
    if method is None:
        return result
    found: dict[tuple[str, int], dict[str, Any] | None] = {}
    orders = []
    for order in result["configurations"]:
        key = (order["gpu"], order["gpu_count"])
        if key not in found:
            found[key] = _way(key, {**asked, "model": result["model"], "method": method}, desk)
        way = found[key] if (order.get("nodes") or 1) == 1 and order["gpu_count"] <= ONE_MACHINE else None
        orders.append(_told(order, way) if way else order)
    return {**result, "configurations": orders}


def _way(cards: tuple[str, int], asked: dict[str, Any], desk: Desk) -> dict[str, Any] | None:
    """The best way on all of the cards; null where the solver has none."""
    given = {name: asked.get(name) for name in GIVEN}
    if not given["model"]:
        given.pop("model")
    answer = desk.tried(
        "find_ways_to_train",
        {**given, "method": asked["method"], "cards": [{"gpu": cards[0], "count": cards[1]}]},
    )
    ways = (answer or {}).get("ways") or []
    return next((one for one in ways if one["cards"]["count"] == cards[1] and one.get("speed")), None)


def _told(order: dict[str, Any], way: dict[str, Any]) -> dict[str, Any]:
    speed, memory = way["speed"], way["memory"]
    rate = speed.get("tokens_per_s") or {}
    told = {
        "tokens_per_s_total": rate.get("value"),
        **{f"time_s{end}": (speed.get("time_s") or {}).get(of) for end, of in ENDS.items()},
        "gpu_hours": (speed.get("gpu_hours") or {}).get("value"),
    }
    late = [LATE] if way.get("meets_deadline") is False else []
    return {
        **order, "tensor_parallel": 1, "pipeline_parallel": 1, "data_parallel": order["gpu_count"],
        "engine": None, "title": order["title"], "trade_offs": [*(order.get("trade_offs") or ()), *late],
        "configured": way["configured"],
        "memory": {**(order.get("memory") or {}), **{
            name: memory[name] for name in ("needed_bytes_per_gpu", "usable_bytes_per_gpu") if name in memory
        }},
        "speed": {**(order.get("speed") or {}), **{name: one for name, one in told.items() if one is not None}},
    }  # fmt: skip

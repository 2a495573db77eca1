"""A way to train, as a result tells it, in figures written out."""

from typing import Any

from assistant.writing.ways import model_name
from tools.agent_tools.ledger import LookedUp

METHODS = {"full": "full", "lora": "LoRA", "qlora": "QLoRA", "dpo": "DPO", "grpo": "GRPO", "pretrain": "pretrain"}


def best_way(one: LookedUp) -> dict[str, str] | None:
    """The figures of the best way of a result of `find_ways_to_train`; None where none fits.

    Keys: model method cards how needed usable time rate cost day.
    """
    row: dict[str, Any] | None = next((way for way in one.shown.get("ways", []) if isinstance(way, dict)), None)
    if row is None:
        return None
    memory, speed, price = (row.get(name) or {} for name in ("memory", "speed", "price"))
    told = one.shown["answer"]
    return {
        "model": model_name(one),
        "method": METHODS.get(str(told.get("method")), str(told.get("method", ""))),
        "cards": str(told.get("cards", "")),
        "how": str(row.get("title", "")),
        "needed": memory.get("needed_per_gpu", ""),
        "usable": memory.get("usable_per_gpu", ""),
        "time": speed.get("time", ""),
        "rate": speed.get("tokens_per_s", ""),
        "cost": price.get("run_cost", ""),
        "day": str(price.get("as_of", "")),
    }

"""A way to train, as a result tells it, in figures written out."""

from typing import Any

from assistant.writing.ways import model_name
from assistant.writing.words import Words
from tools.agent_tools.ledger import LookedUp


def best_way(one: LookedUp, words: Words) -> dict[str, str] | None:
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
        "method": _method(str(told.get("method", "")), words),
        "cards": str(told.get("cards", "")),
        "how": str(row.get("title", "")),
        "needed": memory.get("needed_per_gpu", ""),
        "usable": memory.get("usable_per_gpu", ""),
        "time": speed.get("time", ""),
        "rate": speed.get("tokens_per_s") or _samples(speed, words),
        "cost": price.get("run_cost", ""),
        "day": str(price.get("as_of", "")),
    }


def _method(name: str, words: Words) -> str:
    """How people of the language call a kind of training."""
    return words.say(f"method_{name}") if words.knows(f"method_{name}") else name


def _samples(speed: dict[str, Any], words: Words) -> str:
    """The rate of what is trained on pictures or clips."""
    rate = speed.get("samples_per_s")
    return words.say("samples_per_s", rate=rate) if rate else ""

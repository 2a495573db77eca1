"""A way to train, as a result tells it, in figures written out."""

from typing import Any

from assistant.writing.ways import model_name
from assistant.writing.words import Words
from kb.units import format_bytes
from tools.agent_tools.ledger import LookedUp

SHARDINGS = {"zero1": "ZeRO-1", "zero2": "ZeRO-2", "zero3": "ZeRO-3", "fsdp": "FSDP", "ddp": "DDP"}
OPTIMIZERS = {"adamw_8bit": "AdamW 8-bit", "paged_adamw_8bit": "paged AdamW 8-bit", "adafactor": "Adafactor"}


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
        "how": words.listed(spread(one, words) + conditions(one, words)) or str(row.get("title", "")),
        "needed": memory.get("needed_per_gpu", ""),
        "usable": memory.get("usable_per_gpu", ""),
        "time": speed.get("time", ""),
        "rate": speed.get("tokens_per_s") or _samples(speed, words),
        "cost": price.get("run_cost", ""),
        "day": str(price.get("as_of", "")),
    }


def conditions(one: LookedUp, words: Words) -> list[str]:
    """What the best way does that is not the ordinary: narrow states, no masters, memory of the host."""
    row = _row(one)
    host = (row.get("memory") or {}).get("host_bytes") or 0
    said = []
    if row.get("optimizer") not in (None, "adamw") and "optimizer" not in one.request:
        said.append(words.say("with_optimizer", optimizer=OPTIMIZERS.get(row["optimizer"], row["optimizer"])))
    if row.get("precision") == "bf16_pure":
        said.append(words.say("with_pure"))
    if row.get("offload") not in (None, "none"):
        said.append(words.say("with_host", host=format_bytes(float(host))))
    return said


def spread(one: LookedUp, words: Words) -> list[str]:
    """How the best way is laid out: sharding, recomputed activations, samples at once."""
    row = _row(one)
    said = []
    if row.get("sharding") in SHARDINGS:
        said.append(SHARDINGS[row["sharding"]])
    elif row.get("sharding") == "layers":
        said.append(words.say("with_layers"))
    if row.get("gradient_checkpointing") == "full":
        said.append(words.say("with_checkpointing"))
    if (row.get("micro_batch_size") or 1) > 1:
        said.append(words.say("with_micro_batch", number=row["micro_batch_size"]))
    return said


def _row(one: LookedUp) -> dict[str, Any]:
    """The best way as the solver gave it."""
    rows: list[dict[str, Any]] = one.worked[-1].result.get("ways") or [{}] if one.worked else [{}]
    return rows[0]


def _method(name: str, words: Words) -> str:
    """How people of the language call a kind of training."""
    return words.say(f"method_{name}") if words.knows(f"method_{name}") else name


def _samples(speed: dict[str, Any], words: Words) -> str:
    """The rate of what is trained on pictures or clips."""
    rate = speed.get("samples_per_s")
    return words.say("samples_per_s", rate=str(rate).replace(" samples/s", "")) if rate else ""

"""The speed of models that are told as examples of what cards hold."""

from collections.abc import Sequence
from typing import Any

from assistant.answer import ToolCallRecord
from assistant.plan import requests
from assistant.plan.call import PlannedCall
from assistant.understanding import Understanding
from tools.need import GpuCount, Need

CANDIDATES_PACED = 4
"""Models of a purpose whose speed is worked out."""


def paced_examples(need: Need, results: Sequence[ToolCallRecord]) -> list[PlannedCall | None]:
    """How fast the largest models for a purpose are on the cards that hold them, or the examples on a personal machine.

    There the memory is large and slow, so that what it holds is not yet what it runs well.
    """
    fits = next((record for record in results if record.tool == "what_fits" and "error" not in record.result), None)
    cards = requests.cards(need)
    if fits is None or not cards:
        return []
    if fits.result.get("cards"):  # no estimator knows the speed of unlike cards; the configurator does
        lead = next(iter(fits.result.get("candidates") or ()), None) if fits.request.get("models") else None
        return [_dealt_out(need, lead)] if lead else []
    found = fits.result.get("candidates") or [
        one | {"weight_format": row["weight_format"]}
        for row in fits.result.get("rows") or ()
        if row["weight_format"].startswith("gguf:")
        for one in row["examples"][:2]
    ]
    return [
        requests.speed(need.model_copy(update={"model": one["model"]}), cards[0], one["weight_format"])
        for one in found[: CANDIDATES_PACED + 1]
    ]


def longest(understanding: Understanding, need: Need, results: Sequence[ToolCallRecord]) -> list[PlannedCall | None]:
    """The memory of the model told first, where it is asked what context it leaves room for."""
    fits = next((record for record in results if record.tool == "what_fits" and "error" not in record.result), None)
    cards = requests.cards(need)
    if fits is None or len(cards) != 1 or need.intent != "what_fits" or "context_length" not in understanding.asks:
        return []
    lead = next(iter(fits.result.get("candidates") or ()), None)
    if lead is None or requests.is_training(need):
        return []
    of = need.model_copy(update={"model": lead["model"], "params": lead["params"], "model_text": None})
    return [requests.memory(of, cards[0], weight_format=lead["weight_format"])]


def _dealt_out(need: Need, lead: dict[str, Any]) -> PlannedCall | None:
    """The model to take on unlike cards that share its layers."""
    of = need.model_copy(update={"model": lead["model"], "params": lead["params"], "model_text": None})
    return requests.configure(of, weight_format=lead["weight_format"], engine="llama.cpp", with_frontier=False)


def trained_on(need: Need, results: Sequence[ToolCallRecord], text: str) -> list[PlannedCall | None]:
    """How long a training takes on the fewest common cards that hold it, where no card was named."""
    if requests.cards(need) or not requests.is_training(need) or need.memory_bytes_per_gpu:
        return []
    if need.deadline_s is not None and any((row["speed"] or {}).get("time_s") for row in ordered(results)):
        return []  # what ends it in time is told instead
    record = next((one for one in results if one.tool == "estimate_memory" and "error" not in one.result), None)
    rows = [row for row in (record.result["minimum_gpus"] if record else ()) if row["verdict"] == "yes"]
    fewest = min(rows, key=lambda row: row["count"], default=None)
    if fewest is None:
        return []
    return [requests.training_time(need, GpuCount(gpu=fewest["gpu"], count=fewest["count"]), text=text)]


def ordered(results: Sequence[ToolCallRecord]) -> list[dict[str, Any]]:
    """The configurations that were found."""
    return [row for one in results if one.tool == "configure" for row in one.result.get("configurations") or ()]

"""Models that write no text beside those that do: on which card each lies, and what all of them need together."""

from collections.abc import Sequence
from typing import Any

from kb.units import format_bytes
from tools.agent_tools.media import interval
from tools.agent_tools.shown import shown


def held_by(found: Sequence[dict[str, Any]], machine: dict[str, Any]) -> list[dict[str, Any]]:
    """Each with the card that it lies on, whose memory counts as taken in `machine`.

    Where there are cards enough for one each, beside one for what writes text, each has its own, the last cards first;
    else all lie on the first.
    """
    if not found:
        return []
    count = sum(one["count"] for one in machine["cards"])
    apart = count > len(found)
    taken = [machine["memory_taken_bytes"] or 0] * count
    told = []
    for place, one in enumerate(found):
        card = count - 1 - place if apart else 0
        taken[card] += one["per_gpu"]["total_bytes"]
        told.append(shown({"model": one["model"], "needed": interval(one["per_gpu"]), "on_card": card + 1}))
    machine["memory_taken_bytes"] = taken if count > 1 else taken[0]
    return told


def summed(found: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """What each needs, and all of them on one card."""
    rows = [shown({"model": one["model"], "weight_format": one["weight_format"], "needed": interval(one["per_gpu"])})
            for one in found]  # fmt: skip
    total = sum(one["per_gpu"]["total_bytes"] for one in found)
    return {
        "needs": rows, "together": format_bytes(total),
        "note": "each as published, one copy; on cards of their own the largest decides. Give cards for speed.",
    }  # fmt: skip

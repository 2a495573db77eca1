"""How cards hold a training that does not fit them as it is usually run: its speed is that of this way."""

from collections.abc import Sequence
from typing import Any

from assistant.answer import ToolCallRecord
from assistant.plan.cheaper import cheaper
from tools.memory import estimate_memory
from tools.memory.request import MemoryRequest
from tools.need import Need

SETTINGS = ("sharding", "optimizer", "precision")
"""Settings of a training that decide what it takes of a card, and how fast it goes."""
_SAME = ("task", "sequence_tokens", "micro_batch_size", "data_parallel", "pipeline_parallel", "tensor_parallel")
"""What makes two estimates those of one training, spread alike over the same cards."""


def way(need: Need, first: ToolCallRecord) -> dict[str, Any] | None:
    """The settings in which the cards hold it, else the mildest lighter task that they hold; None where they do not."""
    if _verdict(first.result) != "no":
        return {}
    if settings := as_held(need, first):
        return settings
    lighter = [
        call.request
        for call in cheaper(need, first)
        if call and call.request.get("task") != first.request.get("task") and _timeable(call.request)
    ]
    found = _first_held(lighter)
    return {"task": found["task"]} | {key: found[key] for key in SETTINGS if found.get(key)} if found else None


def as_held(need: Need, first: ToolCallRecord) -> dict[str, Any]:
    """The settings in which the cards hold it, the mildest with room before others; none where it fits as it is."""
    if _verdict(first.result) != "no":
        return {}
    alike = [
        call.request
        for call in cheaper(need, first)
        if call and _timeable(call.request) and all(call.request.get(key) == first.request.get(key) for key in _SAME)
    ]
    found = _first_held(alike)
    return {key: found[key] for key in SETTINGS if found.get(key)} if found else {}


def _timeable(request: dict[str, Any]) -> bool:
    """Whether its speed is known: how much a part left to the host slows a training down is not."""
    return request.get("offload") in (None, "none")


def _first_held(requests: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """The first that fits with room, else the first that fits."""
    held = [(estimate_memory(MemoryRequest.model_validate(one)).model_dump(), one) for one in requests]
    return next((one for verdict in ("yes", "tight") for result, one in held if _verdict(result) == verdict), None)


def _verdict(result: dict[str, Any]) -> str | None:
    return (result.get("fit") or {}).get("verdict")

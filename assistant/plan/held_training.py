"""How cards hold a training that does not fit them as it is usually run: its speed is that of this way."""

from typing import Any

from assistant.answer import ToolCallRecord
from assistant.plan.cheaper import cheaper
from tools.memory import estimate_memory
from tools.memory.request import MemoryRequest
from tools.need import Need

SETTINGS = ("sharding", "optimizer", "precision", "offload")
"""Settings of a training that decide what it takes of a card, and how fast it goes."""
_SAME = ("task", "sequence_tokens", "micro_batch_size", "data_parallel", "pipeline_parallel", "tensor_parallel")
"""What makes two estimates those of one training, spread alike over the same cards."""


def as_held(need: Need, first: ToolCallRecord) -> dict[str, Any]:
    """The settings in which the cards hold it, the mildest with room before others; none where it fits as it is."""
    if _verdict(first.result) != "no":
        return {}
    alike = [
        call.request
        for call in cheaper(need, first)
        if call and all(call.request.get(key) == first.request.get(key) for key in _SAME)
    ]
    held = [(estimate_memory(MemoryRequest.model_validate(one)).model_dump(), one) for one in alike]
    found = next((one for verdict in ("yes", "tight") for result, one in held if _verdict(result) == verdict), None)
    return {key: found[key] for key in SETTINGS if found.get(key)} if found else {}


def _verdict(result: dict[str, Any]) -> str | None:
    return (result.get("fit") or {}).get("verdict")

"""As many of a card as a workload takes, laid out as they hold it."""

from assistant.answer import ToolCallRecord
from assistant.plan import requests
from assistant.plan.call import PlannedCall
from assistant.plan.cheaper import SPREAD
from assistant.plan.layout import counted_layout, shared_by
from tools.need import GpuCount, Need


def on_enough(need: Need, record: ToolCallRecord) -> PlannedCall | None:
    """The memory of the same workload on as many cards as it takes, so that the arithmetic is of the answer."""
    gpu = record.request.get("gpu")
    for minimum in record.result.get("minimum_gpus", ()):
        if gpu and minimum["gpu"] == gpu:
            card = GpuCount(gpu=gpu, count=minimum["count"])
            task = record.request.get("task", "inference")
            spread: dict[str, object] = {}
            if task in SPREAD and card.count != 1 and need.sharding is None:
                spread = {"sharding": shared_by(task, need.engine)}
            elif task == "inference" and need.tensor_parallel is None:
                spread = counted_layout(minimum["layout"])
            used = record.request.get("weight_format")
            return requests.memory(need, card, task=task, weight_format=used, **spread)
    return None

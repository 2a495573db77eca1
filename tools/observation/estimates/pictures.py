"""Figures of generating pictures and clips: seconds of one, and of a denoising step."""

from tools.observation.estimates.expected import Expected
from tools.observation.estimates.memory import overflow_bytes
from tools.observation.estimates.serving import paging_rate, pcie_each_way
from tools.observation.setup import Machine, Setup
from tools.speed.estimate import estimate_inference_speed
from tools.speed.interval import times
from tools.speed.request import InferenceSpeedRequest

MOST_STEPS = 1000


def picture_figures(setup: Setup, machine: Machine, found: Expected) -> None:
    """Seconds of an item and a step; nothing where no card is named."""
    card, asked = setup.card, setup.request
    if card is None:
        return
    speed = estimate_inference_speed(
        InferenceSpeedRequest(
            model=asked.model, gpu=card.id, weight_format=asked.weight_format, width_px=_px(asked.width_px),
            height_px=_px(asked.height_px), frames=asked.frames, concurrent_sequences=asked.images_per_batch or 1,
            steps=asked.steps if asked.steps is None or asked.steps <= MOST_STEPS else None,
        )
    )  # fmt: skip
    item = speed.time_per_image_s or speed.time_per_clip_s
    steps = speed.steps or 1
    if item is None:
        return
    paged = machine.paged_bytes or overflow_bytes(setup, machine, None)
    extra = steps * (paged / paging_rate(setup, machine) + machine.streamed_bytes / pcie_each_way(setup, machine))
    slower = (item.value / machine.clock_ratio + extra) / item.value / (1 - machine.waiting_ratio)
    item = times(item, slower)
    batch = asked.images_per_batch or 1
    found.put("item_s", item)
    found.put("step_s", item, batch / steps)
    found.inverse("it_per_s", item, steps / batch)
    found.binds |= dict.fromkeys(("item_s", "step_s", "it_per_s"), str(speed.bound))
    found.steps += speed.derivation
    found.assumptions += speed.assumptions
    found.warnings += speed.warnings
    found.sources += speed.sources


def _px(size: int | None) -> int | None:
    return None if size is None else min(max(size, 64), 16384)

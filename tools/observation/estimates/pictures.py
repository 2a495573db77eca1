"""Figures of generating pictures and clips: seconds of one, and of a denoising step."""

from collections.abc import Iterator
from typing import Literal

from kb.observation import observation_facts
from tools.memory.estimate import memory_per_gpu
from tools.observation.estimates.expected import Expected
from tools.observation.estimates.memory import memory_request, overflow_bytes
from tools.observation.estimates.serving import paging_rate, pcie_each_way
from tools.observation.setup import Machine, Setup
from tools.speed.estimate import estimate_inference_speed
from tools.speed.interval import times
from tools.speed.request import InferenceSpeedRequest
from tools.speed.result import InferenceSpeed, Interval

MOST_STEPS = 1000
Leaves = Literal["none", "components", "all"]
IN_PARTS: tuple[Leaves, ...] = ("components", "all")
"""What may leave the card where the program was not told to keep it there, the fastest first."""


def picture_figures(setup: Setup, machine: Machine, found: Expected) -> None:
    """Seconds of an item and a step; nothing where no card is named.

    Where the card does not hold the whole pipeline, programs run its parts in turn, or send weights block by block:
    the least that fits is reckoned with, up to the time of sending all, since which of both runs is seldom said.
    """
    if setup.card is None:
        return
    leaves = _leaves(setup, machine)
    speed = _speed(setup, leaves)
    item = speed.time_per_image_s or speed.time_per_clip_s
    if item is None:
        return
    if leaves == "components":
        item = _widened(setup, item)
    steps, batch = speed.steps or 1, setup.request.images_per_batch or 1
    paged = machine.paged_bytes or (overflow_bytes(setup, machine, None) if leaves == "none" else 0.0)
    extra = steps * (paged / paging_rate(setup, machine) + machine.streamed_bytes / pcie_each_way(setup, machine))
    slower = (item.value / machine.clock_ratio + extra) / item.value / (1 - machine.waiting_ratio)
    item = times(item, slower)
    found.put("item_s", _fewer_steps(setup, item))
    found.put("step_s", item, batch / steps)
    found.inverse("it_per_s", item, steps / batch)
    found.binds |= dict.fromkeys(("item_s", "step_s", "it_per_s"), str(speed.bound))
    found.steps += speed.derivation
    found.assumptions += [*speed.assumptions, *_said(leaves, setup)]
    found.warnings += speed.warnings
    found.sources += speed.sources


def _speed(setup: Setup, leaves: Leaves) -> InferenceSpeed:
    """The estimate with so much of the pipeline in host memory."""
    asked = setup.request
    return estimate_inference_speed(
        InferenceSpeedRequest(
            model=asked.model, gpu=setup.card.id if setup.card else "", weight_format=asked.weight_format,
            width_px=_px(asked.width_px), height_px=_px(asked.height_px), frames=asked.frames,
            concurrent_sequences=asked.images_per_batch or 1, offload=None if leaves == "none" else leaves,
            steps=asked.steps if asked.steps is None or asked.steps <= MOST_STEPS else None,
        )
    )  # fmt: skip


def _leaves(setup: Setup, machine: Machine) -> Leaves:
    """What leaves the card: as told, else the least with which it fits; nothing where a driver pages instead."""
    told = setup.request.offload
    if told in ("none", "components", "all"):
        return "none" if told == "none" else "all" if told == "all" else "components"
    if machine.paged_bytes or machine.streamed_bytes or _holds(setup, "none"):
        return "none"
    return next((one for one in IN_PARTS if _holds(setup, one)), "all")


def _holds(setup: Setup, leaves: Leaves) -> bool:
    """Whether the card holds what stays, at the lower end of the estimate."""
    per = memory_per_gpu(memory_request(setup.changed({"offload": leaves})))[0]
    return setup.card is None or per.low_bytes <= setup.card.usable_bytes


def _widened(setup: Setup, item: Interval) -> Interval:
    """Up to the time of sending all weights at every step, which programs do as well where the parts fit barely."""
    sent = _speed(setup, "all")
    other = sent.time_per_image_s or sent.time_per_clip_s
    return item if other is None else item.model_copy(update={"high": max(item.high, other.high)})


def _fewer_steps(setup: Setup, item: Interval) -> Interval:
    """Down to the time of fewer steps where they were not said: workflows take fewer than a model's makers."""
    if setup.request.steps is not None:
        return item
    ratio = float(observation_facts().settings["fewest_steps_ratio"])
    return item.model_copy(update={"low": item.low * ratio})


def _said(leaves: Leaves, setup: Setup) -> Iterator[str]:
    if setup.request.steps is None:
        yield "Steps were not said: the lower end holds for two fifths of the usual ones; distilled models take 4 to 8."
    if leaves != "none" and setup.request.offload is None:
        how = "its parts in turn" if leaves == "components" else "weights sent block by block"
        yield f"The card does not hold the whole pipeline as published: reckoned with {how}."


def _px(size: int | None) -> int | None:
    return None if size is None else min(max(size, 64), 16384)

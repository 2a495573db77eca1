"""Classification, detection and segmentation: images a second, forwards only or in training."""

from typing import NamedTuple

from kb.base import BadInput
from kb.constants.item_work import item_work
from kb.records.model import Model
from tools.speed.item import Chip, ItemTime, bounded

BACKWARD = 3
"""Forwards and backwards over forwards alone."""


class Look(NamedTuple):
    """One forward pass over one image."""

    px: int
    flops: float
    activations: float
    transformer: bool


def look_of(model: Model, px: int | None = None) -> Look:
    """The work of one image of px × px (null = as the model is published).

        transformer: S = (px / patch)² + 1;  FLOPs = L·(24·S·h² + 4·S²·h);  activations ≈ L·S·(14·h + heads·S)

    Raises:
        BadInput: no source states the work of the model.
    """
    known, patched = item_work().images.get(model.id), item_work().patches.get(model.id)
    if known is not None:
        scale = ((px or known.px) / known.px) ** 2
        written = known.activations or item_work().vision.detector_activations * (known.flops / 1e9) ** 0.5
        return Look(px or known.px, known.flops * scale, written * scale, transformer=False)
    if patched is None:
        names = ", ".join(key.split("/")[-1] for key in (*item_work().images, *item_work().patches))
        raise BadInput("model", f"no source states the work of one image for {model.name}.", f"Known: {names}.")
    size = px or patched.px
    layers, hidden = patched.layers or model.layers or 0, patched.hidden or model.hidden_size or 0
    tokens = (size / patched.patch_px) ** 2 + 1
    flops = layers * (24 * tokens * hidden**2 + 4 * tokens**2 * hidden)
    return Look(size, flops, layers * tokens * 5 * hidden, transformer=True)


def image_time(look: Look, chip: Chip, batch: int, *, training: bool = False) -> ItemTime:
    """Seconds of one batch.

        t = √((FLOPs / (peak · reached))² + (activations · bytes / bandwidth)²)

    One image at a time reaches less of the peak and costs the launch of its graph.
    """
    vision = item_work().vision
    bandwidth = chip.bandwidth * (vision.hbm_ratio if chip.hbm else 1.0)
    flops = look.flops * batch * (BACKWARD if training else 1)
    each = (
        vision.training_bytes
        if training
        else vision.forward_bytes["transformer" if look.transformer else "convolution"]
    )
    single = batch == 1 and not training
    compute = flops / (chip.flops_16 * (vision.single_peak_ratio if single else vision.peak_ratio))
    traffic = look.activations * each * batch / bandwidth
    launch = vision.single_launch_s if single else 0.0
    total = compute + launch if single else (compute**2 + traffic**2) ** 0.5
    return ItemTime(compute_s=compute, traffic_s=traffic, launch_s=launch, other_s=0.0,
                    total_s=bounded(chip, flops, total), flops=flops)  # fmt: skip

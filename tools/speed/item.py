"""What one card needs for images, clips and speech: seconds from work, traffic and launches."""

from dataclasses import dataclass

from kb.catalog import model as catalog_model
from kb.constants.item_work import Picture, item_work
from kb.constants.speed_constants import constants
from kb.records.gpu import Gpu
from kb.records.model import Model
from tools.speed.work import rates

ITEM_KINDS = ("diffusion", "video", "vision", "speech")
"""Kinds of model whose speed is counted in images, clips or seconds of audio."""


@dataclass(frozen=True, slots=True)
class Chip:
    """The rates of one card that work without tokens depends on."""

    gpu: Gpu
    bandwidth: float
    flops_16: float

    @property
    def hbm(self) -> bool:
        """Whether the card's memory is stacked."""
        return str(self.gpu.memory_type).startswith("HBM")

    @property
    def family(self) -> str:
        """Architecture without its revision."""
        return self.gpu.architecture.split()[0]


@dataclass(frozen=True, slots=True)
class ItemTime:
    """Seconds of the parts of one batch on one card."""

    compute_s: float
    traffic_s: float
    launch_s: float
    other_s: float
    total_s: float
    flops: float
    """FLOPs of the whole batch."""
    steps: int = 1


def chip_of(gpu: Gpu) -> Chip:
    """The rates of a card.

    Raises:
        BadInput: no source states them.
    """
    bandwidth, flops_16 = rates(gpu)
    return Chip(gpu, bandwidth, flops_16)


def item_kind(name: str | None) -> str | None:
    """The kind of a catalog model that counts images, clips or audio; None for whatever counts tokens."""
    kind = catalog_model(name).kind if name is not None else None
    return kind if kind in ITEM_KINDS else None


def bounded(chip: Chip, flops: float, seconds: float) -> float:
    """Seconds no shorter than the work takes at 95 % of the 16-bit peak (INT8 peak where engines use it: half more)."""
    return max(seconds, flops / (chip.flops_16 * constants().peak_ratio))


def step_flops(model: Model, picture: Picture, width: int, height: int, frames: int) -> float:
    """FLOPs of one pass of a generator over one picture or clip.

        UNet: flops · px / px₀
        transformer: 2·L·S·(12·h²) + 4·L·S²·h,   S = tokens of the picture and of its prompt

    A block has 12·h² weights a token (query, key, value, output, feed-forward of four times the width); with
    `intermediate_size` in the catalog, 6·h² (self- and cross-attention) + 2·h·width. Checks: FLUX.1 at 1024 px
    59.5 + 14.9 = 74.4 TFLOP.
    """
    if picture.flops is not None:
        return picture.flops * width * height / (picture.width_px * picture.height_px)
    layers, hidden = model.layers or 0, model.hidden_size or 0
    latent_frames = (frames - 1) // picture.stride_frames + 1
    spatial = (width / picture.stride_px) * (height / picture.stride_px) * (1 + picture.input_images)
    cross = model.intermediate_size is not None
    tokens = spatial * latent_frames + (0 if cross else item_work().generate.text_tokens)
    block = 6 * hidden**2 + 2 * hidden * (model.intermediate_size or 0) if cross else 12 * hidden**2
    return layers * (2 * tokens * block + 4 * tokens**2 * hidden)

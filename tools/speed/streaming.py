"""Pictures and clips whose weights lie in host memory: what moves to the card, and the time that takes."""

from dataclasses import dataclass

from kb.constants.offloading import offloading
from kb.constants.speed_constants import constants
from kb.machines.links import pcie_bytes_per_s, pcie_slot
from kb.records.gpu import Gpu
from tools.memory.diffusion import host_weights
from tools.memory.estimate import peak_phase
from tools.memory.interval import interval
from tools.memory.request import MemoryRequest
from tools.memory.workload import workload_of
from tools.speed.pictures import Shot
from tools.speed.request import InferenceSpeedRequest

LANES = 16
"""Of a whole slot."""


@dataclass(frozen=True, slots=True)
class Streamed:
    """What the host sends in the course of one batch."""

    moved: float
    """Bytes over all steps."""
    share: float
    """Of the denoiser's weights, what does not stay on the card."""
    seconds: float
    """Of sending them, by themselves."""
    host: int
    """Bytes of all weights in host memory."""


def streamed(request: InferenceSpeedRequest, shot: Shot, gpu: Gpu) -> Streamed | None:
    """What is sent when weights leave the card; null where everything stays on it.

        components: every part once
        all:        steps · passes · (denoiser − what the card has room for), and every other part once

    A card has room for what the streamed pipeline itself, at its upper end, leaves of its usable memory. Guidance by
    two passes reads the weights twice.

    Source: DiffSynth-Studio's Wan 2.1 14B on an A100: 18.5 s a step with all of it on the card, 20.8 with half, 23.4
    with nothing (2 · 28.6 GB at 11.7 GB/s more).
    """
    if request.offload is None:
        return None
    work = workload_of(
        MemoryRequest.model_validate(
            {"task": "inference", "model": request.model, "weight_format": request.weight_format,
             "width_px": shot.width, "height_px": shot.height, "frames": shot.frames, "offload": request.offload,
             "images_per_batch": shot.batch, "engine": request.engine}
        )
    )[0]  # fmt: skip
    everything, denoiser = host_weights(work)
    moved, share = everything, 0.0
    if request.offload == "all":
        room = max(gpu.usable_bytes - interval(work, peak_phase(work))[1], 0)
        share = max(1 - room / denoiser, 0.0)
        moved = everything - denoiser + denoiser * (share * shot.steps * shot.picture.passes + 1 - share)
    return Streamed(moved, share, moved / slot_bytes_per_s(gpu), int(everything))


def slot_bytes_per_s(gpu: Gpu) -> float:
    """From host memory to the card, as reached: what large transfers do, less over fewer lanes or an older bus."""
    usual, both, slot = constants().training.pcie_bytes_per_s, pcie_bytes_per_s(gpu), pcie_slot(gpu)
    if not both or not slot:
        return usual
    return min(usual, both / 2 * slot[1] / LANES * offloading().pcie_reached_ratio.value)

"""Time of training generators of pictures: a step in passes of the network forward."""

from dataclasses import dataclass, replace

from kb.constants.item_work import item_work
from kb.constants.speed_constants import constants, speed_sources
from tools.base import Step
from tools.named import cited, read_card, vouching
from tools.speed.interval import inverse, times
from tools.speed.item import Chip, chip_of
from tools.speed.pictures import Shot, picture_time, shot_of
from tools.speed.request import InferenceSpeedRequest
from tools.speed.result import Interval
from tools.training_time.request import TrainingTimeRequest
from tools.training_time.result import TrainingTime
from tools.training_time.steps import samples_per_step, steps_of

RATES = ("bandwidth_bytes_per_s", "bf16_flops", "fp16_flops")
ADAPTERS = ("lora", "qlora")


@dataclass(frozen=True, slots=True)
class _Pass:
    """One pass of the network over a micro-batch, without guidance."""

    seconds: float
    flops: float


def estimate_picture_training(request: TrainingTimeRequest) -> TrainingTime:
    """The time of training a generator of pictures, or adapters of one.

        step = accumulation · passes · seconds of one pass forward over the micro-batch

    Cards work on different pictures, so a step takes as long on several as on one.
    """
    gpu, said = read_card(request.card)
    chip, constant = chip_of(gpu), item_work().picture_training
    shot = _shot(request)
    forward = _forward(shot, chip)
    passes = constant.adapter_passes if request.task in ADAPTERS else constant.full_passes
    value = (request.accumulation or 1) * passes * forward.seconds
    step = Interval(value=value, low=value / constant.down_ratio, high=value * constant.up_ratio)
    steps, cards = steps_of(request), request.gpu_count or 1
    goodput = request.goodput_ratio or constants().training.goodput_best
    wall = times(step, steps / goodput) if steps else None
    rate = inverse(step, samples_per_step(request))
    each = forward.flops * passes
    known = speed_sources()
    return TrainingTime(
        model=shot.model.id, task=request.task, gpu=gpu.id, gpu_count=request.gpu_count, precision=request.precision,
        steps=steps, step_s=step, samples_per_s_per_gpu=times(rate, 1 / cards),
        samples_per_s_total=rate if request.gpu_count else None, time_s=wall if request.gpu_count else None,
        gpu_hours=times(wall, cards / 3600) if wall else None, flops_total=each * steps * cards if steps else None,
        goodput_ratio=goodput, label="formula", derivation=tuple(_steps(forward, passes, step, steps, wall)),
        assumptions=(
            *said, f"Pictures of {shot.width} × {shot.height} pixels, {shot.batch} a card and step.",
            "Mixed precision, gradient checkpointing, latents kept from the first pass over the data.",
            "All of it fits the card: where the driver swaps to the host instead, a step takes ten times as long.",
        ),
        sources=(*(known[key] for key in constant.sources), *cited(vouching(gpu, RATES))),
    )  # fmt: skip


def _shot(request: TrainingTimeRequest) -> Shot:
    asked = InferenceSpeedRequest(
        model=request.model, gpu=request.card, width_px=request.image_px, height_px=request.image_px,
        concurrent_sequences=request.micro_batch_size or 1,
    )  # fmt: skip
    return shot_of(asked)[0]


def _forward(shot: Shot, chip: Chip) -> _Pass:
    """What one more denoising step takes, less its second pass for guidance; decoder and prompt drop out."""
    one, two = (picture_time(replace(shot, steps=steps), chip) for steps in (1, 2))
    return _Pass((two.total_s - one.total_s) / shot.picture.passes, one.flops / shot.picture.passes)


def _steps(forward: _Pass, passes: float, step: Interval, steps: int | None, wall: Interval | None) -> list[Step]:
    source = item_work().picture_training.sources[0]
    found = [
        Step(label="One pass forward", formula="as for generating, without guidance", value=forward.seconds, unit="s",
             inputs={"flops": forward.flops}, source=item_work().fit.source),
        Step(label="One step", formula="accumulation · passes · one pass forward", value=step.value, unit="s",
             inputs={"passes": passes}, source=source),
    ]  # fmt: skip
    if steps and wall:
        found.append(Step(label="Time", formula="steps · one step / goodput", value=wall.value, unit="s",
                          inputs={"steps": steps}, source=source))  # fmt: skip
    return found

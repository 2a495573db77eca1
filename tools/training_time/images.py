"""Time of training networks that look at images: images a second from work and memory traffic."""

import math

from kb.catalog import model as catalog_model
from kb.constants.item_work import item_work
from kb.constants.speed_constants import constants, speed_sources
from tools.base import Step
from tools.named import cited, read_card, vouching
from tools.speed.evidence import Case, case, corrected, least_factor
from tools.speed.interval import inverse
from tools.speed.item import Chip, ItemTime, chip_of
from tools.speed.result import Interval
from tools.speed.vision import image_time, look_of
from tools.training_time.request import TrainingTimeRequest
from tools.training_time.result import TrainingTime

RATES = ("bandwidth_bytes_per_s", "bf16_flops", "fp16_flops")
BATCH = 64
KILO = 1000


def image_training_time(request: TrainingTimeRequest, chip: Chip) -> tuple[ItemTime, int, int, int]:
    """(seconds of one batch on one card, its images, pixels of a side, cards).

    t = √((3·FLOPs / (peak · reached))² + (activations · bytes / bandwidth)²) · (1 + loss · log₂ cards)
    """
    look = look_of(catalog_model(str(request.model)), request.image_px)
    batch, cards = request.micro_batch_size or BATCH, request.gpu_count or 1
    return image_time(look, chip, batch, training=True), batch, look.px, cards


def image_rate(request: TrainingTimeRequest, chip: Chip) -> float:
    """Images a second of one card, by the formula alone."""
    time, batch, _, cards = image_training_time(request, chip)
    return batch / (time.total_s * (1 + item_work().vision.scaling_loss * math.log2(cards)))


def most_images(request: TrainingTimeRequest) -> float:
    """Images a second of one card that no number of cards and no near measurement exceeds.

    Raises:
        BadInput: the card has no stated rate.
    """
    chip = chip_of(read_card(request.card)[0])
    alone = request.model_copy(update={"gpu_count": 1})
    return image_rate(alone, chip) / least_factor(_case(alone, chip), "training_images")


def _case(request: TrainingTimeRequest, chip: Chip) -> Case:
    _, batch, px, cards = image_training_time(request, chip)
    name, gpu = catalog_model(str(request.model)), chip.gpu
    return case(name.id, gpu.id, gpu.architecture, "pytorch", "16", False, name.params, cards, batch, px**2 / KILO, 0)


def estimate_image_training(request: TrainingTimeRequest) -> TrainingTime:
    """The time of training a classifier, detector or segmenter on images."""
    gpu, said = read_card(request.card)
    chip = chip_of(gpu)
    time, batch, px, cards = image_training_time(request, chip)
    name, vision = catalog_model(str(request.model)), item_work().vision
    near = corrected(_case(request, chip), "training_images")
    value = image_rate(request, chip) / near.factor
    power = 1.0 - (1.0 - constants().intervals.measured_ratio) * min(near.weight, 1.0)
    rate = Interval(value=value, low=value / vision.down_ratio**power, high=value * vision.up_ratio**power)
    goodput = request.goodput_ratio or constants().training.goodput_best
    samples = request.dataset_samples * request.epochs if request.dataset_samples else None
    hours = inverse(rate, samples / 3600 / goodput) if samples else None
    each = time.flops / batch
    count = request.gpu_count
    total = Interval(value=value * cards, low=rate.low * cards, high=rate.high * cards) if count else None
    wall = Interval(**{end: getattr(hours, end) * 3600 / cards for end in ("value", "low", "high")}) if hours else None
    known, ids = speed_sources(), dict.fromkeys([item_work().fit.source, *(row.source for row in near.evidence)])
    return TrainingTime(
        model=name.id, task=request.task, gpu=gpu.id, gpu_count=count, precision=request.precision,
        samples_per_s_per_gpu=rate, samples_per_s_total=total, time_s=wall if count else None, gpu_hours=hours,
        model_flops_utilisation=each * value / chip.flops_16, flops_total=each * samples if samples else None,
        goodput_ratio=goodput, label=near.label, evidence=near.evidence,
        derivation=tuple(_steps(chip, time, rate, samples, hours)),
        assumptions=(
            *said, f"Images of {px} × {px} pixels, mixed precision, {batch} a card and step.",
            "Reading and decoding the images keeps up: about 2 to 3 CPU cores for a thousand images a second.",
        ),
        sources=(*(known[key] for key in ids if key in known), *cited(vouching(gpu, RATES))),
    )  # fmt: skip


def _steps(chip: Chip, time: ItemTime, rate: Interval, samples: float | None, hours: Interval | None) -> list[Step]:
    fit = item_work().fit.source
    steps = [
        Step(label="Multiplying", formula="3 · FLOPs / (peak · reached)", value=time.compute_s, unit="s_per_batch",
             inputs={"flops": time.flops, "peak_flops": chip.flops_16}, source=fit),
        Step(label="Reading and writing memory", formula="activations · bytes / bandwidth", value=time.traffic_s,
             unit="s_per_batch", inputs={"bandwidth_bytes_per_s": chip.bandwidth}, source=fit),
        Step(label="Rate of one card", formula="batch / √(multiplying² + memory²), corrected", value=rate.value,
             unit="samples_per_s", source=fit),
    ]  # fmt: skip
    if samples and hours:
        steps.append(Step(label="GPU-hours", formula="samples / rate / 3600 / goodput", value=hours.value,
                          unit="gpu_hours", inputs={"samples": samples}, source=fit))  # fmt: skip
    return steps

"""Images, clips and audio: one request in, items a second and the time of all of them out."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from kb.catalog import model as catalog_model
from kb.constants.item_work import item_work
from kb.constants.speed_constants import constants, speed_sources
from kb.records.gpu import Gpu
from kb.records.source import Source
from tools.base import Step
from tools.memory.formats import held_in
from tools.named import cited, read_card, vouching
from tools.speed.evidence import Correction, case, corrected
from tools.speed.interval import inverse, keeping_up, times
from tools.speed.item import Chip, ItemTime, chip_of, item_kind
from tools.speed.pictures import picture_time, shot_of
from tools.speed.request import InferenceSpeedRequest
from tools.speed.result import Bound, InferenceSpeed, Interval
from tools.speed.speech import Heard, by_windows, live, window_time
from tools.speed.streaming import Streamed, streamed
from tools.speed.vision import image_time, look_of

RATES = ("bandwidth_bytes_per_s", "bf16_flops", "fp16_flops")
KILO = 1000
LIVE = (
    "Live speech is heard window by window anew: what recorded speech is put through at says nothing of the streams "
    "that are kept up with. A detector that leaves silence out, or a model made for streams, does more."
)

NO_BF16 = (
    "The card has no BF16 arithmetic: this is the time in FP16, which the model and the program have to bear; told to "
    "compute in BF16 a program emulates it: FLUX.1-dev took a V100 7 minutes for 50 steps instead of 90 s "
    "(diffusers issue 9095)."
)
"""https://github.com/huggingface/diffusers/issues/9095"""


@dataclass(frozen=True, slots=True)
class ItemPace:
    """One batch on one card, and what its items are."""

    kind: str
    """diffusion, video, vision or speech."""
    chip: Chip
    engine: str
    batch: int
    items: float
    """Items of the batch: images, clips, seconds of audio."""
    time: ItemTime
    size: float
    """Thousands of pixels of an item, for telling near measurements from far ones."""
    up_ratio: float
    down_ratio: float
    assumptions: tuple[str, ...]
    format: str = "16"
    """Bits the products are computed in."""
    sent: Streamed | None = None
    """What comes from host memory."""

    @property
    def rate(self) -> float:
        """Items a second of one card."""
        return self.items / self.time.total_s


def item_pace(request: InferenceSpeedRequest, gpu: Gpu) -> ItemPace:
    """What the formulas give for one card."""
    kind = item_kind(request.model)
    builders: dict[str, Callable[[InferenceSpeedRequest, Chip], ItemPace]] = {
        "diffusion": _pictures, "video": _pictures, "vision": _images, "speech": _audio,
    }  # fmt: skip
    return builders[str(kind)](request, chip_of(gpu))


def estimate_item_speed(request: InferenceSpeedRequest) -> InferenceSpeed:
    """The speed of a generator of pictures, of a network that looks at images, or of a transcriber."""
    gpu, said = read_card(request.gpu)
    found = item_pace(request, gpu)
    name = catalog_model(str(request.model))
    near = item_correction(name.id, name.params, found)
    rate = _rate(found, near, request.gpu_count)
    amount = {"speech": request.audio_s}.get(found.kind, request.images)
    asked_rates = {"speech": request.audio_s_per_s, **dict.fromkeys(("diffusion", "vision"), request.images_per_s)}
    wanted = asked_rates.get(found.kind)
    parts: dict[str, Interval | None] = {}
    each: tuple[str, ...] = ()
    windows, spoken = None, None
    if found.kind == "speech":
        parts = {"audio_s_per_s": rate, "realtime_factor": inverse(rate)}
        windows = by_windows(rate, request)
        each = () if request.concurrent_sequences > 1 else (_waited(found, rate.value / request.gpu_count),)
        spoken = live(rate, windows, Heard(name, found.time), request)
    elif found.kind == "video":
        parts = {"images_per_s": None, "time_per_clip_s": inverse(rate, request.gpu_count * found.items)}
    else:
        parts = {"images_per_s": rate, "time_per_image_s": inverse(rate, request.gpu_count * found.items)}
    if request.measured_s and request.measured_gpu and found.kind in ("diffusion", "video"):
        parts["time_as_measured_s"] = _as_measured(request, next(filter(None, reversed([*parts.values()]))))
    return InferenceSpeed(
        model=name.id, gpu=gpu.id, gpu_count=request.gpu_count,
        weight_format=held_in(request.weight_format or "fp16", gpu), engine=found.engine,
        tensor_parallel=1, pipeline_parallel=1, replicas=request.gpu_count,
        concurrent_sequences=found.batch, input_tokens=0, output_tokens=0,
        label=near.label, time_s=inverse(rate, amount) if amount else None,
        items_within=times(windows.batched if windows else rate, request.within_s) if request.within_s else None,
        gpus_needed=keeping_up(rate, wanted, request.gpu_count), evidence=near.evidence,
        derivation=tuple(_steps(found, near, rate, request.gpu_count)), assumptions=(*said, *found.assumptions, *each),
        host_bytes=found.sent.host if found.sent else None,
        streamed_ratio=found.sent.share if found.sent and request.offload == "all" else None,
        bound="interconnect" if found.sent and found.sent.seconds > found.time.compute_s else _bound(found.time),
        steps=found.time.steps if found.kind in ("diffusion", "video") else None,
        warnings=_warnings(request, gpu), sources=_sources(found, near), windows=windows, live=spoken, **parts,
    )  # fmt: skip


def _waited(found: ItemPace, rate: float) -> str:
    """How long a batch of windows takes, and one that has the card to itself: rates say neither."""
    speech = item_work().speech
    alone = speech.window_s / rate
    return (
        f"A batch of {found.batch} windows is done in {found.items * found.batch / rate:.3g} s; a clip of "
        f"{speech.window_s:.0f} s by itself takes {alone * speech.sequential_least_ratio:.3g} to "
        f"{alone * speech.sequential_ratio:.3g} s."
    )


def _as_measured(request: InferenceSpeedRequest, here: Interval) -> Interval:
    """measured · estimate here / estimate there: what both have in common (steps, size, program) drops out."""
    changes = {"gpu": request.measured_gpu, "gpu_count": 1, "measured_s": None, "measured_gpu": None}
    other = estimate_item_speed(request.model_copy(update=changes))
    there = other.time_per_clip_s or other.time_per_image_s
    return times(here, (request.measured_s or 0.0) / there.value) if there else here


def item_correction(model: str, params: int, found: ItemPace) -> Correction:
    """What near measurements say of this pace."""
    asked = case(
        model, found.chip.gpu.id, found.chip.gpu.architecture, found.engine, found.format, False, params, 1,
        found.batch, found.size, found.time.steps,
    )  # fmt: skip
    return corrected(asked, "audio" if found.kind == "speech" else "images")


def _pictures(request: InferenceSpeedRequest, chip: Chip) -> ItemPace:
    shot, said = shot_of(request)
    rates, video = item_work().generate, shot.frames > 1
    up, down = (rates.video_up_ratio, rates.video_down_ratio) if video else (rates.up_ratio, rates.down_ratio)
    time, sent = picture_time(shot, chip), streamed(request, shot, chip.gpu)
    if sent is not None:
        # Programs overlap sending and computing wholly, by half or not at all: the ends of the interval.
        alone, together = time.total_s, (time.total_s**2 + sent.seconds**2) ** 0.5
        up, down = up * together / max(alone, sent.seconds), down * (alone + sent.seconds) / together
        time = replace(time, total_s=together)
    return ItemPace(
        kind="video" if video else "diffusion", chip=chip, engine=shot.engine, batch=shot.batch, items=shot.batch,
        time=time, size=shot.width * shot.height * shot.frames / KILO, up_ratio=up,
        down_ratio=down, assumptions=tuple(said), format="8" if shot.eight_bit else "16", sent=sent,
    )  # fmt: skip


def _images(request: InferenceSpeedRequest, chip: Chip) -> ItemPace:
    vision = item_work().vision
    look = look_of(catalog_model(str(request.model)), request.width_px)
    batch = request.concurrent_sequences
    said = [f"Images of {look.px} × {look.px} pixels, 16-bit arithmetic; reading and decoding files is not counted."]
    if batch == 1 and request.images is not None:
        batch = vision.server_batch
    said.append("One image at a time, in a compiled graph." if batch == 1 else f"Batches of {batch} images.")
    return ItemPace(
        kind="vision", chip=chip, engine="pytorch", batch=batch, items=batch, time=image_time(look, chip, batch),
        size=look.px**2 / KILO, up_ratio=vision.up_ratio, down_ratio=vision.down_ratio, assumptions=tuple(said),
    )  # fmt: skip


def _audio(request: InferenceSpeedRequest, chip: Chip) -> ItemPace:
    speech = item_work().speech
    stated = request.concurrent_sequences > 1
    batch = request.concurrent_sequences if stated else speech.batch
    time = window_time(catalog_model(str(request.model)), chip, batch)
    longer = f"{speech.sequential_least_ratio:.0f} to {speech.sequential_ratio:.0f} times as long"
    said = (
        f"Speech in windows of {speech.window_s:.0f} s, {batch} at once; one at a time takes {longer}.",
        f"{speech.tokens_per_window} tokens a window; no silence is skipped.",
    )
    return ItemPace(
        kind="speech", chip=chip, engine="pytorch", batch=batch, items=speech.window_s, time=time, size=0,
        up_ratio=speech.up_ratio, down_ratio=speech.down_ratio if stated else speech.sequential_ratio, assumptions=said,
    )  # fmt: skip


def _rate(found: ItemPace, near: Correction, cards: int) -> Interval:
    """Items a second of all cards, with the interval of their kind; narrower as near measurements carry weight."""
    value = found.rate / near.factor
    most = found.items * found.chip.flops_16 * constants().peak_ratio / found.time.flops
    value = min(value, most) * cards
    power = 1.0 - (1.0 - constants().intervals.measured_ratio) * min(near.weight, 1.0)
    sequential = found.down_ratio > item_work().speech.down_ratio and found.kind == "speech"
    down = found.down_ratio if sequential else found.down_ratio**power  # no near batch tells of windows one by one
    return Interval(value=value, low=value / down, high=value * found.up_ratio**power)


def _bound(time: ItemTime) -> Bound:
    parts: dict[Bound, float] = {
        "compute": time.compute_s, "memory_bandwidth": time.traffic_s, "latency": time.launch_s,
    }  # fmt: skip
    return max(parts, key=lambda part: parts[part])


def _steps(found: ItemPace, near: Correction, rate: Interval, cards: int) -> list[Step]:
    time, fit = found.time, item_work().fit.source
    unit = "s_per_window" if found.kind == "speech" else "s_per_batch"
    parts = (
        ("Multiplying", "FLOPs / (peak · reached)", time.compute_s),
        ("Reading and writing memory", "bytes / bandwidth", time.traffic_s),
        ("Launching kernels", "passes · launch", time.launch_s),
        ("Decoder and prompt", "decoder FLOPs / rate + text", time.other_s),
        ("Sending weights from host memory", "bytes moved / PCIe", found.sent.seconds if found.sent else 0.0),
        ("Together", "overlapped as in docs/speed.md", time.total_s),
    )
    steps = [
        Step(label=label, formula=formula, value=value, unit=unit, source=fit,
             inputs={"flops": time.flops, "peak_flops": found.chip.flops_16, "batch": found.batch})
        for label, formula, value in parts if value
    ]  # fmt: skip
    if near.weight:
        steps.append(Step(label="Correction by near measurements", formula="exp(Σ k · log(measured / formula) / Σ k)",
                          inputs={"weight": round(near.weight, 3)}, value=near.factor, source=fit))  # fmt: skip
    return [*steps, Step(label="Rate of all cards", formula="items · cards / seconds", inputs={"cards": cards},
                         value=rate.value, unit="items_per_s", source=fit)]  # fmt: skip


def _warnings(request: InferenceSpeedRequest, gpu: Gpu) -> tuple[str, ...]:
    if request.live_chunk_s is not None and item_kind(request.model) == "speech":
        return (LIVE,)
    if request.gpu_count > 1:
        return ("Several cards work on different items: one item is not finished sooner.",)
    if item_kind(request.model) in ("diffusion", "video") and gpu.vendor == "NVIDIA" and not gpu.bf16_flops:
        return (NO_BF16,)
    return ()


def _sources(found: ItemPace, near: Correction) -> tuple[Source, ...]:
    known = speed_sources()
    ids = dict.fromkeys([item_work().fit.source, *(row.source for row in near.evidence)])
    return (*(known[key] for key in ids if key in known), *cited(vouching(found.chip.gpu, RATES)))

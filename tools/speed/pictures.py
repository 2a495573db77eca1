"""Generating images and video: denoising steps, guidance and the decoder."""

from dataclasses import dataclass

from kb.base import BadInput
from kb.catalog import model as catalog_model
from kb.constants.item_work import Picture, item_work
from kb.constants.speed_constants import constants
from kb.records.model import Model
from tools.speed.item import Chip, ItemTime, step_flops
from tools.speed.request import InferenceSpeedRequest

ENGINE = "diffusers"
EIGHT_BIT = ("fp8", "int8")
LEAST_DISTILLED, MOST_DISTILLED = 4, 8
"""Steps that distilled weights are run with; fewer are run to time a step."""
DISTILLED_CLIPS = ("Wan", "HunyuanVideo")
"""Beginnings of families of clips with distilled weights for few steps (Lightning, lightx2v); others are timed with
guidance (LTX-2 in eight steps, SGLang issue 23137)."""


@dataclass(frozen=True, slots=True)
class Shot:
    """One picture or clip as it is asked for, every default resolved."""

    model: Model
    picture: Picture
    width: int
    height: int
    frames: int
    steps: int
    batch: int
    engine: str
    eight_bit: bool


def shot_of(request: InferenceSpeedRequest) -> tuple[Shot, list[str]]:
    """The picture asked for, and what was assumed.

    Raises:
        BadInput: no source says how much work the model is.
    """
    model = catalog_model(str(request.model))
    picture = item_work().pictures.get(model.id)
    if picture is None or (picture.flops is None and not (model.layers and model.hidden_size)):
        known = ", ".join(key.split("/")[-1] for key in item_work().pictures)
        raise BadInput("model", f"no source states the work of one step of {model.name}.", f"Known: {known}.")
    engine = ENGINE if request.engine in (None, "comfyui") else request.engine
    if engine not in item_work().generate.engine_ratios:
        raise BadInput("engine", f"{engine} does not generate pictures.", "Name diffusers or tensorrt-llm.")
    distilled = (
        picture.passes > 1
        and request.steps is not None
        and LEAST_DISTILLED <= request.steps <= few_steps(picture.steps)
        and (model.kind != "video" or model.family.startswith(DISTILLED_CLIPS))
    )
    if distilled:
        picture = picture.model_copy(update={"passes": 1})
    shot = Shot(
        model=model, picture=picture, width=request.width_px or picture.width_px,
        height=request.height_px or picture.height_px, frames=request.frames or picture.frames,
        steps=request.steps or picture.steps, batch=request.concurrent_sequences, engine=engine,
        eight_bit=(request.weight_format or "").lower() in EIGHT_BIT,
    )  # fmt: skip
    said = []
    if distilled:
        said.append(f"{shot.steps} steps are run with distilled weights (Turbo, Lightning …): without guidance.")
    if request.steps is None:
        guided = ", with guidance" if picture.passes > 1 else ""
        said.append(f"{shot.steps} steps{guided}, as the model is usually run.")
    if request.width_px is None or request.height_px is None:
        said.append(f"{shot.width} × {shot.height} pixels." if shot.frames == 1 else
                    f"{shot.width} × {shot.height} pixels, {shot.frames} frames.")  # fmt: skip
    program = "TensorRT engines" if engine == "tensorrt-llm" else "PyTorch without compiling"
    said.append(f"{program}, 16-bit weights; compiled graphs are 10 to 60 % faster.")
    return shot, said


def few_steps(usual: int) -> int:
    """Steps up to which weights are distilled ones, which were trained to need no guidance: a quarter of the usual
    number, at most eight.

    Source: Lightning weights of Wan and Qwen-Image run 4 to 8 steps at a guidance scale of 1
    (https://huggingface.co/lightx2v/Wan2.2-Lightning).
    """
    return min(usual // 4, MOST_DISTILLED)


def picture_time(shot: Shot, chip: Chip) -> ItemTime:
    """Seconds of one batch.

        t = steps · √((passes·FLOPs·batch / (peak·reached))² + (FLOPs·bytes / bandwidth)² + launch²) + decoder + text

    Launching hides behind the products when these take longer. Memory traffic is that of UNets; in transformers it
    hides.
    """
    rates, picture = item_work().generate, shot.picture
    reached = _reached(shot, chip)
    flops = picture.passes * step_flops(shot.model, picture, shot.width, shot.height, shot.frames) * shot.batch
    compute = flops / (chip.flops_16 * reached)
    bytes_per_flop = picture.bytes_per_flop or rates.unet_bytes_per_flop
    traffic = flops * bytes_per_flop / chip.bandwidth if picture.flops is not None else 0.0
    launch = rates.launch_s[shot.engine]
    step = (compute**2 + traffic**2 + launch**2) ** 0.5
    pixels = shot.width * shot.height * shot.frames * shot.batch
    decoder = rates.vae_flops_per_px * pixels / (chip.flops_16 * min(reached, 0.5) * rates.vae_ratio)
    total = shot.steps * step + decoder + rates.text_s
    return ItemTime(
        compute_s=shot.steps * compute, traffic_s=shot.steps * traffic, launch_s=shot.steps * launch,
        other_s=decoder + rates.text_s, total_s=total, flops=shot.steps * flops, steps=shot.steps,
    )  # fmt: skip


def _reached(shot: Shot, chip: Chip) -> float:
    """Share of the 16-bit peak that the products reach; beyond 1 only with eight-bit weights, whose peak is higher."""
    rates = item_work().generate
    share = rates.peak_ratios.get(chip.family, rates.peak_ratios["other"])
    share = rates.peak_ratios.get(chip.gpu.architecture, share)
    share = rates.peak_ratios.get(f"{chip.family} {chip.gpu.market}", share)
    if chip.hbm:
        share = rates.hbm_peak_ratios.get(chip.family, share)
        share = rates.video_hbm_peak_ratios.get(chip.family, share) if shot.frames > 1 else share
    share *= rates.engine_ratios[shot.engine] * (rates.unet_ratio if shot.picture.flops is not None else 1.0)
    peak = constants().peak_ratio
    if not (shot.eight_bit and chip.gpu.fp8_flops and shot.engine == "tensorrt-llm"):
        return min(share, peak)
    return min(share * rates.eight_bit_ratio, peak * float(chip.gpu.fp8_flops) / chip.flops_16)

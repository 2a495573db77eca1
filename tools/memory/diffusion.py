"""Image and video pipelines: every resident component, the denoiser's step, the decoder's peak."""

from functools import lru_cache
from typing import NamedTuple

from kb.constants.item_work import item_work
from kb.constants.memory_constants import constants
from kb.models import models
from kb.records.model import Component
from tools.memory.formats import WeightFormat
from tools.memory.sharding import ranks_for
from tools.memory.term import Phase, Term, constant
from tools.memory.workload import Workload

DENOISERS = ("transformer", "unet", "dit", "denoiser", "mmdit", "prior", "expert", "noise")
LARGE_TEXT_ENCODER = 1_000_000_000
"""From this many parameters on (T5-XXL, language models) text encoders are quantised too."""
WHOLE = "comfyui"
"""The program that makes each picture or clip on one card, however many there are."""
DECODERS = ("vae", "decoder", "vqgan", "autoencoder")


class Pipeline(NamedTuple):
    """Parameters by role."""

    denoiser: int
    text: int
    decoder: int
    largest_denoiser: int
    """Of several that take turns (Wan 2.2's experts for high and low noise)."""


def diffusion_phases(work: Workload) -> tuple[Phase, ...]:
    """Encoding the prompt, denoising, decoding: the components are shared, the transients are not.

    Without offload every component stays resident; with `components` each phase holds its own; with `all` weights
    stream through layer by layer.
    """
    pipe = pipeline_of(work)
    base = _base(work)
    if work.training:
        return _training(work, pipe, base)
    step, decode = _step(work), _decode(work)
    everything = _weights(work, pipe)
    if work.offload == "components":
        alone = _weights(work, pipe._replace(denoiser=pipe.largest_denoiser))
        text, denoiser, decoder = (tuple(t for t in alone if t.label == name) for name in _LABELS)
        rest = (Phase("denoising", (*denoiser, step, *base)), Phase("decoding", (*decoder, decode, *base)))
        return rest if _encodes_on_host(work) else (Phase("encoding the prompt", (*text, *base)), *rest)
    if work.offload == "all":
        layer = _streamed(work, pipe)
        return (Phase("denoising", (layer, step, *base)), Phase("decoding", (layer, decode, *base)))
    if _encodes_apart(work):
        everything = tuple(term for term in everything if term.label != _LABELS[0])
    return (Phase("denoising", (*everything, step, *base)), Phase("decoding", (*everything, decode, *base)))


def _encodes_on_host(work: Workload) -> bool:
    """Whether the text encoder is larger than the denoiser: programs that move parts in turn then run it on the CPU.

    It runs once a picture; ComfyUI and stable-diffusion.cpp do so by themselves, diffusers when told.
    """
    sizes = {term.label: term.bytes for term in _weights(work, pipeline_of(work))}
    return sizes.get(_LABELS[0], 0.0) > sizes.get(_LABELS[1], 0.0)


_LABELS = ("Text encoders", "Denoiser", "Decoder")


def pipeline_of(work: Workload) -> Pipeline:
    """Components by role; a model without components is all denoiser."""
    components = work.shape.components
    if not components:
        return Pipeline(work.shape.params, 0, 0, work.shape.params)
    denoisers = [part.params for part in components if _is(part, DENOISERS)]
    denoiser = sum(denoisers)
    decoder = sum(part.params for part in components if _is(part, DECODERS))
    if not denoiser:
        denoiser = max(part.params for part in components)
        denoisers = [denoiser]
    text = max(sum(part.params for part in components) - denoiser - decoder, 0)
    return Pipeline(denoiser, text, decoder, max(denoisers))


def assumptions(work: Workload) -> list[str]:
    """What the estimate takes for granted about the pipeline."""
    said = []
    if not work.shape.components:
        said.append("Only the denoiser's parameters are known: text encoders and decoder are not counted.")
    if _encodes_apart(work) and not work.training and work.offload == "none":
        said.append("The text encoder leaves the GPU once the prompt is encoded, as published video scripts do.")
    if work.offload == "components" and not work.training and _encodes_on_host(work):
        said.append("The text encoder, larger than the denoiser, encodes the prompt on the CPU.")
    if work.format.quantised:
        scope = "the denoiser" if work.format.name.startswith("gguf:") else "the denoiser and large text encoders"
        said.append(f"The weight format applies to {scope}; the rest stays at 16 bits.")
    width, height, frames = _pixels(work)
    said.append(f"{width} × {height} pixels, {frames} frame(s), {work.images} a batch.")
    return said


def _is(part: Component, names: tuple[str, ...]) -> bool:
    return any(name in part.name.lower() for name in names)


def _encodes_apart(work: Workload) -> bool:
    """Whether the pipeline's own script, and not an engine the asker named, runs it."""
    scripts = constants().diffusion.script_families
    return not work.engine_stated and work.offload == "none" and _in_family(work, scripts)


def _in_family(work: Workload, families: tuple[str, ...]) -> bool:
    return any(work.shape.family.lower().startswith(family.lower()) for family in families)


def _weights(work: Workload, pipe: Pipeline) -> tuple[Term, ...]:
    source, form = constants().formats.source, work.format
    ways = 1 if work.engine == WHOLE else max(work.tensor * work.pipeline, 1)
    # GGUF files hold the denoiser alone; other stacks quantise a large text encoder along with it.
    text_bits = form.body_bits if pipe.text > LARGE_TEXT_ENCODER and not form.name.startswith("gguf:") else _wide(form)
    rows = zip(_LABELS, (pipe.text, pipe.denoiser, pipe.decoder), (text_bits, form.body_bits, _wide(form)), strict=True)
    return tuple(
        Term("weights", label, params * bits / 8 / (ways if label == _LABELS[1] else 1), "params · bits / 8 / gpus",
             {"params": params, "bits": bits, "gpus": ways if label == _LABELS[1] else 1}, source)
        for label, params, bits in rows
        if params
    )  # fmt: skip


def _wide(form: WeightFormat) -> float:
    return max(form.body_bits, 16.0)


def _streamed(work: Workload, pipe: Pipeline) -> Term:
    """Two blocks at a time of what is streamed from host memory: one computes, the next arrives."""
    layers = max(work.shape.layers, 20)
    largest = max(pipe.largest_denoiser * _bits(work, _LABELS[1]), pipe.text * _bits(work, _LABELS[0])) / 8
    inputs = {"bytes": round(largest), "layers": layers}
    return Term("weights", "Two streamed blocks", 2 * largest / layers, "2 · bytes / layers", inputs,
                constants().formats.source)  # fmt: skip


def _bits(work: Workload, label: str) -> float:
    """Bits of a weight of this part, as it is held."""
    bits = next((one.inputs["bits"] for one in _weights(work, pipeline_of(work)) if one.label == label), 16.0)
    return bits if isinstance(bits, int | float) else 16.0


def host_weights(work: Workload) -> tuple[float, float]:
    """(bytes of all parts, of the denoiser that a step runs) as they lie in host memory when parts leave the card."""
    pipe = pipeline_of(work)
    everything = sum(term.bytes for term in _weights(work, pipe))
    return everything, pipe.largest_denoiser * _bits(work, _LABELS[1]) / 8


def usual_frames(family: str, seconds: float) -> int:
    """Frames of a clip of a family of so many seconds: one more than its rate makes, as video models count."""
    sizes = constants().diffusion.default_px
    return round(seconds * sizes.frame_rate_by_family.get(family, sizes.frame_rate)) + 1


def usual_pixels(kind: str, family: str) -> tuple[int, int, int]:
    """Width, height and frames that models of a family are usually run at."""
    sizes = constants().diffusion.default_px
    if kind == "video":
        return sizes.clip_by_family.get(family, (sizes.video_width, sizes.video_height, sizes.video_frames))
    side = sizes.old_image if family.startswith("Stable Diffusion") else sizes.image
    return side, side, 1


def _pixels(work: Workload) -> tuple[int, int, int]:
    width, height, frames = usual_pixels(work.shape.kind, work.shape.family)
    if work.shape.kind == "video":
        section = constants().diffusion.default_px.section_frames_by_family.get(work.shape.family)
        return work.width or width, work.height or height, min(work.frames or frames, section or work.frames or frames)
    return work.width or work.height or width, work.height or work.width or height, work.frames or frames


def latent_tokens(work: Workload) -> int:
    """(width / 16) · (height / 16) · latent frames: 8× smaller latents in 2 × 2 patches, time 4× shorter.

    Deeper autoencoders come to 32 pixels a side of a token, and to 8 frames (Wan 2.2 TI2V, LTX-Video, Sana).
    """
    width, height, frames = _pixels(work)
    patch, together = _strides(work)
    latent_frames = (frames - 1) // together + 1
    return -(-width // patch) * -(-height // patch) * latent_frames


def _strides(work: Workload) -> tuple[int, int]:
    """(pixels a side, frames) that one token spans: as known of the model, or alike of all its family, else usual."""
    numbers = constants().diffusion
    known = item_work().pictures.get(work.shape.id or "")
    if known is not None:
        return known.stride_px, known.stride_frames
    alike = _family_strides().get(work.shape.family, frozenset())
    return next(iter(alike)) if len(alike) == 1 else (numbers.latent_scale * numbers.patch, numbers.frame_scale)


@lru_cache(maxsize=1)
def _family_strides() -> dict[str, frozenset[tuple[int, int]]]:
    found: dict[str, frozenset[tuple[int, int]]] = {}
    for key, one in item_work().pictures.items():
        row = models().get(key)
        if row is not None:
            found[row.family] = found.get(row.family, frozenset()) | {(one.stride_px, one.stride_frames)}
    return found


def _step(work: Workload) -> Term:
    """One transformer block's tensors: bytes · hidden · (latent + text tokens) · batch; a U-Net goes by pixels."""
    numbers = constants().diffusion
    ways = 1 if work.engine == WHOLE else max(work.tensor, work.context_split)
    batch = work.images * (2 if _in_family(work, numbers.guidance_batched_families) else 1)
    if not work.shape.hidden:
        width, height, frames = _pixels(work)
        each = numbers.unet_bytes_per_pixel
        inputs = {"pixels": width * height, "frames": frames, "images": batch, "bytes_per_pixel": each}
        formula = "pixels · frames · images · bytes_per_pixel"
        size = width * height * frames * batch * each
        return Term("activations", "Denoising step", size, formula, inputs, numbers.source)
    hidden = work.shape.hidden or numbers.default_hidden
    tokens = latent_tokens(work) + numbers.text_tokens
    each = numbers.step_bytes_per_token
    if work.shape.kind == "video" and work.engine == WHOLE:
        each *= numbers.in_place_step_ratio
    elif work.offload == "all" and not work.training:
        each *= numbers.streaming_step_ratio
    size = each * hidden * tokens * batch / ways
    step = {
        "bytes": round(each, 1),
        "hidden_size": hidden,
        "tokens": tokens,
        "images": batch,
        "gpus": ways,
    }
    return Term(
        "activations", "Denoising step", size, "bytes · hidden_size · tokens · images / gpus", step, numbers.source
    )


def _decode(work: Workload) -> Term:
    """The decoder's full-resolution feature maps: pixels · bytes; a video decoder takes some frames at a time.

    Programs that stream weights decode tile by tile as well.
    """
    numbers = constants().diffusion
    width, height, frames = _pixels(work)
    wide, source = numbers.wide_decoders.bytes_per_pixel.get(work.shape.family), numbers.source
    if work.shape.kind == "video":
        together, each = min(frames, _frames_together(work)), numbers.video_vae_bytes_per_pixel
    elif wide is not None:
        together, each, source = 1, wide, numbers.wide_decoders.source
    else:
        together, each = 1, numbers.vae_bytes_per_pixel * (2 if _fp32_decoder(work) else 1)
    each *= numbers.tiled_decode_ratio if work.offload == "all" else 1
    inputs = {"pixels": width * height, "frames": together, "images": work.images, "bytes_per_pixel": each}
    size = width * height * together * work.images * each
    return Term("activations", "Decoding", size, "pixels · frames · images · bytes_per_pixel", inputs, source)


def _frames_together(work: Workload) -> int:
    """Frames the video decoder works on at once."""
    numbers = constants().diffusion
    return numbers.video_vae_frames_by_family.get(work.shape.family, numbers.video_vae_frames)


def _fp32_decoder(work: Workload) -> bool:
    return _in_family(work, constants().diffusion.vae_fp32_families)


def _base(work: Workload) -> tuple[Term, ...]:
    numbers = constants().diffusion
    return (
        constant("buffers", "Pipeline buffers", numbers.base_bytes, numbers.source),
        constant("framework", "CUDA context", numbers.context_bytes, numbers.source),
    )


def _training(work: Workload, pipe: Pipeline, base: tuple[Term, ...]) -> tuple[Phase, ...]:
    """Denoiser with its states (text embeddings and latents are prepared beforehand), activations by block.

    Sharding divides weights, gradients and states over the data-parallel ranks as it does for language models; blocks
    of a frozen denoiser can be swapped with host memory.
    """
    numbers, hidden = constants().diffusion, work.shape.hidden or constants().diffusion.default_hidden
    source = numbers.source
    tokens = (latent_tokens(work) + numbers.text_tokens) * work.images
    layers = max(work.shape.layers, 20)
    saved = _saved(work, tokens, hidden, layers)
    held, bits = pipe.largest_denoiser, work.format.body_bits  # experts that take turns are trained one at a time
    ranks = ranks_for(work, "weights")
    swapped = _swapped(work, pipe, base, saved.bytes) if work.adapted and work.offload == "all" else 0.0
    inputs = {"params": held, "bits": bits, "ranks": ranks, "swapped": swapped}
    terms = [
        Term("weights", "Denoiser", held * bits / 8 / ranks * (1 - swapped),
             "params · bits / 8 / ranks · (1 - swapped)", inputs,
             numbers.swapped_source if swapped else constants().formats.source),
        Term("weights", "Decoder", pipe.decoder * 2, "params · 2", {"params": pipe.decoder}, source),
        saved,
    ]  # fmt: skip
    if work.adapted:
        params = layers * work.lora_rank * 24 * hidden
        inputs = {"adapter_params": float(params)}
        terms.append(
            Term("adapters", "Adapters and their states", params * 16, "adapter_params · 16", inputs, "lora-paper")
        )
    else:
        states = constants().training.optimizer_bytes[work.optimizer] + 2
        for part, label, each in (("optimizer", "Optimizer states", states), ("gradients", "Gradients", 4.0)):
            ranks = ranks_for(work, part)
            shared = {"params": held, "bytes": each, "ranks": ranks}
            terms.append(Term(part, label, held * each / ranks, "params · bytes / ranks", shared, "zero-paper"))  # type: ignore[arg-type]
    return (Phase("training step", (*terms, *base)),)


def _saved(work: Workload, tokens: int, hidden: int, layers: int) -> Term:
    """What is saved for the backward pass and one block's tensors; of a U-Net known, what it saves goes by pixels.

    tokens · hidden · (70 · layers + step)      70: nothing recomputed; 30: half of it; 2: the blocks' inputs alone
    pixels · images · bytes + tokens · hidden · step      of a U-Net with nothing recomputed, 30 / 70 of it with half
    """
    numbers = constants().diffusion
    kept, step = {"none": 70, "selective": 30, "full": 2}[work.checkpointing], numbers.step_bytes_per_token
    each = numbers.unet_saved.bytes_per_pixel.get(work.shape.family)
    if each is None or work.checkpointing == "full":
        width = kept * layers + step
        act = {"tokens": tokens, "hidden_size": hidden, "bytes": width}
        size, formula, source = tokens * hidden * width, "tokens · hidden_size · bytes", numbers.source
        return Term("activations", "Saved activations", size, formula, act, source)
    wide, high, _ = _pixels(work)
    pixels = wide * high * work.images
    inputs = {"pixels": pixels, "bytes": each * kept / 70, "tokens": tokens, "hidden_size": hidden, "step": step}
    size, formula = pixels * each * kept / 70 + tokens * hidden * step, "pixels · bytes + tokens · hidden_size · step"
    return Term("activations", "Saved activations", size, formula, inputs, numbers.unet_saved.source)


def _swapped(work: Workload, pipe: Pipeline, base: tuple[Term, ...], activations: float) -> float:
    """Share of the denoiser's blocks in host memory: as many as the card has no room for, the usual most if unknown.

    Blocks are whole, so what fits is taken with care: a fifth of the card stays free of the estimate.
    """
    numbers = constants().diffusion
    if not work.card_bytes:
        return numbers.swapped_ratio
    weights = pipe.largest_denoiser * work.format.body_bits / 8
    adapters = max(work.shape.layers, 20) * work.lora_rank * 24 * (work.shape.hidden or numbers.default_hidden) * 16
    rest = sum(term.bytes for term in base) + pipe.decoder * 2 + activations + adapters
    room = max(work.card_bytes * numbers.filled_ratio - rest, 0.0)
    return min(max(1 - room / weights, 0.0), numbers.swapped_ratio)


def swapped_ratio(work: Workload) -> float:
    """Share of the denoiser's blocks that come from host memory for every pass of a training."""
    pipe = pipeline_of(work)
    share = next(one.inputs["swapped"] for one in _training(work, pipe, _base(work))[0].terms
                 if one.label == _LABELS[1])  # fmt: skip
    return share if isinstance(share, float) else 0.0


def swapped_bytes(work: Workload) -> float:
    """The weights of those blocks."""
    return host_weights(work)[1] * swapped_ratio(work)

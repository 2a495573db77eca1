"""What one image, clip or second of audio costs a card, and how well it runs: constants of work without tokens."""

import re
from functools import lru_cache
from pathlib import Path

from kb.base import Frozen
from kb.constants.speed_constants import Fit
from kb.snapshot import load_yaml

_FILE = Path(__file__).parents[1] / "facts" / "item_work.yaml"


class Generate(Frozen):
    """Denoising of images and video."""

    peak_ratios: dict[str, float]
    """Architecture → share of the 16-bit peak reached, where launching does not bound."""
    hbm_peak_ratios: dict[str, float]
    """The same for cards with stacked memory, where they differ."""
    video_hbm_peak_ratios: dict[str, float]
    """The same for clips on them, where they differ."""
    unet_ratio: float
    unet_bytes_per_flop: float
    eight_bit_ratio: float
    engine_ratios: dict[str, float]
    launch_s: dict[str, float]
    text_s: float
    vae_flops_per_px: float
    vae_ratio: float
    text_tokens: int
    """Prompt tokens that attend together with those of the image."""
    up_ratio: float
    down_ratio: float
    video_up_ratio: float
    video_down_ratio: float


class PictureTraining(Frozen):
    """A step of training a generator of pictures, in passes of its network forward."""

    adapter_passes: float
    full_passes: float
    up_ratio: float
    down_ratio: float
    sources: tuple[str, ...]


class Picture(Frozen):
    """How one generator is usually run."""

    steps: int
    passes: int
    """Passes of the network a step: 2 with classifier-free guidance."""
    width_px: int
    height_px: int
    frames: int = 1
    fps: int | None = None
    flops: float | None = None
    """One pass over one image of this size (UNets); null = follows from the transformer's counts."""
    bytes_per_flop: float | None = None
    """Memory traffic of this UNet's norms and activations where it is not the usual one."""
    stride_px: int = 16
    """Pixels a token spans."""
    stride_frames: int = 1
    """Frames a token spans."""
    input_images: int = 0
    """Images that are read beside the prompt, each as many tokens as the output."""


class Vision(Frozen):
    """Classification, detection, segmentation."""

    forward_bytes: dict[str, float]
    """Memory traffic of one activation, by kind of network."""
    training_bytes: float
    peak_ratio: float
    single_peak_ratio: float
    single_launch_s: float
    hbm_ratio: float
    detector_activations: float
    server_batch: int
    scaling_loss: float
    up_ratio: float
    down_ratio: float


class ImageWork(Frozen):
    """One forward pass over one image."""

    px: int
    flops: float
    activations: float | None = None


class Patches(Frozen):
    """A vision transformer's input."""

    px: int
    patch_px: int
    layers: int | None = None
    hidden: int | None = None


class Speech(Frozen):
    """Transcription."""

    window_s: float
    tokens_per_window: int
    layer_s: float
    bandwidth_ratio: float
    sequence_layer_s: float
    cache_ratio: float
    peak_ratio: float
    batch: int
    frames_per_s: int
    up_ratio: float
    down_ratio: float
    sequential_ratio: float
    """How many times longer the slowest programs take that hear one window after another."""
    sequential_least_ratio: float
    """The same of the fastest of them."""
    live_chunk_s: float
    """Seconds of speech between two updates of a live transcription, as programs for it have it by default."""
    live_buffer_s: float
    """Seconds of speech that such a program hears anew on average."""


class Dataset(Frozen):
    """A data set that is known by name."""

    samples: int
    names: tuple[str, ...]


class Spoken(Frozen):
    """A measured pace of a model that speaks: seconds of work for one of sound."""

    card: str
    alone: float | None = None
    """One text at a time."""
    batched: float | None = None
    """`batch` texts at once."""
    batch: int | None = None
    how: str
    source: str
    """Id of where it was published."""


class ItemWork(Frozen):
    """Everything in `facts/item_work.yaml`."""

    fit: Fit
    generate: Generate
    picture_training: PictureTraining
    pictures: dict[str, Picture]
    vision: Vision
    images: dict[str, ImageWork]
    patches: dict[str, Patches]
    speech: Speech
    spoken: dict[str, Spoken]
    """Family → what was measured of it."""
    datasets: dict[str, Dataset]


@lru_cache(maxsize=1)
def item_work() -> ItemWork:
    """The constants, loaded on first use."""
    return ItemWork.model_validate(load_yaml(_FILE))


def dataset_samples(text: str) -> int | None:
    """Samples of the data set that `text` names, if it names a known one."""
    for dataset in item_work().datasets.values():
        if any(re.search(rf"(?<![a-z0-9]){re.escape(name)}(?![a-z0-9])", text.lower()) for name in dataset.names):
            return dataset.samples
    return None

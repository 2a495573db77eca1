"""What the speed estimator answers."""

from typing import Literal

from kb.base import Frozen
from tools.base import ToolResult

Bound = Literal["memory_bandwidth", "latency", "compute", "interconnect", "capacity"]
"""What the time of one token mostly is: reading weights and cache; launching and waiting; multiplying; moving
activations between cards; or, at capacity, waiting for room in memory."""
Label = Literal["measured", "interpolated", "formula"]


class Interval(Frozen):
    """An estimate with its 90 % interval."""

    value: float
    low: float
    high: float


class Evidence(Frozen):
    """A published measurement near the question."""

    id: str
    label: Label
    """measured: the very case; interpolated: near enough to have moved the estimate; formula: shown for comparison."""
    description: str
    """Model, card, format, engine and load that were measured."""
    measure: str
    """Which figure was measured, by the name of the result's field."""
    value: float
    estimate: float | None = None
    """What the formula alone gives for that case."""
    distance: float
    """0 = the same case; 1 = as far as one of model, card, format or engine being different."""
    source: str
    """Source id."""


class Windows(Frozen):
    """Transcription by how a recording's windows are put through, where that was not stated."""

    batched: Interval
    """Seconds of audio a second with many windows at once: WhisperX, faster-whisper in batches."""
    in_turn: Interval
    """The same with one window after another: faster-whisper without batches at best, openai-whisper at worst."""
    batched_time_s: Interval | None = None
    """All of `audio_s` in batches."""
    in_turn_time_s: Interval | None = None


class Live(Frozen):
    """Speech written down while it is spoken, by a model that hears whole windows: each update hears one anew."""

    chunk_s: float
    """Seconds between two updates."""
    streams_batched: Interval
    """Streams at once that all cards keep up with, where a server hears windows of several streams together."""
    streams_in_turn: Interval
    """The same where it hears one window after another, as plain servers do; below 1 = not even one keeps up."""
    first_words_s: Interval
    """Wait for the first words of a stream: an update's audio, and one window heard by itself."""
    recorded_ratio: float
    """How many times as much recorded speech is put through in the same time."""


class InferenceSpeed(ToolResult):
    """Speed of serving one model on some cards under a load."""

    model: str | None
    """Catalog id, or null for a model given by its shape."""
    gpu: str
    gpu_count: int
    weight_format: str
    engine: str
    """What serves; `pytorch` for networks that run in no particular engine."""
    tensor_parallel: int
    pipeline_parallel: int
    replicas: int
    """Copies of the model that share the load."""
    concurrent_sequences: int
    input_tokens: int
    output_tokens: int
    time_per_output_token_s: Interval | None = None
    """Between two tokens of one answer, prompts of the other sequences included; null where no tokens are made."""
    tokens_per_s_per_user: Interval | None = None
    tokens_per_s_total: Interval | None = None
    """Output tokens of all sequences and copies together."""
    time_to_first_token_s: Interval | None = None
    """Of one request among those under way, each of which is followed by another when its answer is done."""
    time_to_first_token_alone_s: Interval | None = None
    """The same while nobody else asks."""
    time_to_first_token_burst_s: Interval | None = None
    """Of the last one when all `concurrent_sequences` come at the same moment: it waits for the prompts of the others;
    the mean is about half of it."""
    prefill_tokens_per_s: Interval | None = None
    """Prompt tokens a second of one copy while it only reads prompts."""
    images_per_s: Interval | None = None
    """Pictures generated, or images read, a second on all cards; null for other work."""
    time_per_image_s: Interval | None = None
    """One picture, alone on its card (in its batch)."""
    time_per_clip_s: Interval | None = None
    """One clip of video on one card."""
    time_as_measured_s: Interval | None = None
    """One picture or clip by the time measured on another card: that time, times the estimate here over that there."""
    realtime_factor: Interval | None = None
    """Seconds of work for a second of audio, on all cards: 0.1 = ten times faster than it is spoken."""
    audio_s_per_s: Interval | None = None
    """Seconds of audio transcribed a second: the inverse of `realtime_factor`."""
    live: Live | None = None
    """Live speech; null for models that hear no windows, or no speech at all."""
    windows: Windows | None = None
    """What the width of the two hangs on; null where the windows at once were stated."""
    documents_per_s: Interval | None = None
    """Texts of `input_tokens` tokens embedded or ranked a second on all cards."""
    requests_per_s: Interval | None = None
    """Answers of `output_tokens` tokens finished a second on all cards; null where no tokens are made."""
    requests_per_day: Interval | None = None
    """The same in a day without a pause."""
    gpus_needed: Interval | None = None
    """Cards that keep up with the `documents_per_s`, `images_per_s` or `audio_s_per_s` asked for, whole ones."""
    steps: int | None = None
    """Denoising steps of one picture or clip that the time is of; null for other work."""
    host_bytes: int | None = None
    """Weights that lie in host memory, of a generator of pictures or clips whose `offload` was stated."""
    streamed_ratio: float | None = None
    """Of the denoiser's weights, what comes anew for every pass because the card has no room for it."""
    items_within: Interval | None = None
    """Pictures, clips, seconds of audio (in batches) or texts that all cards get through in `within_s`."""
    time_s: Interval | None = None
    """All of the `images`, `audio_s`, `documents` or `tokens` that were asked for."""
    bound: Bound
    label: Label
    """Whether the figure was measured, interpolated between near measurements, or follows from the formula alone."""
    max_concurrent_sequences: int | None = None
    """Sequences of this length that the memory holds; null when the weights alone do not fit."""
    evidence: tuple[Evidence, ...] = ()
    """Nearest published measurements, nearest first."""


class TokenSpeed(InferenceSpeed):
    """The same for a model that works on tokens: none of their figures is missing."""

    time_per_output_token_s: Interval
    tokens_per_s_per_user: Interval
    tokens_per_s_total: Interval
    time_to_first_token_s: Interval
    prefill_tokens_per_s: Interval

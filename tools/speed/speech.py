"""Transcription: an encoder over windows of audio, a decoder that writes them down token by token."""

from math import sqrt
from typing import NamedTuple

from kb.base import BadInput
from kb.constants.item_work import item_work
from kb.records.model import Model
from tools.speed.interval import inverse, times
from tools.speed.item import Chip, ItemTime, bounded
from tools.speed.request import InferenceSpeedRequest
from tools.speed.result import Interval, Live, Windows

GENERATORS = frozenset({
    "ACE-Step", "Bark", "CSM", "ChatTTS", "Chatterbox", "CosyVoice", "Dia", "F5-TTS", "Fish Speech", "GPT-SoVITS",
    "Higgs Audio", "IndexTTS", "Kokoro", "Moshi", "MusicGen", "OpenAudio", "Orpheus", "Parler-TTS", "Qwen3-TTS", "RVC",
    "Spark-TTS", "Stable Audio", "VITS", "VibeVoice", "VoxCPM", "XTTS", "YuE", "Zonos", "so-vits-svc",
})  # fmt: skip
"""Families that speak, sing or change a voice instead of listening."""


class Heard(NamedTuple):
    """A model that listens, and what a window takes it on one card."""

    model: Model
    time: ItemTime


def by_windows(rate: Interval, request: InferenceSpeedRequest) -> Windows | None:
    """The two ways apart that the interval of `rate` spans where nothing says how windows are put through."""
    speech = item_work().speech
    if request.concurrent_sequences > 1:
        return None
    batched = Interval(value=rate.value, low=rate.value / speech.down_ratio, high=rate.high)
    least, most = speech.sequential_least_ratio, speech.sequential_ratio
    in_turn = Interval(value=rate.value / sqrt(least * most), low=rate.value / most, high=rate.value / least)
    taken = (inverse(one, request.audio_s) if request.audio_s else None for one in (batched, in_turn))
    return Windows(batched=batched, in_turn=in_turn, batched_time_s=next(taken), in_turn_time_s=next(taken))


def live(rate: Interval, windows: Windows | None, found: Heard, request: InferenceSpeedRequest) -> Live | None:
    """Streams that are kept up with, and the wait for the first words of one.

    A model that hears windows of 30 s (shorter speech is padded) encodes the window anew at every update and writes
    down what the buffer holds, so a stream costs nearly a window every `chunk` seconds:

        share = (encoder + decoder · buffer / window) / (encoder + decoder)
        streams = rate / window · chunk / share;   first words = chunk + window / rate in turn · share, on one card

    null for models without a decoder, which go on from what they heard.
    """
    speech, model = item_work().speech, found.model
    if model.encoder_layers is None or not model.layers:
        return None
    encoded, whole = found.time.compute_s, found.time.total_s
    share = (encoded + max(whole - encoded, 0.0) * speech.live_buffer_s / speech.window_s) / whole
    chunk = request.live_chunk_s or speech.live_chunk_s
    batched = windows.batched if windows else rate
    least, most = speech.sequential_least_ratio, speech.sequential_ratio
    apart = Interval(value=rate.value / sqrt(least * most), low=rate.value / most, high=rate.value / least)
    in_turn = windows.in_turn if windows else apart
    alone = inverse(in_turn, request.gpu_count * speech.window_s * share)
    each = chunk / (speech.window_s * share)
    return Live(
        chunk_s=chunk, streams_batched=times(batched, each), streams_in_turn=times(in_turn, each),
        recorded_ratio=1 / each,
        first_words_s=Interval(value=chunk + alone.value, low=chunk + alone.low, high=chunk + alone.high),
    )  # fmt: skip


def generates(model: Model) -> bool:
    """Whether a model of speech speaks, instead of listening."""
    return model.family in GENERATORS or "-tts-" in model.name.lower()


def window_time(model: Model, chip: Chip, batch: int) -> ItemTime:
    """Seconds of one window of 30 s of audio while `batch` of them run together.

        encoder: FLOPs / (peak · reached);   FLOPs = 2·P_enc·S + 4·L·S²·h,  S = 1500 positions
        decoder, each token: (L·t_layer + bytes / bandwidth) / batch + what each window costs by itself: reading the
        audio's cache, sampling

    Models without a decoder (Paraformer, SenseVoice) only encode.

    Raises:
        BadInput: the model speaks instead of listening.
    """
    speech = item_work().speech
    if generates(model):
        raise BadInput("model", f"{model.name} generates speech.", "Name a model that transcribes, such as Whisper.")
    positions = speech.window_s * speech.frames_per_s
    hidden, layers = model.hidden_size or 512, model.encoder_layers or 50
    if model.encoder_layers is None:
        flops = 2 * model.params * positions / 3  # frames are stacked before these encoders
        encoder = flops / (chip.flops_16 * speech.peak_ratio) + layers * speech.layer_s / batch
        return ItemTime(encoder, 0.0, layers * speech.layer_s / batch, 0.0, bounded(chip, flops, encoder), flops)
    flops = layers * (24 * positions * hidden**2 + 4 * positions**2 * hidden)
    encoder = flops / (chip.flops_16 * speech.peak_ratio)
    decoder_layers = model.layers or 0
    weights = 2 * (16 * hidden**2 * decoder_layers + hidden * (model.vocab_size or 51866))
    cache = 4 * positions * hidden * decoder_layers
    launch = decoder_layers * speech.layer_s
    read = weights / (chip.bandwidth * speech.bandwidth_ratio)
    attend = cache / (chip.bandwidth * speech.cache_ratio)
    tokens = speech.tokens_per_window
    total = encoder + tokens * ((launch + read) / batch + attend + decoder_layers * speech.sequence_layer_s)
    return ItemTime(compute_s=encoder, traffic_s=tokens * (read / batch + attend), launch_s=tokens * launch / batch,
                    other_s=0.0, total_s=bounded(chip, flops, total), flops=flops)  # fmt: skip

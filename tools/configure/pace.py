"""How fast a layout is, from the speed and training-time estimators; and whether that is fast enough."""

import math
from dataclasses import dataclass
from functools import lru_cache

from kb.base import AdvisorError
from kb.records.gpu import Gpu
from kb.speed_constants import constants
from tools.configure.fitting import Held
from tools.configure.request import ConfigureRequest
from tools.configure.workload import TRAINING, Workload
from tools.memory.formats import weight_format
from tools.speed import estimate_inference_speed
from tools.speed.architecture import architecture_of
from tools.speed.request import InferenceSpeedRequest
from tools.speed.result import Interval
from tools.training_time import estimate_training_time
from tools.training_time.request import TrainingTimeRequest

READING_TOKENS_PER_S = 5.0
"""Slowest answer a person still reads along with; a configuration below it is not proposed for serving one user."""
SHARED_TOKENS_PER_S = 10.0
"""The same where several share it: users at a busy moment get less than the mean, so twice as much is asked."""
SERVED = ("tokens_per_s_total", "images_per_s", "audio_s_per_s", "documents_per_s")
MEASURES = (*SERVED, "samples_per_s_total")
"""What speeds are compared by, the first that an estimate has."""
TIMES = ("time_per_image_s", "time_per_clip_s")
ENDS = (("", "value"), ("_low", "low"), ("_high", "high"))
Speed = dict[str, float | str | None]


@dataclass(frozen=True, slots=True, eq=False)
class Paced:
    """A layout with its speed."""

    held: Held
    rate: float
    """Of all cards together, in the measure of the workload; the more the better."""
    speed: Speed | None


class Pace:
    """Speeds of layouts for one request, each worked out once and only when asked for."""

    def __init__(self, request: ConfigureRequest, load: Workload) -> None:
        self._request, self._load = request, load
        self._known: dict[tuple[str, Held], Speed | None] = {}
        self._bytes: dict[str, float] = {}
        self.measure = "peak_flops"
        """What the rates count: one of `MEASURES`, or peak compute where no estimator covers the work."""
        self.estimates = 0

    def best(self, gpu: Gpu, fitting: tuple[Held, ...], above: float = 0.0) -> Paced | None:
        """The fastest of these layouts that is fast enough, and faster than `above`; null when none is."""
        return self._fastest(gpu, fitting, above, enough=True)

    def fastest(self, gpu: Gpu, fitting: tuple[Held, ...], above: float = 0.0) -> Paced | None:
        """The same, fast enough or not."""
        return self._fastest(gpu, fitting, above, enough=False)

    def _fastest(self, gpu: Gpu, fitting: tuple[Held, ...], above: float, *, enough: bool) -> Paced | None:
        """Layouts are tried in order of their physical bounds, down to the first that cannot beat what was found."""
        bounded = sorted(((self.bound(gpu, held), place) for place, held in enumerate(fitting)), reverse=True)
        best: Paced | None = None
        least = max(above, self.required) if enough else above
        for bound, place in bounded:
            if bound < (best.rate if best else least):
                break
            held = fitting[place]
            speed = self.speed(gpu, held)
            found = Paced(held, self._rate(gpu, held, speed), speed)
            if enough and not self.enough(speed):
                continue
            if best is None or (found.rate, _plain(held)) > (best.rate, _plain(best.held)):
                best = found
        return best if best is not None and best.rate >= above else None

    def enough(self, speed: Speed | None) -> bool:
        """Whether it meets the speed, latency or deadline that was asked for; unknown passes unless asked."""
        need = self._request
        if speed is None:
            return not any((need.target_tokens_per_s, need.target_latency_s, need.deadline_s))
        if self._load.training:
            time_s = speed.get("time_s")
            return need.deadline_s is None or (isinstance(time_s, float) and time_s <= need.deadline_s)
        per_user, first = speed.get("tokens_per_s_per_user"), speed.get("time_to_first_token_s")
        if isinstance(per_user, float) and per_user < self.floor:
            return False
        return need.target_latency_s is None or (isinstance(first, float) and first <= need.target_latency_s)

    @property
    def floor(self) -> float:
        """Tokens a second every user must get."""
        sequences = self._load.variants[0].request.concurrent_sequences or 1
        return self._request.target_tokens_per_s or (SHARED_TOKENS_PER_S if sequences > 1 else READING_TOKENS_PER_S)

    @property
    def required(self) -> float:
        """The rate of all cards below which no layout can be fast enough: the bound of a layout must reach it."""
        if not self._load.language:
            return 0.0
        need = self._request
        if not self._load.training:
            return self.floor * (self._load.variants[0].request.concurrent_sequences or 1)
        if need.deadline_s is None or need.dataset_tokens is None:
            return 0.0
        return need.dataset_tokens * (need.epochs or 1.0) / need.deadline_s

    def speed(self, gpu: Gpu, held: Held) -> Speed | None:
        """The speed of one layout; null where no estimator covers the work or a rate is unknown."""
        key = (gpu.id, held)
        if key not in self._known:
            self._known[key] = self._estimate(gpu, held)
        return self._known[key]

    def _rate(self, gpu: Gpu, held: Held, speed: Speed | None) -> float:
        for measure in MEASURES:
            rate = speed.get(measure) if speed else None
            if isinstance(rate, float):
                self.measure = measure
                return rate
        clip = speed.get("time_per_clip_s") if speed else None
        if isinstance(clip, float):
            self.measure = "clips_per_s"
            return held.layout.gpus / clip
        return 0.0 if self._load.language else held.layout.gpus * _peak(gpu)

    def bound(self, gpu: Gpu, held: Held) -> float:
        """A rate that the layout cannot exceed, from physics alone: what it rules out needs no estimate.

        Training: 95 % of the peak over 6 FLOPs an active weight (4 with adapters). Generating: every step reads the
        dense weights at 95 % of the bandwidth of a copy's tensor-parallel cards. The estimators clamp at both.
        """
        if not self._load.language:
            return math.inf
        if self._load.training:
            flops = (4 if self._request.task in {"lora", "qlora"} else 6) * self._active()
            return held.layout.gpus * _peak(gpu) * constants().peak_ratio / flops
        sequences = self._load.variants[0].request.concurrent_sequences or 1
        bandwidth = float(gpu.bandwidth_bytes_per_s or 0) * constants().peak_ratio
        return sequences * held.layout.tensor_parallel * bandwidth / self._read(held)

    def _active(self) -> float:
        if "active" not in self._bytes:
            self._bytes["active"] = float(architecture_of(self._shape()).active_params)
        return self._bytes["active"]

    def _read(self, held: Held) -> float:
        """Bytes one step of one sequence reads at least."""
        if held.weight_format not in self._bytes:
            arch = architecture_of(self._shape())
            form = weight_format(held.weight_format, tied=arch.tied)
            least = min(form.body_bits, form.head_bits)
            self._bytes[held.weight_format] = (arch.dense_params + arch.head_params) * least / 8
        return max(self._bytes[held.weight_format], 1.0)

    def _shape(self) -> InferenceSpeedRequest:
        model = self._load.model
        return InferenceSpeedRequest(model=model, params=None if model else self._request.params, gpu="")

    def _estimate(self, gpu: Gpu, held: Held) -> Speed | None:
        self.estimates += 1
        layout, need, load = held.layout, self._request, self._load
        fields: dict[str, object] = {
            "model": load.model,
            "params": None if load.model else need.params,
            "gpu": gpu.id,
            "gpu_count": layout.gpus,
            "tensor_parallel": layout.tensor_parallel,
            "pipeline_parallel": layout.pipeline_parallel,
        }
        given = self._training(held) if load.training else self._serving(held)
        try:
            known = tuple((name, value) for name, value in (fields | given).items() if value is not None)
            return _trained(known) if load.training else _served(known)
        except AdvisorError:
            return None

    def _serving(self, held: Held) -> dict[str, object]:
        asked = self._load.variants[0].request
        return {
            "weight_format": held.weight_format,
            "concurrent_sequences": asked.concurrent_sequences,
            "context_tokens": asked.context_tokens,
            "kv_format": asked.kv_format,
            "engine": held.engine if self._load.language else None,
        }

    def _training(self, held: Held) -> dict[str, object]:
        need, layout = self._request, held.layout
        asked = held.variant.request
        given: dict[str, object] = {
            "task": need.task if need.task in TRAINING else "full_finetune",
            "dataset_tokens": need.dataset_tokens,
            "epochs": need.epochs,
            "sequence_tokens": asked.sequence_tokens,
            "gradient_checkpointing": asked.gradient_checkpointing,
            "data_parallel": layout.data_parallel,
            "context_parallel": layout.context_parallel,
            "expert_parallel": layout.expert_parallel,
            "sharding": layout.sharding,
            "engine": layout.engine,
        }
        if not self._load.language:
            given |= {"tensor_parallel": None, "pipeline_parallel": None, "sharding": None}
        return given


def _peak(gpu: Gpu) -> float:
    return float(max(gpu.bf16_flops or 0, gpu.fp16_flops or 0) or gpu.fp32_flops or 0)


def _value(found: Interval | None) -> float | None:
    return found.value if found else None


def _plain(held: Held) -> tuple[int, ...]:
    """The simpler layout of equally fast ones: fewer stages, then less tensor parallelism."""
    layout = held.layout
    return -layout.pipeline_parallel, -layout.tensor_parallel, -layout.expert_parallel, -held.total_bytes


@lru_cache(maxsize=65536)
def _served(given: tuple[tuple[str, object], ...]) -> Speed:
    """The figures of `estimate_inference_speed` that a configuration shows."""
    result = estimate_inference_speed(InferenceSpeedRequest.model_validate(dict(given)))
    per_user = result.tokens_per_s_per_user
    rates = {name: _value(getattr(result, name)) for name in (*SERVED, "time_to_first_token_s", *TIMES)}
    return {
        **({f"tokens_per_s_per_user{end}": getattr(per_user, of) for end, of in ENDS} if per_user else {}),
        **{name: value for name, value in rates.items() if value is not None},
        "bound": result.bound,
        "label": result.label,
    }


@lru_cache(maxsize=65536)
def _trained(given: tuple[tuple[str, object], ...]) -> Speed:
    """The same of `estimate_training_time`."""
    result = estimate_training_time(TrainingTimeRequest.model_validate(dict(given)))
    names = ("tokens_per_s_total", "tokens_per_s_per_gpu", "samples_per_s_total", "time_s", "gpu_hours")
    values = {name: _value(getattr(result, name)) for name in names}
    tokens = ("tokens_per_s_total", "time_s", "gpu_hours")
    return {name: one for name, one in values.items() if one is not None or name in tokens} | {"label": result.label}

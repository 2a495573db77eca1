"""How fast a layout is, from the speed and training-time estimators; and whether that is fast enough."""

import math
from dataclasses import dataclass, replace
from functools import cached_property

from kb.base import AdvisorError
from kb.records.gpu import Gpu
from tools.configure.load.fitting import Held
from tools.configure.load.layout import Layout as Spread
from tools.configure.load.workload import TRAINING, Workload
from tools.configure.pace.bound import NO_BOUND, Bound, bound_of_generating, bound_of_serving, bound_of_training
from tools.configure.pace.speeds import MEASURES, Given, Speed, of_items, served, trained
from tools.configure.request import ConfigureRequest
from tools.training_time.job import ADAPTERS

ALONE = Spread(1)
SERVER = "vllm"
"""What the memory of serving is estimated for when no engine is named."""
READING_TOKENS_PER_S = 5.0
"""Slowest answer a person still reads along with; a configuration below it is not proposed for serving one user."""
SHARED_TOKENS_PER_S = 10.0
"""The same where several share it: users at a busy moment get less than the mean, so twice as much is asked."""


@dataclass(frozen=True, slots=True, eq=False)
class Paced:
    """A layout with its speed."""

    held: Held
    rate: float
    """Of all cards together, in the measure of the workload; the more the better."""
    speed: Speed | None


class Pace:
    """Speeds of layouts for one request, each worked out once and only when asked for; `like` knows some already."""

    def __init__(self, request: ConfigureRequest, load: Workload, like: "Pace | None" = None) -> None:
        self._request, self._load = request, load
        self._known: dict[tuple[str, Held], Speed | None] = like._known if like else {}
        self._bounds: dict[tuple[str, str, str | None, str | None], Bound] = like._bounds if like else {}
        self._best: dict[tuple[str, tuple[Held, ...], float, bool], Paced | None] = {}
        self.measure = "peak_flops"
        """What the rates count: one of `MEASURES`, or peak compute where no estimator covers the work."""
        self.estimates = 0

    def best(self, gpu: Gpu, fitting: tuple[Held, ...], above: float = 0.0) -> Paced | None:
        """The fastest of these layouts that is fast enough, and faster than `above`; null when none is."""
        return self._judged(gpu, fitting, above, enough=True)

    def fastest(self, gpu: Gpu, fitting: tuple[Held, ...], above: float = 0.0) -> Paced | None:
        """The same, fast enough or not."""
        return self._judged(gpu, fitting, above, enough=False)

    def _judged(self, gpu: Gpu, fitting: tuple[Held, ...], above: float, *, enough: bool) -> Paced | None:
        """A search reads the same options several times: for what leads, what is cheapest, what costs much less."""
        key = (gpu.id, fitting, above, enough)
        if key not in self._best:
            self._best[key] = self._fastest(gpu, fitting, above, enough=enough)
        return self._best[key]

    def _fastest(self, gpu: Gpu, fitting: tuple[Held, ...], above: float, *, enough: bool) -> Paced | None:
        """Layouts are tried in order of their physical bounds, down to the first that cannot beat what was found."""
        least = max(above, self.required) if enough else above
        bounded = []
        for place, held in enumerate(fitting):
            card = self._bound(gpu, held.layout, held.weight_format)
            most = card.most(held.layout)
            if most >= least and (not enough or self._serves(card, held.layout)):
                bounded.append((most, place))
        best: Paced | None = None
        for bound, place in sorted(bounded, reverse=True):
            if best is not None and bound < best.rate:
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
        due_s = need.deadline_s if need.dataset_tokens else None  # of no stated amount, nobody knows the time
        if speed is None:
            return not any((need.target_tokens_per_s, need.target_latency_s, due_s))
        if self._load.training:
            time_s = speed.get("time_s")
            return due_s is None or (isinstance(time_s, float) and time_s <= due_s)
        per_user, first = speed.get("tokens_per_s_per_user"), speed.get("time_to_first_token_s")
        if isinstance(per_user, float) and per_user < self.floor:
            return False
        return need.target_latency_s is None or (isinstance(first, float) and first <= need.target_latency_s)

    @cached_property
    def floor(self) -> float:
        """Tokens a second every user must get."""
        return self._request.target_tokens_per_s or (
            SHARED_TOKENS_PER_S if self._sequences > 1 else READING_TOKENS_PER_S
        )

    @cached_property
    def required(self) -> float:
        """The rate of all cards below which no training layout can be in time: its bound must reach it."""
        need = self._request
        if not (self._load.language and self._load.training and need.deadline_s and need.dataset_tokens):
            return 0.0
        return need.dataset_tokens * (need.epochs or 1.0) / need.deadline_s

    @property
    def shared(self) -> bool:
        """Whether several are answered at once."""
        return self._load.language and not self._load.training and self._sequences > 1

    @cached_property
    def _sequences(self) -> int:
        return self._load.variants[0].request.concurrent_sequences or 1

    def speed(self, gpu: Gpu, held: Held) -> Speed | None:
        """The speed of one layout; null where no estimator covers the work or a rate is unknown."""
        key = (gpu.id, held)
        if key not in self._known:
            served = self._load.serving is not None and held.form is not None
            self._known[key] = self._served(gpu, held) if served else self._estimate(gpu, held)
        return self._known[key]

    def _served(self, gpu: Gpu, held: Held) -> Speed | None:
        """By the solver's own evaluation."""
        self.estimates += 1
        if self._load.serving is None or held.form is None:
            return None
        try:
            return self._load.serving.speed(gpu, held.layout, held.form)
        except AdvisorError:
            return None

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

    def bound(self, gpu: Gpu, layout: Spread, form: str) -> float:
        """A rate that the layout cannot exceed: what it rules out needs no estimate."""
        return self._bound(gpu, layout, form).most(layout)

    @property
    def demanding(self) -> bool:
        """Whether a speed was asked for that many cards may not reach."""
        need = self._request
        return bool(need.target_tokens_per_s or need.target_latency_s) or self.required > 0

    def hopeful(self, gpu: Gpu, layout: Spread, form: str) -> bool:
        """Whether the bounds leave the layout a chance to be fast enough."""
        card = self._bound(gpu, layout, form)
        return card.most(layout) >= self.required and self._serves(card, layout)

    def _serves(self, card: Bound, layout: Spread) -> bool:
        """Whether every user may get what was asked for, by the bounds."""
        latency_s = self._request.target_latency_s or math.inf
        return card.most_per_user(layout) >= self.floor and card.least_first_s(layout) <= latency_s

    def least_first_s(self, gpu: Gpu, layout: Spread, form: str) -> float:
        """Seconds within which the layout gives no first token; zero where that is not known."""
        return self._bound(gpu, layout, form).least_first_s(layout)

    def _bound(self, gpu: Gpu, layout: Spread, form: str) -> Bound:
        key = (gpu.id, form, layout.sharding, layout.engine)
        if key not in self._bounds:
            self._bounds[key] = self._card_bound(gpu, layout, form)
        return self._bounds[key]

    def _card_bound(self, gpu: Gpu, layout: Spread, form: str) -> Bound:
        """The bound of every layout of this kind on a card; none where the estimator refuses the card."""
        alone = replace(ALONE, sharding=layout.sharding, engine=layout.engine)
        engine = (self._load.variants[0].request.engine or SERVER) if self._load.language else None
        if self._load.serving is not None:
            work = self._load.serving.alone(gpu, form)
            return NO_BOUND if work is None else bound_of_generating(work, self._sequences)
        given = self._given(gpu, alone, form, engine)
        try:
            return bound_of_training(given) if self._load.training else bound_of_serving(given, self._sequences)
        except AdvisorError:
            return NO_BOUND

    def _estimate(self, gpu: Gpu, held: Held) -> Speed | None:
        self.estimates += 1
        given = self._given(gpu, held.layout, held.weight_format, held.engine if self._load.language else None)
        try:
            return trained(given) if self._load.training else served(given)
        except AdvisorError:
            return None

    def _given(self, gpu: Gpu, layout: Spread, form: str, engine: str | None) -> Given:
        """The request of the estimator, without what was not stated.

        Graphics within a processor are left to the estimator's own choice of engine, as when their speed is asked for.
        """
        model = self._load.model
        if gpu.market == "apu" and self._load.variants[0].request.engine is None:
            engine = None
        fields: dict[str, object] = {
            "model": model,
            "params": None if model else self._request.params,
            "gpu": gpu.id,
            "gpu_count": layout.gpus,
            "tensor_parallel": layout.tensor_parallel,
            "pipeline_parallel": layout.pipeline_parallel,
        }
        fields |= self._training(layout, form) if self._load.training else self._serving(layout, form, engine)
        return tuple((name, value) for name, value in fields.items() if value is not None)

    def _serving(self, layout: Spread, form: str, engine: str | None) -> dict[str, object]:
        asked = self._load.variants[0].request
        items = of_items({"model": self._load.model})
        size = {name: getattr(asked, name) for name in ("width_px", "height_px", "frames")} if items else {}
        return size | {
            "weight_format": form,
            "expert_parallel": layout.expert_parallel if layout.expert_parallel > 1 else None,
            "concurrent_sequences": asked.concurrent_sequences,
            "context_tokens": asked.context_tokens,
            "kv_format": asked.kv_format,
            "engine": engine,
        }

    def _training(self, layout: Spread, form: str) -> dict[str, object]:
        need, asked = self._request, self._load.variants[0].request
        decided = need.task == "pretrain" and need.gradient_checkpointing is None  # by the memory of each layout
        given: dict[str, object] = {
            "task": need.task if need.task in TRAINING else "full_finetune",
            "dataset_tokens": need.dataset_tokens,
            "epochs": need.epochs,
            "weight_format": form if need.task in ADAPTERS else None,
            "sequence_tokens": asked.sequence_tokens,
            "gradient_checkpointing": None if decided else asked.gradient_checkpointing,
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


def _plain(held: Held) -> tuple[int, ...]:
    """The simpler layout of equally fast ones: fewer stages, then less tensor parallelism."""
    layout = held.layout
    return -layout.pipeline_parallel, -layout.tensor_parallel, -layout.expert_parallel, -held.total_bytes

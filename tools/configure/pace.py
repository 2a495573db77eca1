"""How fast a configuration is, from the speed and training-time estimators; and whether that is fast enough."""

from functools import lru_cache

from kb.base import AdvisorError
from kb.catalog import model as find_model
from tools.configuration import Configuration
from tools.configure.request import ConfigureRequest
from tools.configure.workload import TRAINING, Workload
from tools.speed import estimate_inference_speed
from tools.speed.request import InferenceSpeedRequest
from tools.training_time import estimate_training_time
from tools.training_time.request import TrainingTimeRequest

READING_TOKENS_PER_S = 5.0
"""Slowest answer a person still reads along with; a configuration below it is not proposed for serving."""
LANGUAGE = {"llm", "vlm"}
Speed = dict[str, float | str | None]


class Pace:
    """Speeds of configurations for one request, each worked out once and only when asked for."""

    def __init__(self, request: ConfigureRequest, load: Workload) -> None:
        self._request, self._load = request, load
        self._measured = lru_cache(maxsize=None)(self._estimate)

    def of(self, item: Configuration) -> Speed | None:
        """The speed of a configuration; null where no estimator covers the work or a rate is unknown."""
        used = item.tensor_parallel * item.pipeline_parallel * item.data_parallel
        return self._measured(item.gpu, used, item.tensor_parallel, item.pipeline_parallel, item.weight_format)

    def enough(self, item: Configuration) -> bool:
        """Whether it meets the speed, latency or deadline that was asked for; unknown passes unless asked."""
        need, speed = self._request, self.of(item)
        wanted = (need.target_tokens_per_s, need.target_latency_s, need.deadline_s)
        if speed is None:
            return not any(wanted)
        if self._load.training:
            time_s = speed.get("time_s")
            return need.deadline_s is None or (isinstance(time_s, float) and time_s <= need.deadline_s)
        per_user, first = speed.get("tokens_per_s_per_user"), speed.get("time_to_first_token_s")
        floor = need.target_tokens_per_s or READING_TOKENS_PER_S
        if isinstance(per_user, float) and per_user < floor:
            return False
        return need.target_latency_s is None or (isinstance(first, float) and first <= need.target_latency_s)

    def with_speed(self, item: Configuration) -> Configuration:
        """The configuration with its speed filled in."""
        return item.model_copy(update={"speed": self.of(item)})

    def _estimate(
        self, gpu: str, used: int, tensor_parallel: int, pipeline_parallel: int, weight_format: str | None
    ) -> Speed | None:
        need, load = self._request, self._load
        if load.model is not None and find_model(load.model).kind not in LANGUAGE:
            return None
        fields: dict[str, object] = {
            "model": load.model,
            "params": None if load.model else need.params,
            "gpu": gpu,
            "gpu_count": used,
        }
        try:
            return self._training(fields) if load.training else self._serving(
                fields | {"tensor_parallel": tensor_parallel, "pipeline_parallel": pipeline_parallel},
                weight_format,
            )  # fmt: skip
        except AdvisorError:
            return None

    def _serving(self, fields: dict[str, object], weight_format: str | None) -> Speed:
        sequences = self._load.variants[0].request.concurrent_sequences
        given = fields | {"weight_format": weight_format, "concurrent_sequences": sequences}
        result = estimate_inference_speed(InferenceSpeedRequest.model_validate(_stated(given)))
        return {
            "tokens_per_s_per_user": result.tokens_per_s_per_user.value,
            "tokens_per_s_per_user_low": result.tokens_per_s_per_user.low,
            "tokens_per_s_per_user_high": result.tokens_per_s_per_user.high,
            "tokens_per_s_total": result.tokens_per_s_total.value,
            "time_to_first_token_s": result.time_to_first_token_s.value,
            "bound": result.bound,
            "label": result.label,
        }

    def _training(self, fields: dict[str, object]) -> Speed:
        need = self._request
        task = need.task if need.task in TRAINING else "full_finetune"
        given = fields | {
            "task": task,
            "dataset_tokens": need.dataset_tokens,
            "epochs": need.epochs,
            "sequence_tokens": need.sequence_tokens or need.context_tokens,
            "gradient_checkpointing": need.gradient_checkpointing,
        }
        result = estimate_training_time(TrainingTimeRequest.model_validate(_stated(given)))
        total = result.tokens_per_s_total
        return {
            "tokens_per_s_total": total.value if total else None,
            "tokens_per_s_per_gpu": result.tokens_per_s_per_gpu.value,
            "time_s": result.time_s.value if result.time_s else None,
            "gpu_hours": result.gpu_hours.value if result.gpu_hours else None,
            "label": result.label,
        }


def _stated(fields: dict[str, object]) -> dict[str, object]:
    return {name: value for name, value in fields.items() if value is not None}

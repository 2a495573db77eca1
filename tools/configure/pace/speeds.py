"""Figures of the speed and training-time estimators that a configuration shows, remembered by request."""

from functools import lru_cache

from tools.speed import estimate_inference_speed
from tools.speed.estimate import bound_of, token_pace
from tools.speed.item import item_kind
from tools.speed.request import InferenceSpeedRequest
from tools.speed.result import InferenceSpeed, Interval
from tools.speed.work import Layout, Work, work_of
from tools.training_time import estimate_training_time
from tools.training_time.estimate import training_pace
from tools.training_time.job import job_of
from tools.training_time.request import TrainingTimeRequest

REMEMBERED = 16384
"""Speeds kept for the next question about the same work; half a kilobyte each."""
SPREAD = ("gpu_count", "tensor_parallel", "pipeline_parallel")
SERVED = ("tokens_per_s_total", "images_per_s", "audio_s_per_s", "documents_per_s")
MEASURES = (*SERVED, "samples_per_s_total")
"""What speeds are compared by, the first that an estimate has."""
TIMES = ("time_per_image_s", "time_per_clip_s")
ENDS = (("", "value"), ("_low", "low"), ("_high", "high"))
Speed = dict[str, float | str | None]
Given = tuple[tuple[str, object], ...]
"""A request as fields with values, without those not stated."""


@lru_cache(maxsize=REMEMBERED)
def served(given: Given) -> Speed:
    """The figures of `estimate_inference_speed`."""
    fields = dict(given)
    if of_items(fields):
        return _of_items(estimate_inference_speed(InferenceSpeedRequest.model_validate(fields)))
    count, tensor, stages = (int(str(fields.pop(name))) for name in SPREAD)
    ways = int(str(fields.pop("expert_parallel", 1)))
    work, request = loaded(tuple(fields.items()))
    layout = Layout(tensor, stages, max(count // (tensor * stages), 1))
    if ways > 1:
        layout = Layout(ways, 1, count // ways, attention_copies=True)
    paced = token_pace(work.on(layout, request.concurrent_sequences), request)
    per_user, documents = paced.per_user, paced.documents
    return {
        **{f"tokens_per_s_per_user{end}": getattr(per_user, of) for end, of in ENDS},
        "tokens_per_s_total": paced.total.value,
        **({"documents_per_s": documents.value} if documents else {}),
        "time_to_first_token_s": paced.first_token.value,
        "bound": bound_of(paced.found),
        "label": paced.near.label,
    }


@lru_cache(maxsize=1024)
def loaded(given: Given) -> tuple[Work, InferenceSpeedRequest]:
    """A load on one card: what its layouts have in common.

    Raises:
        BadInput: the card has no stated bandwidth.
    """
    request = InferenceSpeedRequest.model_validate({**dict(given), "tensor_parallel": 1, "pipeline_parallel": 1})
    return work_of(request)[0], request


def of_items(fields: dict[str, object]) -> bool:
    """Whether the model makes or looks at items instead of tokens."""
    model = fields.get("model")
    return model is not None and item_kind(str(model)) is not None


def _of_items(result: InferenceSpeed) -> Speed:
    rates = {name: _value(getattr(result, name)) for name in (*SERVED, *TIMES)}
    return {
        **{name: value for name, value in rates.items() if value is not None},
        "bound": result.bound,
        "label": result.label,
    }


@lru_cache(maxsize=REMEMBERED)
def trained(given: Given) -> Speed:
    """The figures of `estimate_training_time`."""
    request = TrainingTimeRequest.model_validate(dict(given))
    count = request.gpu_count or 1
    if item_kind(request.model) is not None:
        result = estimate_training_time(request)
        names = ("samples_per_s_total", "time_s", "gpu_hours")
        values = {name: _value(getattr(result, name)) for name in names}
        return {"tokens_per_s_total": None, **values, "label": result.label}
    paced = training_pace(job_of(request)[0], request)
    return {
        "tokens_per_s_total": paced.rate.value * count,
        "tokens_per_s_per_gpu": paced.rate.value,
        "time_s": paced.run.value * (3600 / count) if paced.run else None,
        "gpu_hours": paced.run.value if paced.run else None,
        "label": paced.near.label,
    }


def _value(found: Interval | None) -> float | None:
    return found.value if found else None

"""A run counted in optimizer steps: how many there are, how much data they take, how long at a measured pace."""

import math

from kb.base import BadInput
from tools.base import Step
from tools.speed.result import Interval
from tools.training_time.request import TrainingTimeRequest
from tools.training_time.result import TrainingTime


def samples_per_step(request: TrainingTimeRequest) -> int:
    """Samples of one optimizer step: of a card's micro-batch, over the accumulated ones and all cards."""
    return (request.micro_batch_size or 1) * (request.accumulation or 1) * (request.gpu_count or 1)


def steps_of(request: TrainingTimeRequest) -> int | None:
    """Steps still to be run: of those stated, or of what all passes over the samples take; null where unknown."""
    steps = request.steps
    if steps is None and request.dataset_samples is not None:
        steps = math.ceil(math.ceil(request.dataset_samples / samples_per_step(request)) * request.epochs)
    return None if steps is None else max(steps - request.steps_done, 1)


def timed_steps(request: TrainingTimeRequest, step_s: float) -> TrainingTime:
    """The time of a run at the pace it was measured at: steps · seconds a step.

    Raises:
        BadInput: neither steps nor samples say how long the run is.
    """
    steps = steps_of(request)
    if steps is None:
        raise BadInput("steps", "a pace alone gives no time.", "State `steps`, or `dataset_samples` and the batch.")
    time_s, cards = steps * step_s, request.gpu_count or 1
    rate = samples_per_step(request) / step_s
    batch = request.micro_batch_size is not None
    tokens = rate * request.sequence_tokens if request.sequence_tokens and batch else None
    return TrainingTime(
        model=request.model, task=request.task, gpu=request.gpu, gpu_count=request.gpu_count,
        precision=request.precision, steps=steps,
        tokens_per_s_per_gpu=_exactly(tokens / cards) if tokens else None,
        tokens_per_s_total=_exactly(tokens) if tokens else None,
        samples_per_s_total=_exactly(rate) if batch and not tokens else None,
        time_s=_exactly(time_s), gpu_hours=_exactly(time_s * cards / 3600), flops_total=None, goodput_ratio=1.0,
        label="measured", derivation=tuple(_derivation(request, steps, step_s, tokens)),
        assumptions=("The pace stays as measured; evaluation and saving come on top.",),
    )  # fmt: skip


def _derivation(request: TrainingTimeRequest, steps: int, step_s: float, tokens: float | None) -> list[Step]:
    found = []
    if request.steps is None:
        found.append(Step(label="Steps", formula="samples / (batch · accumulation · cards) · epochs", value=steps,
                          unit="steps", inputs={"samples": request.dataset_samples, "epochs": request.epochs,
                                                "samples_per_step": samples_per_step(request)}))  # fmt: skip
    found.append(Step(label="Time", formula="steps · seconds a step", value=steps * step_s, unit="s",
                      inputs={"steps": steps, "step_s": step_s}))  # fmt: skip
    if tokens:
        inputs = {"sequence_tokens": request.sequence_tokens, "samples_per_step": samples_per_step(request)}
        found.append(Step(label="Measured rate", formula="batch · accumulation · cards · sequence / seconds a step",
                          value=tokens, unit="tokens_per_s", inputs=inputs))  # fmt: skip
    return found


def _exactly(value: float) -> Interval:
    return Interval(value=value, low=value, high=value)

"""What the training-time estimator answers."""

from tools.base import ToolResult
from tools.speed.result import Evidence, Interval, Label


class TrainingTime(ToolResult):
    """Speed of training one model on some cards, and how long a run takes."""

    model: str | None
    """Catalog id, or null for a model given by its shape."""
    task: str
    gpu: str | None
    """Null where the speed was measured and the card not named."""
    gpu_count: int | None
    precision: str
    steps: int | None = None
    """Optimizer steps still to be run; null where it was given as an amount of data."""
    step_s: Interval | None = None
    """Seconds of one optimizer step; null for models that work on tokens."""
    tokens_per_s_per_gpu: Interval | None = None
    """Null for networks that look at images."""
    tokens_per_s_total: Interval | None = None
    """Of all cards; null when their number is open."""
    samples_per_s_per_gpu: Interval | None = None
    """Images a second of one card; null for models that work on tokens."""
    samples_per_s_total: Interval | None = None
    time_s: Interval | None
    """Wall time of the run; null without `dataset_tokens` (or `dataset_samples`) or `gpu_count`."""
    gpu_hours: Interval | None
    """Card-hours of the run; null without `dataset_tokens`."""
    model_flops_utilisation: float | None = None
    """Model FLOPs a second over the dense peak of the precision; recomputing is not counted; null where measured."""
    utilisation_ratio: Interval | None = None
    """The same with the interval of the rate."""
    flops_total: float | None
    """Model FLOPs of the whole run; null without `dataset_tokens`."""
    flops_per_token: float | None = None
    """6 · active parameters (4 for adapters) and causal attention."""
    goodput_ratio: float
    """Share of the wall time that trains."""
    label: Label
    evidence: tuple[Evidence, ...] = ()
    """Nearest published measurements, nearest first."""


class TokenTraining(TrainingTime):
    """The same for a model that works on tokens: its rate is never missing."""

    gpu: str
    tokens_per_s_per_gpu: Interval
    model_flops_utilisation: float
    flops_per_token: float

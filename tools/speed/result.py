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


class InferenceSpeed(ToolResult):
    """Speed of serving one model on some cards under a load."""

    model: str | None
    """Catalog id, or null for a model given by its shape."""
    gpu: str
    gpu_count: int
    weight_format: str
    engine: str
    tensor_parallel: int
    pipeline_parallel: int
    replicas: int
    """Copies of the model that share the load."""
    concurrent_sequences: int
    input_tokens: int
    output_tokens: int
    time_per_output_token_s: Interval
    """Between two tokens of one answer, prompts of the other sequences included."""
    tokens_per_s_per_user: Interval
    tokens_per_s_total: Interval
    """Output tokens of all sequences and copies together."""
    time_to_first_token_s: Interval
    prefill_tokens_per_s: Interval
    """Prompt tokens a second of one copy while it only reads prompts."""
    bound: Bound
    label: Label
    """Whether the figure was measured, interpolated between near measurements, or follows from the formula alone."""
    max_concurrent_sequences: int | None = None
    """Sequences of this length that the memory holds; null when the weights alone do not fit."""
    evidence: tuple[Evidence, ...] = ()
    """Nearest published measurements, nearest first."""

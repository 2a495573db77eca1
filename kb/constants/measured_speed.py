"""Published measurements of speed, one row each, with what the formula alone gives for the same case."""

import csv
from functools import lru_cache
from pathlib import Path

from kb.base import Frozen

FILE = Path(__file__).parents[1] / "facts" / "measured_speed.csv"


class MeasuredSpeed(Frozen):
    """One published measurement; an empty field is not stated."""

    id: str
    kind: str
    """decode, prefill, first_token, training, gpu_hours, images, audio or training_images."""
    model: str
    """Catalog id, or a size for a model outside the catalog."""
    active_params: float
    moe: bool
    gpu: str
    architecture: str
    """Of the card."""
    gpu_count: int
    engine: str
    format: str
    """Weight format, or training precision."""
    tensor_parallel: int
    pipeline_parallel: int
    sequences: int
    """Concurrent sequences, or the micro-batch of training."""
    input_tokens: int
    """Or tokens of a training sequence."""
    output_tokens: int
    measure: str
    """Field of the result it is a value of."""
    value: float
    estimate: float
    """What the formula alone gives."""
    source: str
    """Source id."""
    request: str
    """The case as a request, in JSON."""
    doubt: str = ""
    """Why it states another quantity than the request that stands for it; such a row corrects no estimate."""

    @property
    def description(self) -> str:
        """The case in words."""
        layout = f"{self.gpu_count} × {self.gpu}" if self.gpu_count > 1 else self.gpu
        text = f"{self.model}, {self.format}, {self.engine} on {layout}"
        if self.kind in ("images", "audio", "training_images"):
            steps = f", {self.output_tokens} steps" if self.kind == "images" and self.output_tokens > 1 else ""
            return f"{text}, {self.sequences} at once{steps}"
        if self.kind in ("training", "gpu_hours"):
            return text + (f", sequences of {self.input_tokens} tokens" if self.input_tokens else "")
        return f"{text}, {self.sequences} at once, {self.input_tokens} + {self.output_tokens} tokens"


@lru_cache(maxsize=1)
def measured_speeds() -> tuple[MeasuredSpeed, ...]:
    """Every row, in the order of the file."""
    with FILE.open(encoding="utf-8", newline="") as file:
        return tuple(MeasuredSpeed.model_validate({**row, "moe": row["moe"] == "1"}) for row in csv.DictReader(file))

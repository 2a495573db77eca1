"""Time of training: see `estimate.py`, then `step.py`."""

from tools.training_time.estimate import estimate_training_time

__all__ = ["estimate_training_time"]

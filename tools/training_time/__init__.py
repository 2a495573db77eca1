"""Time of training: see `estimate.py`, then `step.py`; images in `images.py`."""

from tools.training_time.estimate import estimate_token_training, estimate_training_time

__all__ = ["estimate_token_training", "estimate_training_time"]

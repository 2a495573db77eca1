"""Speed of inference: see `estimate.py`, then `pace.py`."""

from tools.speed.estimate import estimate_inference_speed, estimate_token_speed

__all__ = ["estimate_inference_speed", "estimate_token_speed"]

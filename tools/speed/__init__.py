"""Speed of serving: see `estimate.py`, then `pace.py` and one module for each noun."""

from tools.speed.estimate import estimate_inference_speed

__all__ = ["estimate_inference_speed"]

"""Cost of owning and of renting: see `estimate.py`, then `own.py`, `rent.py` and `break_even.py`."""

from tools.cost.estimate import estimate_cost

__all__ = ["estimate_cost"]

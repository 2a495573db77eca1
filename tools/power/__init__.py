"""Power: see `plan.py`, then `machine.py` and `draw.py`."""

from tools.power.plan import plan_power

__all__ = ["plan_power"]

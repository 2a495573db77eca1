"""When the cards run out: see `forecast.py`, then `table.py`, `series.py`, `model.py` and `plan.py`."""

from tools.capacity_forecast.forecast import forecast_capacity

__all__ = ["forecast_capacity"]

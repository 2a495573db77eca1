"""Every way to run a model on the machine in hand: see `find.py`, then `search.py`."""

from tools.ways_to_run.find import find_ways_to_run

__all__ = ["find_ways_to_run"]

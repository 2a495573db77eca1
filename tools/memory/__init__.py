"""Memory of a workload: see `estimate.py`, then one module for each noun."""

from tools.memory.estimate import estimate_memory

__all__ = ["estimate_memory"]

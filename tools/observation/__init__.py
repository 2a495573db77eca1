"""What was observed and why: see `explain.py`."""

from tools.observation.explain import explain_observation

__all__ = ["explain_observation"]

"""Running out of memory: see `diagnose.py`, then `quantities.py`, `cause.py` and `fixes.py`."""

from tools.oom.diagnose import diagnose_oom

__all__ = ["diagnose_oom"]

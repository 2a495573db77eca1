"""What was observed and why: see `explain.py`."""

"""Files that start the work: see `make.py`, then `setting.py`, `serve.py`, `train.py` and what writes each kind."""

from tools.launch.make import make_launch_files

__all__ = ["make_launch_files"]

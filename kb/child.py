"""Processes of our own: what they are started with."""

import os
from pathlib import Path

ROOT = str(Path(__file__).resolve().parent.parent)


def environment(**more: str) -> dict[str, str]:
    """This process's environment, with this program found first wherever the child runs, and `more`."""
    paths = os.pathsep.join(filter(None, [ROOT, os.environ.get("PYTHONPATH", "")]))
    return os.environ | {"PYTHONPATH": paths} | more

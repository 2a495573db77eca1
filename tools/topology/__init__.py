"""What joins the cards of a machine: see `read.py`, then `matrix.py`, `smi.py`, `groups.py` and `problems.py`."""

from tools.topology.read import read_topology

__all__ = ["read_topology"]

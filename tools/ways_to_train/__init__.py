"""Every way to train a model on the cards in hand: see `find.py`, then `search.py`."""

from tools.ways_to_train.find import find_ways_to_train

__all__ = ["find_ways_to_train"]

"""The configurator: smallest and cheapest hardware for a need, to buy or to rent."""

from tools.configure.answer import configure

__all__ = ["configure"]

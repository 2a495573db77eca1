"""Amounts of memory, and the memory of a machine."""

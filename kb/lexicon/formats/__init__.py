"""Formats of weights and caches."""

"""Lengths of time."""

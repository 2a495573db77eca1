"""Counts of things."""

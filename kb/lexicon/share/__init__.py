"""Shares, and growth by them."""

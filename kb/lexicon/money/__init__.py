"""Amounts of money and prices."""

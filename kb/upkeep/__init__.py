"""Keeping the facts alive: their age, what of them asks for a second look, rows for new ones."""

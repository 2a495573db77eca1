"""Shares and multiples, and their corpus."""

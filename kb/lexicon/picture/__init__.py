"""Sizes of pictures, and their corpus."""

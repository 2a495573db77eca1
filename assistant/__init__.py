"""Understand, plan, call tools, compose, ground, remember."""

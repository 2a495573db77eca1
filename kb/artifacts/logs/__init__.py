"""Logs and errors: lines that a program wrote, found by what loggers and programs write."""

from kb.artifacts.logs.blocks import find_logs

__all__ = ["find_logs"]

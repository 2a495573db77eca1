"""Every number of an answer is traced to a tool, a cited passage or the asker's own words."""

from assistant.ground.check import ground, without_loose_lines

__all__ = ["ground", "without_loose_lines"]

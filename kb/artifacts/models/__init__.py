"""Models: the files that say what a model is."""

from kb.artifacts.artifact import Format

FORMATS: tuple[Format, ...] = ()

"""State: what tools print of a machine as it stands."""

from kb.artifacts.artifact import Format

FORMATS: tuple[Format, ...] = ()

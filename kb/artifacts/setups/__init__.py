"""Set-ups: commands, configurations and manifests."""

from kb.artifacts.artifact import Format

FORMATS: tuple[Format, ...] = ()

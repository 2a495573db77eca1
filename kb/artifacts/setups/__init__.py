"""Set-ups: commands, configurations and manifests."""

from kb.artifacts.setups.formats import FORMATS

__all__ = ["FORMATS"]

"""Artifacts: what people paste, read as what it is.

A text becomes artifacts (logs, state of machines, set-ups, models' files, quotations), each with typed facts and the
lines they stand in, and the prose around them. Each format is one small parser; `vocabulary/names.yaml` lists every fact.
"""

from kb.artifacts.artifact import Artifact, Fact, Found, Span, Unread
from kb.artifacts.find import find_artifacts

__all__ = ["Artifact", "Fact", "Found", "Span", "Unread", "find_artifacts"]

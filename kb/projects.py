"""Published training projects that people set out to repeat."""

import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Literal

from kb.base import Frozen
from kb.snapshot import load_yaml

_FILE = Path(__file__).parent / "facts" / "projects.yaml"


class ProjectSource(Frozen):
    """Where its recipe is published."""

    title: str
    url: str
    date: str


class Project(Frozen):
    """A recipe by its name."""

    names: tuple[str, ...]
    model: str
    """Catalog id of the model its recipe trains."""
    method: Literal["sft", "dpo", "ppo", "grpo", "pretrain"]
    gpu: str | None
    """Card its commands are set for; null = any that holds it."""
    gpus: int
    dataset_tokens: int | None = None
    """Tokens that the settings it comes with train on, over all passes; null = not stated."""
    source: ProjectSource


@lru_cache(maxsize=1)
def projects() -> dict[str, Project]:
    """All of them, by id."""
    return {key: Project.model_validate(row) for key, row in load_yaml(_FILE).items()}


@lru_cache(maxsize=1)
def _pattern() -> re.Pattern[str]:
    return any_of(name for one in projects().values() for name in one.names)


def any_of(names: Iterable[str]) -> re.Pattern[str]:
    """Any of these names as a word of its own, the longest where several begin alike."""
    longest = sorted(names, key=len, reverse=True)
    return re.compile(rf"(?<![a-z0-9])(?:{'|'.join(map(re.escape, longest))})(?![a-z0-9])", re.IGNORECASE)


def project_in(text: str) -> Project | None:
    """The first project named in a text."""
    match = _pattern().search(text)
    if match is None:
        return None
    return next(one for one in projects().values() if match[0].lower() in one.names)

"""Texts that people train language models on, by name."""

import re
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from kb.base import Frozen
from kb.projects import ProjectSource, any_of, projects
from kb.snapshot import load_yaml

_FILE = Path(__file__).parent / "facts" / "datasets.yaml"
_DEFAULTS = re.compile(
    r"(?<![a-z])(?:default|stock|standard|original|unchanged)s? (?:\w+ )?"
    r"(?:arg(?:ument)?s?|settings?|config\w*|param\w*|hyper\w*)"
    r"|(?<![a-z])defaults(?![a-z])|默认(?:的)?(?:参数|配置|设置|超参)",
    re.I,
)
"""Words for the settings that a project comes with."""


class Dataset(Frozen):
    """A text by its name."""

    names: tuple[str, ...]
    tokens: int
    """Of one pass."""
    recipe: str | None = None
    """Project whose own settings train on it."""
    source: ProjectSource


@lru_cache(maxsize=1)
def datasets() -> dict[str, Dataset]:
    """All of them, by id."""
    return {key: Dataset.model_validate(row) for key, row in load_yaml(_FILE).items()}


@lru_cache(maxsize=1)
def _pattern() -> re.Pattern[str]:
    return any_of(name for one in datasets().values() for name in one.names)


class Named(NamedTuple):
    """What a named text comes to, where it is named, and who says so."""

    tokens: int
    start: int
    end: int
    source: ProjectSource


def tokens_named(text: str) -> Named | None:
    """Tokens of the first text that is named, and where; with the defaults of its recipe, what those train on."""
    match = _pattern().search(text)
    if match is None:
        return None
    one = next(one for one in datasets().values() if match[0].lower() in one.names)
    recipe = projects()[one.recipe] if one.recipe and _DEFAULTS.search(text) else None
    if recipe is not None and recipe.dataset_tokens:
        return Named(recipe.dataset_tokens, match.start(), match.end(), recipe.source)
    return Named(one.tokens, match.start(), match.end(), one.source)

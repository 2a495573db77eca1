"""Templates of a topic, data per language beside it."""

from functools import lru_cache
from pathlib import Path
from typing import Any

from kb.snapshot import load_yaml

LANGUAGES = {"zh": "zh", "zh-Hans": "zh", "zh-Hant": "zh", "en": "en"}
"""Languages topics can tell; others are the former planner's."""


@lru_cache(maxsize=128)
def templates(folder: Path, language: str) -> dict[str, str]:
    """The templates of a folder by name."""
    found: dict[str, str] = load_yaml(folder / f"{LANGUAGES[language]}.yaml")
    return found


ASSUMES, ASKS, WARNS = ("assumed", "card_assumed"), ("question",), ("mind",)
"""How the names of templates begin that say what was assumed, what is asked back, and what to mind."""


class Words:
    """The templates of one topic, and those that all share, in one language.

    What is said by a template of these names is kept apart as well: an answer tells it in fields of its own.
    """

    def __init__(self, folder: Path, language: str) -> None:
        self._own, self._shared = templates(folder, language), templates(Path(__file__).parent, language)
        self.language = LANGUAGES[language]
        self.assumed: list[str] = []
        self.asked: list[str] = []
        self.minded: list[str] = []

    @classmethod
    def shared(cls, language: str) -> "Words":
        """What belongs to no topic."""
        return cls(Path(__file__).parent, language)

    def say(self, name: str, /, **fields: Any) -> str:
        """A sentence with its figures.

        Raises:
            KeyError: no such template, or a field that it needs is missing.
        """
        said = (self._own.get(name) or self._shared[name]).format(**fields)
        for begins, kept in ((ASSUMES, self.assumed), (ASKS, self.asked), (WARNS, self.minded)):
            if name.startswith(begins) and said not in kept:
                kept.append(said)
        return said

    def knows(self, name: str) -> bool:
        """Whether there is such a template."""
        return name in self._own or name in self._shared

    def maybe(self, name: str, /, **fields: Any) -> list[str]:
        """The sentence where all of its figures are known, else nothing."""
        return [self.say(name, **fields)] if all(value not in (None, "") for value in fields.values()) else []

    def listed(self, items: list[str]) -> str:
        """A list in words."""
        if len(items) < 2:
            return "".join(items)
        return self._shared["comma"].join(items[:-1]) + self._shared["and"] + items[-1]

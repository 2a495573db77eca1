"""The rules: one entry of a file each, read once."""

import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from kb.base import Frozen
from kb.catalog import load_yaml
from kb.records.source import Source
from tools.check_setup.expression import tree

FOLDER = Path(__file__).parent / "rules"
Severity = Literal["stops", "wrong", "waste"]
"""stops: it will not start, or dies at once; wrong: it runs and does other than meant, or fails later; waste: it costs
memory, time or money for nothing."""


def _several(value: Any) -> Any:
    return (value,) if isinstance(value, str) else value


Several = Annotated[tuple[str, ...], BeforeValidator(_several)]


class Both(Frozen):
    """A sentence in both languages; `{…}` holds an expression of the rules' language."""

    en: str
    zh: str


class Rule(Frozen):
    """One thing that people get wrong."""

    id: str = Field(pattern=r"^[a-z0-9-]+(?:\.[a-z0-9-]+)+$")
    of: Several
    """Programs it looks at, or a group of `groups.yaml`."""
    when: str
    """Condition; the rule fires where it holds."""
    at: Several = ()
    """Settings it is told of, the first that is written."""
    severity: Severity
    why: Both
    fix: Both
    set: Mapping[str, str] = Field(default_factory=dict)
    """Setting → expression of what it is in the corrected file."""
    drop: Several = ()
    """Settings that the corrected file does not have."""
    source: str
    """Source id."""
    since: str | None = None
    """First release of the program with this behaviour; null = all that are in use."""
    before: str | None = None
    """First release without it."""
    fails: Several
    """Set-ups on which it fires."""
    passes: Several
    """Set-ups on which it does not."""
    cards: str | None = None
    """The machine of both examples."""


@lru_cache(maxsize=1)
def _groups() -> Mapping[str, tuple[str, ...]]:
    return {name: tuple(ids) for name, ids in load_yaml(FOLDER.parent / "known" / "groups.yaml").items()}


@lru_cache(maxsize=1)
def sources() -> Mapping[str, Source]:
    """Where the rules come from, by id."""
    return {key: Source(id=key, **row) for key, row in load_yaml(FOLDER.parent / "known" / "sources.yaml").items()}


@lru_cache(maxsize=1)
def rules() -> tuple[Rule, ...]:
    """Every rule, those that stop a start first.

    Raises:
        ValueError: an id stands twice, or a condition is not of the language.
    """
    found: dict[str, Rule] = {}
    for file in sorted(FOLDER.glob("*.yaml")):
        content = load_yaml(file)
        shapes = content.get("shapes", {})
        for row in content["rules"]:
            rule = Rule.model_validate(_shaped(row, shapes))
            if rule.id in found:
                raise ValueError(f"{rule.id} stands twice")
            for text in (rule.when, *rule.set.values()):
                tree(text)
            found[rule.id] = rule
    return tuple(found.values())


def _shaped(row: Mapping[str, Any], shapes: Mapping[str, Any]) -> dict[str, Any]:
    """A row filled up by the shape it names: sentences that many rules share, with the row's own words put in."""
    shape = shapes.get(row.get("shape", ""), {})
    words = {name: str(value) for name, value in row.get("with", {}).items()}
    filled = _filled(shape, words)
    own = {name: value for name, value in row.items() if name not in {"shape", "with"}}
    return {**filled, **_filled(own, words)}


def _filled(value: Any, words: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        return re.sub(r"<(\w+)>", lambda one: words.get(one[1], one[0]), value)
    if isinstance(value, Mapping):
        return {name: _filled(inner, words) for name, inner in value.items()}
    return [_filled(one, words) for one in value] if isinstance(value, list) else value


@lru_cache(maxsize=64)
def rules_of(program: str) -> tuple[Rule, ...]:
    """The rules that look at a program."""
    groups = {name for name, ids in _groups().items() if program in ids}
    return tuple(rule for rule in rules() if program in rule.of or groups & set(rule.of))

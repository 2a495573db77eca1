"""The steps of a calculation in the reader's language: labels, formulas in words and units from one table."""

import re
from functools import lru_cache
from importlib.resources import files
from string import Formatter
from typing import cast

from kb.snapshot import parse_yaml

Patterns = tuple[tuple[re.Pattern[str], str], ...]


def step_label(text: str, language: str) -> str:
    """The label of a step: translated whole, or by the first pattern it fits; in English where there is neither."""
    if language != "zh":
        return text
    whole = _table()["labels"].get(text)
    if whole is not None:
        return whole
    for pattern, chinese in _patterns("labels"):
        if match := pattern.fullmatch(text):
            return chinese.format_map({name: step_label(part, language) for name, part in match.groupdict().items()})
    return text


def step_setting(text: str, language: str) -> str:
    """How a change is written: what is typed stays, words around it are translated."""
    if language != "zh":
        return text
    if (whole := _table()["settings"].get(text)) is not None:
        return whole
    found = ((pattern.fullmatch(text), chinese) for pattern, chinese in _patterns("settings"))
    return next((chinese.format_map(match.groupdict()) for match, chinese in found if match), text)


def step_formula(text: str, language: str) -> str:
    """A formula; only those written in words are translated."""
    return _table()["formulas"].get(text, text) if language == "zh" else text


def step_unit(unit: str, language: str) -> str:
    """A unit as a person writes it."""
    if language == "zh" and unit in _table()["units"]:
        return _table()["units"][unit]
    return unit.replace("_per_", "/").replace("_", " ")


@lru_cache(maxsize=1)
def _table() -> dict[str, dict[str, str]]:
    text = files("assistant.phrases").joinpath("steps.yaml").read_text(encoding="utf-8")
    return cast(dict[str, dict[str, str]], parse_yaml(text))


@lru_cache(maxsize=2)
def _patterns(part: str) -> Patterns:
    """The lines with gaps of a part of the table as regular expressions, in its order."""
    return tuple((_pattern(english), chinese) for english, chinese in _table()[part].items() if "{" in english)


def _pattern(english: str) -> re.Pattern[str]:
    parts = (
        re.escape(literal) + (f"(?P<{name}>.+?)" if name else "") for literal, name, _, _ in Formatter().parse(english)
    )
    return re.compile("".join(parts))

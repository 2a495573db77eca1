"""What a request that breaks its schema is told: which field, what is wrong in plain words, and what would do."""

from collections.abc import Collection
from difflib import get_close_matches
from typing import Any

from pydantic import ValidationError

from kb.base import BadInput

_PLAIN = {
    "too_short": "at least {min_length} needed, {actual_length} given.",
    "too_long": "at most {max_length} possible, {actual_length} given.",
}
"""Complaints of pydantic that speak of its own types."""
_COUNTRY = "^[A-Za-z]{2}$"
_UNKNOWN_FIELD = "Remove it or check its spelling."
_SHOWN = 12


def bad_input(problem: ValidationError, fields: Collection[str] = ()) -> BadInput:
    """The first complaint of pydantic as an error that names the field and never echoes the value.

    `fields` are those the request has; one written nearly so is proposed for a field that is none.
    """
    first = problem.errors(include_url=False, include_input=False)[0]
    field = ".".join(str(part) for part in first["loc"]) or "request"
    beside = fields if len(first["loc"]) == 1 else ()
    remedy = _instead(str(first["loc"][-1]), beside) if first["type"] == "extra_forbidden" else ""
    return BadInput(field, _said(first["type"], first["msg"], first.get("ctx", {})), remedy)


def _said(kind: str, message: str, given: dict[str, Any]) -> str:
    if kind in _PLAIN and given.keys() >= {"actual_length"}:
        return _PLAIN[kind].format(**given)
    if given.get("pattern") == _COUNTRY:
        return "write its two letters, such as CN or US."
    return message.removeprefix("Value error, ").rstrip(".") + "."


def _instead(name: str, fields: Collection[str]) -> str:
    known = [field for field in fields if field != "today"]
    near = get_close_matches(name.lower(), known, cutoff=0.7)[:3] or [one for one in known if name.rstrip("s") in one]
    if near:
        return f"Did you mean {', '.join(near[:3])}?"
    if not known:
        return _UNKNOWN_FIELD
    return f"Fields here: {', '.join(known[:_SHOWN])}{' …' if len(known) > _SHOWN else ''}."

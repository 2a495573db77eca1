"""Figures by reference: `{{R2.ways[0].memory.needed_per_gpu|GB}}` is replaced by what that result says."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from assistant.grounding.standing.unsaid import BYTES_KEY
from assistant.grounding.wording.figures import FLAG
from assistant.grounding.wording.quantities import UNITS, quantities
from tools.agent_tools.ledger import Ledger, LookedUp

REFERENCE = re.compile(
    r"\{\{\s*(R\d{1,4})((?:\.?\[?[\w%/+:()-]+\]?){0,12}?)\s*(?:#(\d{1,2})\s*)?(?:\|\s*([^{}|]{1,20}?)\s*)?\}\}", re.I
)
LOOSE_BRACES = re.compile(r"\{\{[^{}\n]{0,120}\}\}")
PART = re.compile(r"[A-Za-z_][\w%/+:()-]*|\d+")
FILES = re.compile(r"\.?files(?:\[(\d{1,2})\])?", re.I)
SUM = re.compile(r"[^=≈.;。；]*(?:\.\d[^=≈.;。；]*)*[=≈]\s?(?P<result>[^=≈;。；]{1,40})")
"""A calculation as `work_out` writes it, and what it comes to."""
SUM_TOLD_MAX = 120
PATHS_TOLD, SENTENCE = 12, 48
"""Paths told where one leads nowhere; characters from which on a text with several figures is a sentence."""


@dataclass(frozen=True, slots=True)
class Rendered:
    """A text with its references filled in."""

    text: str
    spans: tuple[tuple[int, int, str], ...]
    """Where each stands, and the key of the result that it came from."""
    problems: tuple[str, ...]
    """What could not be filled in, and what could be said instead."""


def rendered(text: str, ledger: Ledger) -> Rendered:
    """Fill in every reference; one that leads nowhere is left as it is and told."""
    parts: list[str] = []
    spans: list[tuple[int, int, str]] = []
    problems: list[str] = []
    position = length = 0
    for match in REFERENCE.finditer(text):
        before = text[position : match.start()]
        said, problem = _value(match[1], match[2], match[3], match[4], ledger)
        parts += [before, said]
        length += len(before)
        if problem:
            problems.append(problem)
        else:
            spans.append((length, length + len(said), match[1].upper()))
        length += len(said)
        position = match.end()
    parts.append(text[position:])
    whole = "".join(parts)
    known = {problem.split("}}")[0] for problem in problems}
    problems += [
        f"{match[0]} is no reference: write {{{{R1.path}}}} with a key and a path of a result"
        for match in LOOSE_BRACES.finditer(whole)
        if match[0].removesuffix("}}") not in known
    ]
    return Rendered(whole, tuple(spans), tuple(problems))


def _value(key: str, path: str, place: str | None, unit: str | None, ledger: Ledger) -> tuple[str, str]:
    """What a reference says, or why it says nothing; `place` picks one of the figures of a text."""
    written = f"{{{{{key}{path}{'#' + place if place else ''}{'|' + unit if unit else ''}}}}}"
    one = ledger.find(key)
    if one is None:
        return written, f"{written}: there is no result {key}"
    if (files := _files(one, path)) is not None:
        return files, ""
    value: Any = one.shown
    for part in PART.findall(path):
        value = _step(value, part)
        if value is None:
            return written, f"{written}: no such path; there are {', '.join(paths(one.shown))}"
    if isinstance(value, Mapping | list):
        below = ", ".join(f"{path}{each}" for each in paths(value))
        return written, f"{written} is not one figure; below it are {below}"
    said = f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
    if unit is not None and BYTES_KEY.search(path) and said.replace(",", "").isdigit():
        said = f"{said} bytes"
    figures = list(quantities(said))
    if place is not None:
        if not 1 <= int(place) <= len(figures):
            return written, f"{written}: it holds {len(figures)} figures"
        said = figures[int(place) - 1].text
    elif figures and (sum_ := SUM.fullmatch(said)) is not None:
        if unit is None and len(said) <= SUM_TOLD_MAX:
            return said, ""
        said = sum_["result"]
    elif len(FLAG.sub("", said)) > SENTENCE and len(figures) > 1 and "(" not in said[:SENTENCE]:
        told = ", ".join(f"#{number} = {one.text}" for number, one in enumerate(figures, 1))
        return written, f"{written} is a sentence: say it yourself, with single figures of it ({told})"
    if unit is None:
        return said, ""
    converted = in_unit(said, unit)
    return (converted, "") if converted else (written, f"{written}: {said} cannot be told in {unit}")


def _files(one: LookedUp, path: str) -> str | None:
    """The files of a result, whole and each under its name, where the path leads to them."""
    match = FILES.fullmatch(path)
    held = next((each.result["files"] for each in one.worked if each.result.get("files")), None)
    if match is None or not held:
        return None
    chosen = held[int(match[1]) : int(match[1]) + 1] if match[1] else held
    return "".join(
        f"\n\n**{file['name']}**\n\n```{file['language']}\n{file['content'].rstrip()}\n```\n" for file in chosen
    )


def _step(value: Any, part: str) -> Any:
    if isinstance(value, Mapping):
        return value.get(part)
    if isinstance(value, list) and part.isdigit() and int(part) < len(value):
        return value[int(part)]
    return None


def paths(value: Any, before: str = "") -> list[str]:
    """Some paths to figures below a value."""
    found: list[str] = []
    items = value.items() if isinstance(value, Mapping) else enumerate(value) if isinstance(value, list) else ()
    for name, inner in items:
        path = f"{before}[{name}]" if isinstance(name, int) else f"{before}.{name}"
        found += paths(inner, path) if isinstance(inner, Mapping | list) else [path]
    return found[:PATHS_TOLD]


def in_unit(said: str, unit: str) -> str | None:
    """A figure told in another unit of its kind: ("41.0 GiB", "GB") → "44.0 GB"; null where it is of another kind."""
    known = UNITS.get(unit.strip())
    first = next(iter(quantities(said)), None)
    if first is None:
        return None
    if known is None or first.kind != known[0]:
        return said if unit.strip() and unit.strip() in said else None
    value = first.values[-1] / known[1][0]
    return f"{value:,.0f} {unit}" if abs(value) >= 100 else f"{value:.3g} {unit}"

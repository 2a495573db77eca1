"""What a field of a result tells without saying it: the unit of its number, a share as a percentage."""

import re

from assistant.grounding.wording.cues import unit_of_key
from assistant.grounding.wording.figures import Figure, figures_of_text

LEAF = re.compile(r"(?P<number>\d[\d,]*(?:\.\d+)?)(?P<interval>\s\([\d.,–-]+\))?")
"""A field that holds a number without a unit, with its interval at most."""


def unsaid(text: str, path: str) -> tuple[Figure, ...]:
    """A bare number of a field in the unit that its name says, and a share of one as a percentage."""
    match = LEAF.fullmatch(text)
    if match is None:
        return ()
    name = path.rsplit(".", 1)[-1]
    if (unit := unit_of_key(name)) is not None:
        return figures_of_text(f"{match['number']} {unit}{match['interval'] or ''}")
    share = share_of(text, path)
    return figures_of_text(f"{100 * share:.6g} %") if share is not None else ()


def share_of(text: str, path: str) -> float | None:
    """The share of one that a field holds; null where its name says a unit or a rate."""
    match, name = LEAF.fullmatch(text), path.rsplit(".", 1)[-1]
    if match is None or unit_of_key(name) is not None or "_per_" in name:
        return None
    value = float(match["number"].replace(",", ""))
    return value if 0 < value < 1 else None

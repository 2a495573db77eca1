"""What a field of a result tells without saying it: the unit of its number, a share as a percentage."""

import re
from collections.abc import Iterator

from assistant.grounding.wording.cues import unit_of_key
from assistant.grounding.wording.figures import Figure, figures_of_text
from assistant.grounding.wording.mentions import products

LEAF = re.compile(r"(?P<number>\d[\d,]*(?:\.\d+)?)(?P<interval>\s\([\d.,–-]+\))?")
"""A field that holds a number without a unit, with its interval at most."""

BYTES_KEY = re.compile(r"_bytes(?:\.\w+)?\Z")
"""A field whose bare number is one of bytes, or each of a field of several: `checkpoint_bytes.fp8`."""
NUMBER = re.compile(r"\d+(?:\.\d+)?")


def unsaid(text: str, path: str) -> tuple[Figure, ...]:
    """A bare number of a field in the unit that its name says, and a share of one as a percentage."""
    match = LEAF.fullmatch(text)
    if match is None:
        return ()
    name = path.rsplit(".", 1)[-1]
    if BYTES_KEY.search(path):
        return figures_of_text(f"{match['number']} bytes")
    if (unit := unit_of_key(name)) is not None:
        return figures_of_text(f"{match['number']} {unit}{match['interval'] or ''}")
    share = share_of(text, path)
    return figures_of_text(f"{100 * share:.6g} %") if share is not None else ()


def in_a_sum(figure: Figure) -> Iterator[float]:
    """What stands in a sum for a figure whose unit is left out there: the 524 of "524.2 GB / 8"."""
    for reading in figure.readings[:1]:
        digits = NUMBER.search(reading.text.replace(",", ""))
        if digits and reading.text[-1:].isalpha():
            yield float(digits[0])


def share_of(text: str, path: str) -> float | None:
    """The share of one that a field holds; null where its name says a unit or a rate."""
    match, name = LEAF.fullmatch(text), path.rsplit(".", 1)[-1]
    if match is None or unit_of_key(name) is not None or "_per_" in name:
        return None
    value = float(match["number"].replace(",", ""))
    return value if 0 < value < 1 else None


def titled(text: str) -> frozenset[str]:
    """The card that a text of several sentences is headed by: "Ascend 910B3: …"."""
    first = next((one for one in products(text) if one.dimension == "card"), None)
    headed = first is not None and first.start == 0 and text[first.end :].lstrip()[:1] in {":", "："}
    return first.ids if first is not None and headed else frozenset()

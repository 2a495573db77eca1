"""Electric power as people write it: 1000W PSU · 1.2 kW · 850 瓦 · one 1200w supply."""

from kb.base import BadInput
from kb.lexicon.count.rules import read_count
from kb.lexicon.text import grammar, plain

_POWER = grammar(r"(\d[\d,]*(?:\.\d+)?) ?(k|千|kilo)?(?:w|watts?|瓦特?)(?![a-z0-9])")
"""A number and its unit; the "w" of it is no 万."""


def read_power(text: str, field: str = "power") -> float:
    """The power that `text` says, in watts; a number without a unit is of watts.

    Raises:
        BadInput: there is none, or several that differ.
    """
    words = plain(text)
    found = {float(one[1].replace(",", "")) * (1000 if one[2] else 1) for one in _POWER.finditer(words)}
    if not found:
        found = {read_count(text, field)}
    if len(found) != 1:
        raise BadInput(field, f"“{text[:60]}” says several powers.", 'Give one, e.g. "1000 W".')
    return found.pop()

"""Under what figures hold, as words say it: lengths in tokens, and how many requests are answered at once."""

import re
from functools import lru_cache

from assistant.grounding.wording.cues import COUNTED, roles_near, says
from assistant.grounding.wording.quantities import PLAIN, quantities

THOUSANDS = re.compile(r"\d\s?[kK]\Z|萬\Z|万\Z")
"""A bare number that is a length where it counts nothing else."""
LENGTH_MIN = 256.0
REMEMBERED = 2048
Conditions = tuple[frozenset[float], frozenset[float]]


@lru_cache(maxsize=REMEMBERED)
def conditions(text: str) -> Conditions:
    """Lengths and numbers of requests at once that a text tells: "at 8k with 4 users" is ({8000, 8192}, {4})."""
    lengths: set[float] = set()
    loads: set[float] = set()
    for one in quantities(text):
        if one.kind != PLAIN:
            continue
        counted = roles_near(text, one.start, one.end).get(COUNTED)
        if counted == "requests":
            loads.update(one.values)
        elif counted == "tokens" or (counted is None and THOUSANDS.search(one.text)):
            lengths.update(value for value in one.values if value >= LENGTH_MIN)
    if says("alone", text):
        loads.add(1.0)
    return frozenset(lengths), frozenset(loads)

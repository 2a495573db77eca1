"""Under what figures hold, as words say it: lengths in tokens, and how many requests are answered at once."""

import re
from collections.abc import Iterator
from functools import lru_cache

from assistant.grounding.wording.cues import COUNTED, roles_near, says
from assistant.grounding.wording.quantities import PLAIN, quantities
from kb.lexicon.count.rules import numbers

THOUSANDS = re.compile(r"\d\s?[kK]\Z|萬\Z|万\Z")
"""A bare number that is a length where it counts nothing else."""
LENGTH_MIN = 256.0
REMEMBERED = 2048
AS_MANY = re.compile(
    r"(?<![\d.,])(?P<many>\d{1,3})(?:\s?[个個](?![\w一-鿿]{0,2}(?:月|小时|小時|token|GPU))|(?=[,;:.)]?\s|[,;:)]|\Z))"
)
"""A number of requests whose noun stands with another: 「11 个并发请求……按 8 个规划」, "at 8 each"."""
Conditions = tuple[frozenset[float], frozenset[float]]


DIGIT, WORD_OF_NUMBER = (
    re.compile(r"\d"),
    re.compile(
        r"\b(?:two|three|four|five|six|seven|eight|nine|ten|\w+teen|twelve|twenty|thirty|forty|fifty|hundred)|[两三四五六七八九十]",
        re.I,
    ),
)
GETTING = re.compile(r"\s(?:get|share|together|at once)\b", re.I)
"""Behind a number of those who are answered, where their noun is left out: "four get 26 each"."""


def _spelt_loads(text: str) -> Iterator[float]:
    """Requests that are counted in words: "five users", 「五个人」."""
    if not WORD_OF_NUMBER.search(text):
        return
    for one in numbers(text.lower(), letters="", articles=False):
        if DIGIT.search(text[one.start : one.end]):
            continue
        counted = roles_near(text, one.start, one.end).get(COUNTED)
        if counted == "requests" or (counted is None and GETTING.match(text, one.end)):
            yield float(one.value)


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
    loads.update(_spelt_loads(text))
    if loads:
        loads.update(float(match["many"]) for match in AS_MANY.finditer(text))
    if says("alone", text):
        loads.add(1.0)
    return frozenset(lengths), frozenset(loads)

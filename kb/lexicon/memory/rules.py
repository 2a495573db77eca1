"""Amounts of memory as people write them: 128GB · 12x64GB · 1.5T 内存 · 96gb ddr5-5600 (2x48) · 23187 MiB."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from kb.base import BadInput
from kb.lexicon.count.rules import Number, numbers
from kb.lexicon.text import grammar, plain
from kb.lexicon.words import any_of, meaning, vocabulary
from kb.units import GIB, TIB

MOST_BYTES = 1000 * TIB
SMALLEST_BYTES = 1024**2
_NOT_MEMORY = r"(?!/s|ps|p/s| ?per ?s|it|bit|/sec|e(?![a-z])|[a-z0-9]|bits?)"
"""What makes it a rate (936 GB/s, 100 Gbps) or another word."""
_COUNTED = grammar(
    r"(?<![a-z0-9.])(\d{1,3}|[一二两三四六八]|十[二六]) ?(?:x|×|\*|条|根|支|片|块|张|pcs|sticks? of|modules? of) ?$"
)
_TIMES = grammar(
    r" ?(?:的)? ?(?:x|×|\*) ?(\d{1,2})(?![\d.]| ?[gtm])|的? ?(?:内存)?条? ?(\d{1,2}|[一二两三四六八]) ?(?:条|根|支)"
)
_PAREN = grammar(r"\( ?(\d{1,3}) ?(?:x|×|\*) ?(\d{1,4})(?: ?g(?:i?b)?)? ?\)")
_NAMES = grammar(
    r"(?:lp)?(?:ddr|gddr|hbm)\d\w?(?:[- ]?\d{3,5}(?! ?[gtm]i?b?(?![a-z])))?|\d{4,5} ?(?:mt/?s|mhz)|pc[345]-\d+|cl\d+"
)


class Amount(NamedTuple):
    """An amount in a folded text, and where it stands."""

    each_bytes: float
    modules: int
    """Pieces it is made of; 1 = not said."""
    start: int
    end: int

    @property
    def total_bytes(self) -> int:
        """All pieces together."""
        return round(self.each_bytes * self.modules)


def read_memory(text: str, field: str = "memory") -> int:
    """The bytes that `text` says; RAM and VRAM are binary, whatever the unit's letters. Of a range, the upper end.

    Raises:
        BadInput: it says none, several that are no parts of one, or one beyond what machines have.
    """
    return whole(text, amounts(plain(text)), field).total_bytes


def whole(text: str, found: list[Amount], field: str) -> Amount:
    """The one amount that was said, once as a whole and maybe once more by its modules.

    Raises:
        BadInput: there is not one.
    """
    remedy = 'Give a number and a unit, e.g. "128GB", "12x64GB", 「64G 内存」.'
    if not found:
        raise BadInput(field, f"“{text[:60]}” is no amount of memory.", remedy)
    totals = {one.total_bytes for one in found}
    if len(totals) > 1:
        read = ", ".join(f"{total / GIB:g} GiB" for total in sorted(totals))
        raise BadInput(field, f"“{text[:60]}” holds several amounts: {read}.", remedy)
    best = max(found, key=lambda one: one.modules)
    if not SMALLEST_BYTES <= best.total_bytes <= MOST_BYTES:
        raise BadInput(field, f"“{text[:60]}” is no amount of memory a machine has.", remedy)
    return best


def amounts(words: str) -> list[Amount]:
    """Every amount of memory in a folded text."""
    return list(_each(_NAMES.sub(lambda match: "\x00" * len(match[0]), words)))


def _each(words: str) -> Iterator[Amount]:
    paren = _PAREN.search(words)
    for one in numbers(words, letters=""):
        unit = _unit().match(words, one.end)
        if unit is None or (paren and paren.start() <= one.start < paren.end()):
            continue
        size = one.value * meaning("memory", "units", unit["unit"])
        modules, start, end = _modules(words, one, unit.end())
        yield Amount(size, modules, start, end)
    if paren:
        yield Amount(int(paren[2]) * GIB, int(paren[1]), paren.start(), paren.end())


def _modules(words: str, one: Number, end: int) -> tuple[int, int, int]:
    """How many pieces of that size: before it ("12x64GB") or behind ("64G*8")."""
    if before := _COUNTED.search(words[: one.start]):
        return _small(before[1]), before.start(), end
    if after := _TIMES.match(words, end):
        return _small(after[1] or after[2]), one.start, after.end()
    return 1, one.start, end


def _small(written: str) -> int:
    return int(written) if written.isascii() else int(numbers(written)[0].value)


@lru_cache(maxsize=1)
def _unit() -> re.Pattern[str]:
    return grammar(rf"[ -]?(?:个 ?)?(?P<unit>{any_of(vocabulary('memory', 'units'))}){_NOT_MEMORY}")

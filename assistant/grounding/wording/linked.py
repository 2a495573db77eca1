"""Bare numbers whose unit stands with another: terms of a sum, members of a list."""

import re
from collections.abc import Sequence
from itertools import pairwise

from assistant.grounding.wording.quantities import PLAIN, UNITS, Quantity, quantities

HEADS = ("TiB", "GiB", "MiB", "TB/s", "GB/s", "TB", "GB", "MB", "TFLOPS", "TOPS", "W", "kW", "tokens/s", "ms")
LISTED = re.compile(
    r"\s?(?:(?P<comma>[,，])|、|or|and|或者?|和|还是|還是|vs\.?|versus|against|compared (?:with|to)|rather than"
    r"|instead of|对|對|比|→|/)\s?"
)
"""Between figures of a list that share the unit of its last: "16 or 24 GiB", 「16、24 GiB」."""
ADDED = re.compile(r"[^\d.。;；|\n=≈＝×*÷]{0,40}?(?:\s[-–]\s|[+＋−])[^\d。;；|\n×*÷]{0,40}")
EQUALS = re.compile(r"[^\d.。;；|\n×*÷]{0,24}[=≈＝]\s?(?:about|约|~)?\s?")
"""Between terms of a sum that share the unit at its end: "weights 2.1 + optimizer 4.2 = 6.3 GiB"."""
BESIDE = re.compile(r"(?:/[^\W\d_])?[^\d.。;；|\n=≈＝×*÷+＋−/–—~～]{0,40}")
CLOSED = re.compile(
    r"\s?(?:[,，;；)）。]|\.(?!\d)|\Z)|\s(?:is|are|was|were|would|will|does|can)\b|\s(?:on|with|for)(?:\s(?:the|an?|your))?\s{3,}"
)
"""Behind a number without a word of its own; also the blanks of a name: "830 tokens/s on the A, 459 on the B"."""
HEADED = re.compile(rf"(?<![\w/])(?<!\d\s)(?P<unit>{'|'.join(HEADS)})\s?[:：]\s[^\d;；。|:：]*\Z")
"""Before the first of a list whose unit stands at its head: "GiB: weights 24.2, logits 8.53"."""
ITEMS = re.compile(r"[,，、]\s?[^\d;；。|:：,，、]*")
LENGTH, SIGN, SIGNS = re.compile(r"\d\s?[kK]\Z"), re.compile(r"[+＋]\s?\Z"), re.compile(r"[=≈＝+＋−×*÷]")
NOTED = re.compile(r"[A-Za-z\u4e00-\u9fff]\s?[(（][^()（）]*\Z")
"""Before a term in a bracket right behind a unit: it is of the note."""
BOUND = re.compile(r"(?:\b(?:above|below|over|under|beyond)\s|高于|低于|超过|不到)\s?\Z", re.I)
"""Before both bounds of a space between: "below 492 hours renting wins, above 612 buying"."""
_UNIT = "|".join(sorted(map(re.escape, (one for one in UNITS if UNITS[one][0] != PLAIN)), key=len, reverse=True))
UNIT_BEHIND = re.compile(rf"[^()（）=≈;；。]*[)）]\s?(?P<unit>{_UNIT})(?![A-Za-z])")
OPENED = re.compile(r"[(（][^()（）=≈;；。]*\Z")
"""Around a term whose unit stands behind the bracket of its sum: "(9.0 − 4.5) GiB"."""
CLOSING = re.compile(r"[)）]")
TIMES = re.compile(r"\s?[×*x]\s?[(（]?")
AMOUNT = re.compile(r"(?P<sign>[^\d]*)[\d.,]+\s?(?P<unit>.*)")


def in_unit_of(bare: Quantity, other: Quantity) -> tuple[Quantity, ...]:
    """A bare number in the unit of another."""
    told = AMOUNT.fullmatch(other.text)
    return tuple(quantities(f"{told['sign']}{bare.text} {told['unit']}")) if told else ()


def in_sum(text: str, found: Sequence[Quantity], place: int) -> tuple[Quantity, ...]:
    """A bare term of a sum in the unit at its end: the 2.1 of "weights 2.1 + optimizer 4.2 = 6.3 GiB"."""
    before = text[found[place - 1].end : found[place].start] if place else ""
    behind = text[found[place].end : found[place + 1].start] if place + 1 < len(found) else ""
    if not ((ADDED.fullmatch(before) and not _leaves(before)) or (ADDED.fullmatch(behind) and not _leaves(behind))):
        return ()
    if TIMES.fullmatch(before) or TIMES.fullmatch(behind):
        return ()
    if (shared := UNIT_BEHIND.match(text, found[place].end)) is not None and OPENED.search(text[: found[place].start]):
        return tuple(quantities(f"{found[place].text} {shared['unit']}"))
    unit: Quantity | None = None
    if (noted := _noted(text, found, place)) is not None:
        return in_unit_of(found[place], noted)
    for here, after in pairwise(_without_names(text, found[place:])):
        if _leaves(text[here.end : after.start]) and NOTED.search(text[: found[place].start]):
            break
        ends = EQUALS.fullmatch(text, here.end, after.start) is not None
        times = TIMES.fullmatch(text, here.end, after.start) is not None
        if not (ends or times or ADDED.fullmatch(text, here.end, after.start)):
            break
        unit = after if after.kind != PLAIN and (ends or unit is None) else unit
        if ends:
            break
    if unit is None:  # a list of what a whole before it is made of: "15.6 GiB: 5.3 weights + 8.0 cache + rest"
        first = place
        while first and ADDED.fullmatch(text, found[first - 1].end, found[first].start):
            first -= 1
        whole = _last_unit(text, found, first) if first < place or ADDED.fullmatch(behind) else None
        return in_unit_of(found[place], whole) if whole is not None else ()
    return in_unit_of(found[place], unit)


def _without_names(text: str, found: Sequence[Quantity]) -> list[Quantity]:
    """These, less lengths that say of what a term is: the 8k of "17.5 + 8k cache 0.3 = 17.8 GiB"."""
    kept = list(found[:1])
    for one, after in pairwise(found[1:]):
        between = text[one.end : after.start]
        if not (LENGTH.search(one.text) and SIGN.search(text[: one.start]) and not SIGNS.search(between)):
            kept.append(one)
    return [*kept, *found[-1:]] if len(found) > 1 else kept


def _leaves(between: str) -> bool:
    """Whether a bracket that one figure stands in closes before the other."""
    return any(mark in between for mark in ")）") and not any(mark in between for mark in "(（")


def _noted(text: str, found: Sequence[Quantity], place: int) -> Quantity | None:
    """The figure with a unit whose parts a bracket right behind it lists: the 16 B of "16 B (weights 2 + AdamW 12)"."""
    opened = max(text.rfind(one, 0, found[place].start) for one in "(（")
    if opened < 0 or CLOSING.search(text, opened, found[place].start):
        return None
    before = next((one for one in reversed(found[:place]) if one.end <= opened), None)
    return before if before and before.kind != PLAIN and not text[before.end : opened].strip() else None


def in_factor(text: str, found: Sequence[Quantity], place: int) -> tuple[Quantity, ...]:
    """What a bare factor may be as well in a sum that ends in a unit: the 94.1 of "114.3 − 94.1 × 0.92 = 27.7 GiB"."""
    if "." not in found[place].text or place + 1 == len(found):
        return ()
    if not TIMES.fullmatch(text, found[place].end, found[place + 1].start):
        return ()
    for here, after in pairwise(found[place + 1 :]):
        if EQUALS.fullmatch(text, here.end, after.start):
            return in_unit_of(found[place], after) if after.kind != PLAIN else ()
        if not (ADDED.fullmatch(text, here.end, after.start) or TIMES.fullmatch(text, here.end, after.start)):
            return ()
    return ()


def in_head(text: str, found: Sequence[Quantity], place: int) -> tuple[Quantity, ...]:
    """A bare item of a list in the unit at its head: the 8.53 of "GiB: weights 24.2, logits 8.53"."""
    first = place
    while first and ITEMS.fullmatch(text, found[first - 1].end, found[first].start):
        first -= 1
    head = HEADED.search(text[: found[first].start])
    return tuple(quantities(f"{found[place].text} {head['unit']}")) if head else ()


def in_list(text: str, found: Sequence[Quantity], place: int) -> tuple[Quantity, ...]:
    """A bare member of a list in the unit of its last: the 16 of "16, 24 or 32 GiB"."""
    multiplied = False
    for here, after in pairwise(found[place:]):
        match = LISTED.fullmatch(text, here.end, after.start)
        if multiplied and EQUALS.fullmatch(text, here.end, after.start):
            return in_unit_of(found[place], after) if after.kind != PLAIN else ()
        if here is not found[place] and here.kind == PLAIN and TIMES.fullmatch(text, here.end, after.start):
            if after.kind != PLAIN:
                return in_unit_of(found[place], after)
            multiplied = True  # "82.6 against 4 × 22.1 = 88.4 TFLOPS"
            continue
        if match is None:
            return ()
        if after.kind != PLAIN:
            return in_unit_of(found[place], after) if match["comma"] is None else ()
    return ()


def in_unit_before(text: str, found: Sequence[Quantity], place: int) -> tuple[Quantity, ...]:
    """A number with no word of its own in the unit of the last before it: the 38 of "31–46 s, about 38"."""
    if BOUND.search(text[: found[place].start]):
        bounds = [one for one in found[:place] if one.kind != PLAIN and BOUND.search(text[: one.start])]
        return in_unit_of(found[place], bounds[-1]) if bounds else ()
    whole = _last_unit(text, found, place) if CLOSED.match(text, found[place].end) else None
    return in_unit_of(found[place], whole) if whole is not None else ()


def _last_unit(text: str, found: Sequence[Quantity], place: int) -> Quantity | None:
    """The last figure before that has a unit of its own, nothing of another kind between."""
    for index in range(place - 1, -1, -1):
        if not BESIDE.fullmatch(text, found[index].end, found[index + 1].start):
            return None
        if found[index].kind != PLAIN and not found[index].borrowed:
            return found[index]
    return None

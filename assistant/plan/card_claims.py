"""What a question takes a card to be: a size of memory stated of it, held against the data sheet."""

import re
from bisect import bisect_left
from itertools import pairwise

from assistant.plan import requests
from assistant.understand.likened import JOINED, LIKENED, SAME
from assistant.understand.text import Text
from assistant.understanding import Understanding
from kb.catalog import conventional, gpu
from kb.lexicon.cards.unified import is_unified, stated_gib
from kb.naming.names import gpu_names
from kb.units import GIB
from tools.need import Need

_SAID = re.compile(
    r"^\s?s?(?:'s)?,?\s?(?:(?:now|all|each|cards?|显卡|的)\s?){0,2}"
    r"(?:has|have|having|with|comes? with|got|is|are|显存|有|是|自带)\s?(?:显存|memory|vram|了)?\s?(?:of |是|有)?\s?"
    r"(?P<n>\d{1,3})\s?gi?b?(?![a-z0-9/])"
    r"(?!\s?(?:of )?(?:system |host |ddr\d? |cpu )?(?:ram|ddr|内存|主存))",
    re.I,
)

_IN_BRACKETS = re.compile(r"^\s?[（(]\s?(?P<n>\d{1,3})\s?gi?b?\s?(?:显存|vram|memory)?\s?[）)]", re.I)
"""A size that stands beside the name: "the 4070 (16GB)"."""


def likened(understanding: Understanding) -> tuple[str, str] | None:
    """A card that is taken for another, and that other; None where they are of one name or none is."""
    text = Text.of(understanding.text).plain
    named = [(mention, mention.ids) for mention in gpu_names().scan(text)]
    for (first, ids), (second, others) in pairwise(named):
        between = text[first.end : second.start]
        joined = JOINED.fullmatch(between) and SAME.match(text, second.end)
        if (LIKENED.fullmatch(between) or joined) and not set(ids) & set(others):
            asked = requests.named_gpus(understanding.need)
            taken = next((key for key in asked if key in ids), conventional(ids))
            return taken, next((key for key in asked if key in others), conventional(others))
    return None


NEAR_GIB = 1.5
"""Sizes closer than this are the same: 22.5 and 24, 79 and 80."""


def misjudged(understanding: Understanding, need: Need) -> list[tuple[str, int]]:
    """Cards of which another memory is stated than they have: catalog id and what was stated, in GiB."""
    named = requests.named_gpus(need)
    spans = [span for span in understanding.spans if span.slot in ("gpus_owned", "gpus_asked")]
    if len(named) != 1 or len(spans) != 1 or named[0].endswith("-gpu"):
        return []
    rest, size = understanding.text[spans[0].end :], gpu(named[0]).memory_bytes / GIB
    if is_unified(named[0]):
        text = Text.of(understanding.text)
        bounds = (bisect_left(text.offsets, place) for place in (spans[0].start, spans[0].end))
        stated = stated_gib(text.plain, *bounds)
        return [(named[0], stated)] if stated is not None and stated != round(size) else []
    several = any((card.count or 1) > 1 for card in requests.cards(need))  # whose brackets hold all of it
    match = _SAID.search(rest) or (None if several else _IN_BRACKETS.search(rest))
    stated = int(match["n"]) if match else None
    if stated is None or abs(stated - size) < NEAR_GIB:
        return []
    return [(named[0], stated)]

"""A follow-up's answer is short: what was told before, and what was not asked again, is left out of its text."""

import zlib
from collections.abc import Sequence

from assistant.compose import capacity
from assistant.compose.material import Material
from assistant.compose.orders import cards_of, chosen, headings, in_hand
from assistant.compose.section import Section
from assistant.plan import requests
from assistant.understanding import Shown
from tools.need import GpuCount

ADVISED = ("diagnosis", "fact", "clarification")
"""Verdicts beside which the documents may add something to a follow-up too."""
_ORDERED = ("which_to_buy", "budget", "cloud_or_buy", "how_many_gpus", "compare")
"""Intents that what could be ordered belongs to."""
_ARITHMETIC = ("min_vram", "oom")
"""Intents that ask for the parts of the memory."""
_ONE_COLUMN = 3
"""Bars of a table row that has a label and one figure."""
_MARKS_MAX = 40
"""Marks kept of what was told."""


def shortened(material: Material, main: Section) -> None:
    """Leave out hardware to order where none was asked for, and the parts of a sum that is told in all."""
    if material.understanding.command:
        return
    say = material.say
    if material.intents[0] not in _ORDERED:
        main.body = [block for block in main.body if not block.startswith(headings(say))]
    if material.intents[0] not in _ARITHMETIC:
        head = f"| {say('table.per_gpu')}"
        main.body = [_totals(block) if block.startswith(head) else block for block in main.body]


def _totals(block: str) -> str:
    """The last rows of a table of memory; nothing of a single column, which the sentences tell."""
    rows = block.split("\n")
    if rows[0].count("|") <= _ONE_COLUMN:
        return ""
    start = next((index for index, row in enumerate(rows) if row.startswith("| **")), len(rows))
    return "\n".join([*rows[:2], *rows[start:]])


def unsaid(material: Material, lines: Sequence[str]) -> list[str]:
    """The lines that the conversation has not told yet."""
    if not material.understanding.follow_up or material.understanding.command:
        return list(lines)
    return [line for line in lines if not material.before.told(mark(line))]


def mark(line: str) -> str:
    """A short mark of a line, by which it is known again."""
    return f"{zlib.crc32(line.encode()):08x}"


def remembered(material: Material, shown: Shown | None, main: Section, lines: Sequence[str]) -> Shown:
    """What the next turn may rely on: this answer's figure, what it put forward, and what it tells or told before.

    Of earlier turns nothing is kept that this one has no place for: an answer then follows from the turn before alone.
    """
    headline = shown.told if shown else ()
    told = dict.fromkeys([*headline, *map(mark, lines)])
    keys = [key for key in material.say.under("ask") if material.say.get(key) in main.questions]
    made = {"told": tuple(told)[-_MARKS_MAX:], "questions": tuple(keys)}
    offered = _offered(material, main)
    if not offered and material.understanding.follow_up:
        offered = material.before.field("offered") or ()
    model, form = capacity.largest(material) if material.intents[0] == "what_fits" else (None, None)
    return (shown or Shown()).model_copy(update=made | {"offered": offered, "model": model, "weight_format": form})


def _offered(material: Material, main: Section) -> tuple[GpuCount, ...]:
    """The cards that this answer puts forward, in the order it tells them: to order, else those compared."""
    compared = requests.compared(material.need)
    if main.verdict == "comparison" and len(compared) > 1:
        return tuple(GpuCount(gpu=one.gpu, count=one.count) for one in compared)
    if main.configurations and material.intents[0] in _ORDERED:
        leading = [one for one in main.configurations if cards_of(one) in main.headline]
        told = sorted(chosen(main.configurations), key=lambda one: (one not in leading, not in_hand(one)))
        told = [*leading[:1], *(one for one in told if one not in leading[:1])]
        return tuple(GpuCount(gpu=one.gpu, count=one.gpu_count) for one in told)
    return tuple(GpuCount(gpu=one.gpu, count=one.count) for one in compared) if len(compared) > 1 else ()

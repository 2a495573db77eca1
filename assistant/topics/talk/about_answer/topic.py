"""What stands behind the answer before: a card and all of them, and what it is made of."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from assistant.reading.annotation import Ask
from assistant.reading.situation import Situation
from assistant.topics.topic import Calls, SectionTold, Topic
from assistant.writing.words import Words
from kb.units import GIB
from tools.agent_tools.ledger import LookedUp

WORKED_OUT = ("find_ways_to_run", "find_ways_to_train")
PARTS_MAX = 4


def applies(ask: Ask, situation: Situation) -> bool:
    """Always: it is about what was told, not about what is known."""
    return True


def answer(ask: Ask, situation: Situation, calls: Calls, words: Words) -> SectionTold | None:
    """Of the last result that was worked out: that its memory is a card's, and its parts.

    None where nothing was worked out before.
    """
    former = [one for one in calls.before if not one.failed and one.tool in WORKED_OUT]
    if not former:
        return None
    one = calls.detailed(former[-1])
    row = _best(one)
    if one.failed or row is None:
        return None
    return SectionTold(_memory(one, row, words), (words.say("apart"), *_parts(row, words)), "fact")


def _best(one: LookedUp) -> Mapping[str, Any] | None:
    """The way that was told, else the usual one, which did not fit."""
    rows = [row for row in one.shown.get("ways", []) if isinstance(row, Mapping)]
    if rows and isinstance(rows[0].get("memory"), Mapping):
        return rows[0]
    textbook = one.shown.get("textbook")
    if isinstance(textbook, Mapping) and textbook.get("needed_per_gpu"):
        return {"memory": textbook, "title": textbook.get("configured", "")}
    return None


def _memory(one: LookedUp, row: Mapping[str, Any], words: Words) -> str:
    memory = row["memory"]
    usable = memory.get("usable_per_gpu") or one.shown.get("answer", {}).get("usable_per_gpu", "")
    fields = {"needed": memory.get("needed_per_gpu", ""), "usable": usable, "cards": _cards(one)}
    if not usable:
        return words.say("each_alone", needed=fields["needed"], cards=fields["cards"])
    return words.say("each", **fields)


def _cards(one: LookedUp) -> str:
    return str(one.shown.get("answer", {}).get("cards") or one.request.get("cards", ""))


def _parts(row: Mapping[str, Any], words: Words) -> list[str]:
    """What a card holds, the largest first."""
    parts = row["memory"].get("parts")
    if not isinstance(parts, Mapping):
        return []
    largest = sorted(parts.items(), key=lambda item: -_gib(str(item[1])))[:PARTS_MAX]
    told = [words.say("part", part=words.say(f"part_{name}") if words.knows(f"part_{name}") else name, size=size)
            for name, size in largest]  # fmt: skip
    return words.maybe("made_of", parts=words.listed(told))


def _gib(said: str) -> float:
    number, _, unit = said.partition(" ")
    try:
        return float(number.replace(",", "")) / (1 if unit.startswith("GiB") else GIB / 2**20)
    except ValueError:
        return 0.0


TOPIC = Topic("about_answer", Path(__file__).parent, ("about_answer",), applies, answer)

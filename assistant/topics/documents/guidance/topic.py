"""What the documents say to a question that no calculator works out."""

from pathlib import Path

from assistant.reading.annotation import Ask
from assistant.reading.situation import Situation
from assistant.reading.slots import ASKS
from assistant.topics.topic import Calls, SectionTold, Topic
from assistant.writing.passages import BESIDE_MAX, LINES_MAX, query, quoted
from assistant.writing.words import Words

WHOLE = ("```", "|")


def applies(ask: Ask, situation: Situation) -> bool:
    """Whatever else is asked."""
    return True


def answer(ask: Ask, situation: Situation, calls: Calls, words: Words) -> SectionTold | None:
    """The closest passage in its order, then what others add; None where no document speaks of it."""
    one = calls.call("search_guidance", {"query": query(ask, situation), "top": "5"})
    found = [] if one.failed else quoted(one, ask, words.language)
    if not found:
        return None
    first, *others = found
    said = [line for line in first.lines if not line.startswith(WHOLE)]
    lead = said[0] if said else words.say("see", heading=first.heading)
    rest = [line for line in first.lines if line != lead][:LINES_MAX]
    rest += [line for other in others for line in other.lines[:BESIDE_MAX]]
    return SectionTold(lead, tuple(_blocks(rest)), "fact")


def _blocks(lines: list[str]) -> list[str]:
    """Statements that follow each other as one list."""
    blocks: list[str] = []
    for line in lines:
        if line.startswith(WHOLE):
            blocks.append(line)
        elif blocks and blocks[-1].startswith("- "):
            blocks[-1] += f"\n- {line}"
        else:
            blocks.append(f"- {line}")
    return blocks


TOPIC = Topic("guidance", Path(__file__).parent, tuple(one for one in ASKS if one != "aside"), applies, answer)

"""What the documents say to a question that no calculator works out."""

import re
from pathlib import Path

from assistant.reading.annotation import Ask
from assistant.reading.situation import Situation
from assistant.reading.slots import ASKS
from assistant.topics.topic import Calls, SectionTold, Topic
from assistant.writing.telling.passages import ANSWERS_MORE, BESIDE_MAX, LINES_MAX, Quoted, query, quoted
from assistant.writing.words import Words

WHOLE = ("```", "|")
SURER = 0.1
HAN, HAN_MIN, WORDS_MIN = re.compile("[一-鿿]"), 5, 4


def applies(ask: Ask, situation: Situation) -> bool:
    """Whatever else is asked."""
    return True


def answer(ask: Ask, situation: Situation, calls: Calls, words: Words) -> SectionTold | None:
    """The closest passage in its order, then what others add; None where no document speaks of it."""
    found = _found(ask, situation, calls, words)
    if not found:
        return None
    first, *others = found
    calls.quoted.update(one.heading for one in found)
    said = [line for line in first.lines if not line.startswith(WHOLE)]
    lead = said[0] if said else words.say("see", heading=first.heading)
    rest = [line for line in first.lines if line != lead][:LINES_MAX]
    rest += [line for other in others for line in other.lines[:BESIDE_MAX]]
    return SectionTold(lead, tuple(_blocks(rest)), "fact")


def _found(ask: Ask, situation: Situation, calls: Calls, words: Words) -> list[Quoted]:
    """Passages for the asking words with what they are about, or for them alone where those are clearly surer."""
    told = []
    for words_of in dict.fromkeys((query(ask, situation), *([ask.quote] if _telling(ask.quote) else []))):
        one = calls.call("search_guidance", {"query": words_of, "top": "5"})
        told.append([] if one.failed else quoted(one, ask, words.language))
    whole, alone = told[0], told[-1]
    other = [one for one in alone if one.heading not in calls.quoted and one.sure >= ANSWERS_MORE]
    if other and whole and whole[0].heading in calls.quoted:
        return other  # what was quoted to another ask says nothing new
    return alone if alone and alone[0].sure > (whole[0].sure if whole else 0.0) + SURER else whole


def _telling(quote: str) -> bool:
    """Whether the asking words say by themselves what is asked: "what to avoid" does not."""
    return len(HAN.findall(quote)) >= HAN_MIN or len(quote.split()) >= WORDS_MIN or any(map(str.isupper, quote[1:]))


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

"""What is no question about computing hardware: thanks, greetings, other matters."""

from pathlib import Path

from assistant.reading.annotation import Ask
from assistant.reading.situation import Situation
from assistant.topics.topic import Calls, SectionTold, Topic
from assistant.writing.words import Words


def applies(ask: Ask, situation: Situation) -> bool:
    """Always."""
    return True


def answer(ask: Ask, situation: Situation, calls: Calls, words: Words) -> SectionTold | None:
    """What is taken up where a matter is open; else what may be asked here."""
    if situation.things or situation.known:
        return SectionTold(words.say("noted"), (), "out_of_scope")
    return SectionTold(words.say("beside"), (words.say("may_ask"),), "out_of_scope")


TOPIC = Topic("aside", Path(__file__).parent, ("aside",), applies, answer)

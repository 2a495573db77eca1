"""How fast a model runs on a machine."""

from pathlib import Path

from assistant.reading.annotation import Ask
from assistant.reading.situation import Situation
from assistant.topics.topic import Calls, SectionTold, Topic
from assistant.writing.arguments import running
from assistant.writing.setups import setups
from assistant.writing.ways import model_name, verdict, ways
from assistant.writing.words import Words


def applies(ask: Ask, situation: Situation) -> bool:
    """A model that is run, and cards."""
    found = setups(situation, ask)
    return bool(found) and all(one.runs for one in found)


def answer(ask: Ask, situation: Situation, calls: Calls, words: Words) -> SectionTold | None:
    """The speed of the best way of each setup, with its interval."""
    leads: list[str] = []
    lines: list[str] = []
    kind = "estimate"
    for setup in setups(situation, ask):
        one = calls.call("find_ways_to_run", dict(running(setup, situation)))
        if one.failed:
            return None
        best = ways(one, words)
        if not best:
            leads.append(words.say("does_not_fit", model=model_name(one), cards=one.request.get("cards", "")))
            kind = verdict(one)
            continue
        way = best[0]
        if not way.fields["rate"]:
            return None
        leads.append(words.say("many" if way.several else "one", **way.fields))
        lines += words.maybe("first", first=way.fields["first"])
        lines.append(words.say("assumed", context=way.fields["context"], sequences=way.fields["sequences"]))
    return SectionTold(leads[0], (*leads[1:], *dict.fromkeys(lines)), kind)  # type: ignore[arg-type]


TOPIC = Topic("speed", Path(__file__).parent, ("speed",), applies, answer)

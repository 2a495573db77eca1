"""What a machine that is there costs to run, where of all money only the electricity was told."""

from pathlib import Path

from assistant.reading.annotation import Ask
from assistant.reading.situation import Situation
from assistant.topics.topic import Calls, SectionTold, Topic
from assistant.writing.arguments import cards_of
from assistant.writing.buying import owning
from assistant.writing.renting import energy_alone
from assistant.writing.setups import setups
from assistant.writing.words import Words

KEPT = ("cards", "tariff", "country", "pue", "hours_per_day")


def applies(ask: Ask, situation: Situation) -> bool:
    """The cost of cards that are there, at a price of electricity that was told."""
    return energy_alone(situation) and any(cards_of(one) for one in setups(situation, ask))


def answer(ask: Ask, situation: Situation, calls: Calls, words: Words) -> SectionTold | None:
    """The bill of a month, then what it rests on."""
    found = [one for one in setups(situation, ask) if cards_of(one)]
    asked = owning(found[:1], situation, words.language)
    one = calls.call("cost", {"what": "power", **{name: asked[name] for name in KEPT if name in asked}})
    energy = one.shown.get("energy") or {}
    if one.failed or not energy.get("monthly_cost"):
        return None
    lead = words.say("bill", cards=asked["cards"], cost=energy["monthly_cost"], kwh=energy.get("kwh_per_month", "–"),
                     tariff=energy.get("tariff_per_kwh", "–"))  # fmt: skip
    lines = words.maybe("draws", sustained=one.shown.get("sustained"), average=energy.get("average"))
    return SectionTold(lead, (*lines, words.say("assumed_load")), "estimate")


TOPIC = Topic("energy", Path(__file__).parent, ("cost",), applies, answer)

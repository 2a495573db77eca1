"""What a machine that is there costs to run, where of all money only the electricity was told."""

from collections.abc import Mapping
from pathlib import Path

from assistant.reading.annotation import Ask
from assistant.reading.situation import Situation
from assistant.topics.topic import Calls, SectionTold, Topic
from assistant.writing.arguments import cards_of
from assistant.writing.money.buying import owning
from assistant.writing.money.renting import energy_alone
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
    kept = {name: asked[name] for name in KEPT if name in asked} | _use(situation)
    one = calls.call("cost", {"what": "power", **kept})
    energy = one.shown.get("energy") or {}
    if one.failed or not energy.get("monthly_cost"):
        return None
    lead = words.say("bill", cards=asked["cards"], cost=energy["monthly_cost"], kwh=energy.get("kwh_per_month", "–"),
                     tariff=energy.get("tariff_per_kwh", "–"))  # fmt: skip
    lines = words.maybe("draws", sustained=one.shown.get("sustained"), average=energy.get("average"))
    return SectionTold(lead, (*lines, words.say("assumed_load")), "estimate")


def _use(situation: Situation) -> dict[str, str]:
    """Hours it is on, and the share of full load meanwhile, where both were told."""
    known = [*situation.known, *(one for thing in situation.things for one in thing.known)]
    told = [one.value for one in known if one.slot == "duty" and isinstance(one.value, Mapping)]
    hours = next((row["hours_per_day"] for row in told if row.get("hours_per_day")), None)
    share = next((row["share"] for row in told if row.get("share")), None)
    return {"hours_per_day": f"{hours:g}", "utilisation": f"{share:g}"} if hours and share else {}


TOPIC = Topic("energy", Path(__file__).parent, ("cost",), applies, answer)

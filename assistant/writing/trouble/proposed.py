"""Machines that somebody proposes for a work, each held against what was asked of it."""

from collections.abc import Iterator, Mapping, Sequence

from assistant.reading.situation import Known, Situation
from assistant.topics.topic import Calls
from assistant.writing.arguments import running
from assistant.writing.setups import Setup
from assistant.writing.ways import WayTold, changes, model_name, plain_way, verdict, ways
from assistant.writing.words import Words
from tools.agent_tools.ledger import LookedUp

HOURS = "730 h"
"""Of a month."""
SIGNS = {"USD": "$", "CNY": "¥", "EUR": "€", "GBP": "£"}


def weighed(found: Sequence[Setup], situation: Situation, calls: Calls, words: Words) -> list[str]:
    """A sentence a machine: whether it holds the load as asked, what it gives, and what it would need otherwise."""
    told = []
    for setup in found:
        asked: dict[str, object] = dict(running(setup, situation))
        if (claimed := setup.one("concurrent", "claimed", "expected")) is not None:
            asked.setdefault("concurrent_sequences", f"{claimed.value:.0f}")
        one = calls.call("find_ways_to_run", asked)
        best = [] if one.failed else ways(one, words)
        if not one.failed and (plain := plain_way(one, words)) is not None:
            told.append(words.say("offer_plain", model=model_name(one), cards=one.request.get("cards", ""), **plain))
        elif best and verdict(one) == "fits":
            told.append(_enough(one, best[0], words))
        elif best and verdict(one) != "does_not_fit":
            told.append(words.say("offer_changed", changes=changes(one, words), **best[0].fields))
        elif not one.failed:
            told.append(
                words.say("offer_short", cards=one.request.get("cards", ""), model=one.request.get("model", ""))
            )
    return told


def _enough(one: LookedUp, way: WayTold, words: Words) -> str:
    """What it gives, and whether that is what was wanted."""
    name = "offer_missed" if way.met is False else "offer_holds"
    return words.say(name, **way.fields)


def told_price(situation: Situation, calls: Calls, words: Words) -> Iterator[str]:
    """A rent for a month of all hours, beside the bill that it is to undercut."""
    known = [*(one for thing in situation.things for one in thing.known), *situation.known]
    rents = [one for one in known if one.slot == "rent" and isinstance(one.value, Mapping) and one.value.get("amount")]
    bills = [one for one in known if one.slot in ("api_price", "price") and _monthly(one)]
    if not rents:
        return
    hourly = rents[-1]
    count = sum(row.get("count", 1) for one in known if one.slot == "cards" for row in (one.value or ())[:1]) or 1
    rate = f"{SIGNS.get(str(hourly.value.get('currency')), '$')}{hourly.value['amount']:g}/h"
    values = {"rent": rate, "cards": str(count), "hours": HOURS}
    month = calls.call("work_out", {"expression": "rent * cards * hours", "unit": "USD", "values": values})
    if month.failed:
        return
    yield words.say("rent_month", rent=rate, cards=str(count), month=month.shown["value"], hours=HOURS)
    for bill in bills[-1:]:
        asked = {"month": f"{month.key}.value", "bill": f"${bill.value['amount']:,.0f}"}
        share = calls.call("work_out", {"expression": "month / bill", "unit": "%", "values": asked})
        if not share.failed:
            yield words.say("rent_share", share=share.shown["value"], bill=bill.quote)


def _monthly(one: Known) -> bool:
    return isinstance(one.value, Mapping) and one.value.get("per") == "month" and bool(one.value.get("amount"))

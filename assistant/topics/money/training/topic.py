"""What a training costs: hours of the cards at the rent that was told, else at what such cards are let for."""

from pathlib import Path

from assistant.reading.annotation import Ask
from assistant.reading.situation import Situation
from assistant.topics.topic import Calls, SectionTold, Topic
from assistant.writing.arguments import training
from assistant.writing.money.buying import ordering
from assistant.writing.money.orders import orders
from assistant.writing.setups import setups
from assistant.writing.training import best_way
from assistant.writing.words import Words

ASKS = ("cost",)


def applies(ask: Ask, situation: Situation) -> bool:
    """Something is trained whose model is known, on cards that are named or on what is cheapest to rent."""
    found = setups(situation, ask)
    return bool(found) and all(one.work is not None and one.trains for one in found)


def answer(ask: Ask, situation: Situation, calls: Calls, words: Words) -> SectionTold | None:
    """The sum of each, then the time and the room it rests on."""
    leads: list[str] = []
    lines: list[str] = []
    for setup in setups(situation, ask):
        asked = dict(training(setup, situation))
        if not setup.machines or any(one.ask == "count" for one in situation.asks):
            rents = calls.call("configure", {**ordering(setup, situation, words.language), "acquisition": "rent"})
            first = next(iter(orders(rents, how="rent")), None)
            if first is None:
                continue
            asked["cards"] = f"{first['gpu_count']}x {first['gpu_name']}"
            price = str((first.get("price") or {}).get("amount", "–"))
            fields = {"count": first["gpu_count"], "card": first["gpu_name"], "provider": first.get("provider", "–")}
            lines.append(words.say("cheapest", price=price, **fields))
        one = calls.call("find_ways_to_train", dict(asked))
        told = best_way(one, words) if not one.failed else None
        if told is None:
            continue
        if told["cost"]:
            leads.append(words.say("dated" if told["day"] else "own_rent", **told))
            lines.append(words.say("time", **told))
        else:
            leads.append(words.say("pace", **told))
            lines.append(words.say("question_data"))
        lines.append(words.say("room", **told))
    return SectionTold(leads[0], (*leads[1:], *dict.fromkeys(lines)), "estimate") if leads else None


TOPIC = Topic("training", Path(__file__).parent, ASKS, applies, answer)

"""What fits the machine that is there, the first way at once, and what else would help."""

from collections.abc import Iterator, Mapping

from assistant.reading.situation import Situation
from assistant.topics.topic import Calls
from assistant.writing.arguments import running, training
from assistant.writing.setups import Setup
from assistant.writing.training import best_way, conditions
from assistant.writing.ways import changes, model_name, plain_way, verdict, ways
from assistant.writing.words import Words
from tools.agent_tools.ledger import LookedUp

CHANGES_MAX = 3
LORA = "lora"
"""The method of which a base of four bits is the next that needs less."""


def would_fit(setup: Setup, situation: Situation, calls: Calls, words: Words) -> list[str]:
    """The way that fits first; empty where none is known or no machine was named."""
    if not setup.machines:
        return []
    if setup.trains:
        asked = training(setup, situation)
        one = calls.call("find_ways_to_train", dict(asked))
        told = [] if one.failed else list(_trained(one, words))
        if not told and LORA in str(asked["method"]).split():
            narrow = {**asked, "method": str(asked["method"]).replace(LORA, "qlora")}
            one = calls.call("find_ways_to_train", dict(narrow))
            told = [] if one.failed else list(_trained(one, words))
    else:
        one = calls.call("find_ways_to_run", dict(running(setup, situation)))
        told = [] if one.failed else list(_run(one, words))
    return [*told, *_changes(one, words)] if told else []


def _run(one: LookedUp, words: Words) -> Iterator[str]:
    if (plain := plain_way(one, words)) is not None:
        yield words.say("way_plain", model=model_name(one), cards=one.request.get("cards", ""), **plain)
        return
    best = ways(one, words)
    if best and verdict(one) != "does_not_fit":
        said = changes(one, words)
        yield words.say("way_runs_so" if said else "way_runs", changes=said, **best[0].fields)


def _trained(one: LookedUp, words: Words) -> Iterator[str]:
    fields, told = best_way(one, words), one.shown.get("answer", {})
    if fields is not None and told.get("verdict") in ("fits", "fits_with_changes"):
        unusual = words.listed(conditions(one, words))
        yield words.say("way_trains_so" if unusual else "way_trains", unusual=unusual, **fields)


def _changes(one: LookedUp, words: Words) -> Iterator[str]:
    """What else would help; results say it in English."""
    rows = [row for row in one.shown.get("changes", []) if isinstance(row, Mapping)][:CHANGES_MAX]
    whole = [row for row in rows if "…" not in str(row.get("effect", "…"))]
    if whole and words.language == "en":
        told = [f"- {row['change']}: {row['effect'].rstrip('.')}." for row in whole]
        yield "\n".join([words.say("way_else"), *told])

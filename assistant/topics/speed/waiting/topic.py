"""How long the first token takes, why so long, and what would shorten it: reading a prompt is computing."""

from collections.abc import Iterator
from pathlib import Path

from assistant.reading.annotation import Ask
from assistant.reading.situation import Situation, Thing
from assistant.topics.topic import Calls, SectionTold, Topic
from assistant.writing.arguments import cards_of, running
from assistant.writing.setups import THOUGHT_OF, Setup, setups
from assistant.writing.ways import WayTold, verdict, ways
from assistant.writing.words import Words
from tools.agent_tools.ledger import LookedUp

SETUPS_MAX = 3


def applies(ask: Ask, situation: Situation) -> bool:
    """A model that is run on cards, and a first token that is asked about."""
    if ask.ask != "speed" and ask.quantity != "first_token":
        return False
    found = setups(situation, ask)
    return ask.quantity == "first_token" and bool(found) and found[0].runs


def answer(ask: Ask, situation: Situation, calls: Calls, words: Words) -> SectionTold | None:
    """The first token on each machine, that which is there first; with what binds it."""
    found = [*_there(situation, ask), *setups(situation, ask)]
    rows: dict[str, str] = {}
    first: tuple[LookedUp, WayTold] | None = None
    for setup in found[: SETUPS_MAX + 1]:
        asked = dict(running(setup, situation))
        asked.setdefault("input_tokens", asked.get("context_tokens", ""))
        one = calls.call("find_ways_to_run", {name: value for name, value in asked.items() if value})
        best = [] if one.failed else ways(one, words)
        if not best or verdict(one) == "does_not_fit" or not best[0].fields["first"]:
            continue
        first = first or (one, best[0])
        name = cards_of(setup) or best[0].fields["cards"]
        rows.setdefault(name, words.say("row", cards=name, first=best[0].fields["first"], rate=_prefill(one)))
    if first is None:
        return None
    one, way = first
    tokens = str(one.request.get("input_tokens", ""))
    lead = words.say(
        "takes", **way.fields, tokens=f"{int(tokens):,}" if tokens.isdigit() else "512", prefill=_prefill(one)
    )
    others = list(rows.values())[1:]
    lines = [
        *_seen(situation, words),
        words.say("computes"),
        *([words.say("others", rows=words.listed(others))] if others else []),
    ]
    return SectionTold(lead, (*lines, words.say("helps")), "diagnosis" if ask.ask != "speed" else "estimate")


def _there(situation: Situation, ask: Ask) -> Iterator[Setup]:
    """The work on the machine that is there, whatever the ask weighs."""
    works = [one for one in situation.works() if any(known.stance in THOUGHT_OF for known in one.all("model"))]
    there: list[Thing] = [
        one for one in situation.hardware() if any(known.stance == "have" for known in one.all("cards"))
    ]
    if works and there:
        yield Setup(works[0], (there[0],))


def _prefill(one: LookedUp) -> str:
    """Tokens of a prompt that are read a second."""
    rows = [row for row in one.shown.get("ways", []) if isinstance(row, dict)]
    return str(((rows[0].get("speed") or {}) if rows else {}).get("prefill_tokens_per_s", ""))


def _seen(situation: Situation, words: Words) -> Iterator[str]:
    """What the person waited, beside it."""
    known = [
        one for thing in situation.works() for slot in ("first_token", "duration", "latency") for one in thing.all(slot)
    ]
    for one in known[-1:]:
        if one.stance == "seen":
            yield words.say("seen", seen=one.quote)


TOPIC = Topic("waiting", Path(__file__).parent, ("why", "normal", "improve", "speed"), applies, answer)

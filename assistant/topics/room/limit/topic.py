"""How long a context, or how many at once, a machine holds."""

from pathlib import Path

from assistant.reading.annotation import Ask
from assistant.reading.situation import Situation
from assistant.topics.topic import Calls, SectionTold, Topic
from assistant.writing.arguments import running
from assistant.writing.setups import setups
from assistant.writing.ways import WayTold, model_name, told_speed, verdict, ways
from assistant.writing.words import Words
from tools.agent_tools.ledger import LookedUp

OBJECTIVES: dict[str, dict[str, str]] = {"context": {"objective": "longest_context"}, "users": {}}
"""Quantity → what counts most among the ways. The most users are those of the way that is best for one: a way that
only holds more of them, slower and coarser, is nobody's wish."""


def applies(ask: Ask, situation: Situation) -> bool:
    """A model that is run, cards, and one of the two quantities."""
    found = setups(situation, ask)
    run = bool(found) and all(one.runs for one in found)
    return run and ask.quantity in OBJECTIVES


def answer(ask: Ask, situation: Situation, calls: Calls, words: Words) -> SectionTold | None:
    """The most of the way that goes furthest, setup by setup."""
    leads: list[str] = []
    lines: list[str] = []
    kind = "estimate"
    for setup in setups(situation, ask):
        one = calls.call("find_ways_to_run", {**running(setup, situation), **OBJECTIVES[ask.quantity or ""]})
        if one.failed:
            return None
        best = ways(one, words)
        if not best:
            leads.append(words.say("does_not_fit", model=model_name(one), cards=one.request.get("cards", "")))
            kind = "does_not_fit" if verdict(one) == "does_not_fit" else kind
            continue
        told = words.maybe(str(ask.quantity), **{key: best[0].fields[key] for key in _needed(ask)})
        leads += told or [words.say("unbound", **best[0].fields)]
        lines += [words.say("room", **best[0].fields), *_at_most(ask, one, best[0], calls, words)]
    return SectionTold(leads[0], (*leads[1:], *lines), kind)  # type: ignore[arg-type]


def _at_most(ask: Ask, one: LookedUp, best: WayTold, calls: Calls, words: Words) -> list[str]:
    """How fast it is; of the most users, when that many are served."""
    most = best.fields["max_sequences"].replace(",", "")
    if ask.quantity != "users" or not most:
        return told_speed(best, words)
    kept = {name: value for name, value in one.request.items() if name not in ("users", "objective")}
    way = {"weight_format": best.form, "engine": best.engine}
    full = calls.call("find_ways_to_run", {**kept, **way, "concurrent_sequences": most})
    ways_then = ways(full, words) if not full.failed else []
    if not ways_then:
        return told_speed(best, words)
    first = words.maybe("first", first=ways_then[0].fields["first"])
    return [*told_speed(ways_then[0], words), *first]


def _needed(ask: Ask) -> tuple[str, ...]:
    shared = ("model", "format", "engine", "cards")
    return (*shared, "max_context", "sequences") if ask.quantity == "context" else (*shared, "max_sequences", "context")


TOPIC = Topic("limit", Path(__file__).parent, ("limit",), applies, answer)

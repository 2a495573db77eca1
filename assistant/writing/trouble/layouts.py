"""How fast a work on several cards is by the way it is dealt over them, and on one of them where that holds it."""

from collections.abc import Iterator

from assistant.reading.situation import Situation
from assistant.topics.topic import Calls
from assistant.writing.arguments import cards_of, running
from assistant.writing.setups import Setup
from assistant.writing.ways import verdict, ways
from assistant.writing.words import Words
from kb.base import AdvisorError
from kb.lexicon import read_cards
from tools.agent_tools.ledger import LookedUp

MOST = 8
"""Cards up to which layouts are weighed: beyond are several machines."""


def told_layouts(setup: Setup, situation: Situation, calls: Calls, words: Words) -> Iterator[str]:
    """Tensor parallelism beside layers in turn, for one user, with the link that was told."""
    count = card_count(setup)
    if not 1 < count <= MOST:
        return
    asked = {name: value for name, value in running(setup, situation).items() if name != "engine"}
    rows: list[str] = []
    for name, layout in (("tp", f"tp {count}"), ("half", f"tp {count // 2} pp 2"), ("pp", f"pp {count}")):
        if name == "half" and count < 4:
            continue
        one = calls.call("find_ways_to_run", {**asked, "parallel": layout})
        best = [] if one.failed else ways(one, words)
        if best and _as_asked(one) and best[0].fields["rate"]:
            rows.append(words.say(f"layout_{name}", layout=layout, rate=best[0].fields["rate"]))
    if len(rows) > 1:
        yield words.say("layouts", rows=words.listed(rows))


def _as_asked(one: LookedUp) -> bool:
    """Whether it fits in the layout that was asked for."""
    changed = [str(said) for said in one.shown.get("answer", {}).get("changed", [])]
    return verdict(one) != "does_not_fit" and not any("parallel" in said for said in changed)


def card_count(setup: Setup) -> int:
    """How many cards of one kind there are; 0 where they differ."""
    try:
        found = read_cards(cards_of(setup) or "")
    except AdvisorError:
        return 0
    return found[0].count if len(found) == 1 else 0

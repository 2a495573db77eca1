"""What the documents say of what is asked, and how long software goes on with the cards: risks, explanations."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from assistant.reading.annotation import Ask
from assistant.reading.situation import Situation
from assistant.topics.topic import Calls, SectionTold, Topic
from assistant.writing.trouble.passages import Passage, nearest, passages, query_of
from assistant.writing.words import Words

ASKS = ("risk", "explain", "why", "normal", "improve", "check", "compatible")
POINTS_MAX, BESIDE_MAX, CARDS_MAX = 4, 2, 2
LASTING = ("pytorch", "rocm")
"""Software that tells how long a card is carried on; each says nothing of cards that are not its maker's."""
LIMITED = ("works_with", "does_not")


def applies(ask: Ask, situation: Situation) -> bool:
    """Anything of these kinds: the documents are looked through."""
    return True


def answer(ask: Ask, situation: Situation, calls: Calls, words: Words) -> SectionTold | None:
    """The nearest passage's points, that which shares most with the question first; then how long the cards last."""
    query = query_of(ask, situation)
    found = passages(ask.quote, query, calls)
    lines = [*_points(found, query), *_lasting(ask, situation, calls, words)]
    return SectionTold(lines[0], tuple(lines[1:]), "fact") if lines else None


def _points(found: list[Passage], query: str) -> Iterator[str]:
    if not found:
        return
    first, *rest = found
    points = nearest(first.points, query)[:POINTS_MAX]
    yield f"{points[0]} [{first.key}]"
    more = [f"{said} [{first.key}]" for said in first.points if said in points[1:]]
    more += [f"{said} [{one.key}]" for one in rest for said in nearest(one.points, query)[:BESIDE_MAX]]
    if more:
        yield "\n".join(f"- {said}" for said in more)


def _lasting(ask: Ask, situation: Situation, calls: Calls, words: Words) -> Iterator[str]:
    """Whether current software still goes with the cards, where risks are asked for."""
    if ask.ask != "risk":
        return
    things = [one for one in situation.about(ask) if one.what == "hardware"]
    names = list(dict.fromkeys(one.quote for thing in things for one in thing.all("cards")))[:CARDS_MAX]
    for name in names:
        for software in LASTING:
            one = calls.call("look_up", {"kind": "compatibility", "names": [name], "engine": software})
            row = one.worked[-1].result["findings"][0] if one.worked and not one.failed else {}
            if row.get("verdict") in LIMITED and (row.get("instead") or row.get("instead_zh")):
                yield _told(row, words)


def _told(row: Mapping[str, object], words: Words) -> str:
    if words.language == "zh":
        return words.say("lasting", asked=row.get("asked_zh") or row.get("asked"), instead=row.get("instead_zh") or "")
    return " ".join(filter(None, (str(row.get("reason") or ""), f"{str(row.get('instead') or '').rstrip('.')}.")))


TOPIC = Topic("told", Path(__file__).parent, ASKS, applies, answer)

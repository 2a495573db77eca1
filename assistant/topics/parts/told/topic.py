"""What the documents say of what is asked, and how long software goes on with the cards: risks, explanations."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from assistant.grounding.wording.mentions import products
from assistant.reading.annotation import Ask
from assistant.reading.situation import Situation
from assistant.topics.topic import Calls, SectionTold, Topic
from assistant.writing.arguments import model_of, running
from assistant.writing.money.powering import powering
from assistant.writing.setups import Setup, setups
from assistant.writing.trouble.asked import explaining
from assistant.writing.trouble.passages import Passage, nearest, passages, query_of
from assistant.writing.trouble.taken import taken, told_taken
from assistant.writing.ways import model_name, told_speed, verdict, ways
from assistant.writing.words import Words
from tools.ways_to_run.tell.words import format_name

ASKS = ("risk", "explain", "why", "normal", "improve", "check", "compatible")
POINTS_MAX, BESIDE_MAX, CARDS_MAX = 4, 2, 2
LASTING = ("pytorch", "rocm")
"""Software that tells how long a card is carried on; each says nothing of cards that are not its maker's."""
BILLION, NEEDS_MAX = 1e9, 3
SURE = 0.5
"""Probability of a passage from which it goes before what is reckoned."""
LIMITED = ("works_with", "does_not")


def applies(ask: Ask, situation: Situation) -> bool:
    """Anything of these kinds: the documents are looked through."""
    return True


def answer(ask: Ask, situation: Situation, calls: Calls, words: Words) -> SectionTold | None:
    """The nearest passage's points, that which shares most with the question first; then how long the cards last."""
    query = query_of(ask, situation)
    found = passages("" if ask.ask == "risk" else ask.quote, query, calls)
    own = list(_own_case(ask, situation, calls, words))
    fed = list(_fed(ask, situation, calls, words))
    points = list(_points(found, query, _named(situation)))
    unsure = not found or found[0].likely < SURE
    told = [*own, *points] if own and unsure else [*points, *own]
    lines = [*fed, *told, *_lasting(ask, situation, calls, words)]
    return SectionTold(lines[0], tuple(lines[1:]), "fact") if lines else None


def _named(situation: Situation) -> set[str]:
    """Cards and models that were named."""
    known = [one for thing in situation.things for one in thing.known]
    return {id_ for one in known for product in products(one.quote) for id_ in product.ids}


def _points(found: list[Passage], query: str, named: set[str]) -> Iterator[str]:
    """Points of the nearest passages; those that speak of other products are left out where others remain."""
    kept = [one._replace(points=tuple(said for said in one.points if _own(said, named))) for one in found]
    first = next((one for one in kept if one.points), None)
    if first is None:
        return
    points = nearest(first.points, query)[:POINTS_MAX]
    yield f"{points[0]} [{first.key}]"
    more = [f"{said} [{first.key}]" for said in first.points if said in points[1:]]
    rest = [one for one in kept if one is not first]
    more += [f"{said} [{one.key}]" for one in rest for said in nearest(one.points, query)[:BESIDE_MAX]]
    if more:
        yield "\n".join(f"- {said}" for said in more)


def _own(said: str, named: set[str]) -> bool:
    """Whether a point names no product, or one that was named."""
    found = products(said)
    return not found or any(one.ids & named for one in found)


def _own_case(ask: Ask, situation: Situation, calls: Calls, words: Words) -> Iterator[str]:
    """What it comes to with the person's own model and cards, where something is to be explained."""
    setup = next(iter(setups(situation, ask)), None)
    if ask.ask != "explain" or setup is None or setup.work is None:
        return
    if not setup.machines and not setup.trains:
        yield from _whole(setup, situation, calls, words)
        return
    one = calls.call("explain", explaining(setup, situation, ask))
    of = None if one.failed else taken(one, words)
    if of is None:
        return
    name = "own_case" if of.cards else "own_model"
    yield words.say(name, model=of.model, needed=of.needed, cards=of.cards)
    yield from told_taken(of, words)
    if setup.runs:
        found = calls.call("find_ways_to_run", dict(running(setup, situation)))
        best = [] if found.failed else ways(found, words)
        if best and verdict(found) != "does_not_fit":
            yield from told_speed(best[0], words)
            yield words.say("two_phases")
    yield from _active(setup, calls, words)


def _whole(setup: Setup, situation: Situation, calls: Calls, words: Words) -> Iterator[str]:
    """What a model takes of all its cards together, by format, where none were named."""
    one = calls.call("find_ways_to_run", dict(running(setup, situation)))
    rows = [row for row in one.shown.get("needs", []) if isinstance(row, Mapping) and row.get("total")]
    if one.failed or not rows:
        return
    told = [words.say("need", format=format_name(str(row["weight_format"])), total=row["total"]) for row in rows]
    yield words.say("whole", model=model_name(one), needs=words.listed(told[:NEEDS_MAX]))
    yield words.say("dealt")


def _fed(ask: Ask, situation: Situation, calls: Calls, words: Words) -> Iterator[str]:
    """What a power supply that was named has to carry, where risks are asked for."""
    setup = next((one for one in setups(situation, ask) if one.one("psu") is not None), None)
    if ask.ask != "risk" or setup is None:
        return
    limit = setup.one("watts", "have", "plan")
    asked: dict[str, object] = {"what": "power", **powering(setup, situation, words.language)}
    one = calls.call("cost", {**asked, **({"power_limit": limit.quote} if limit else {})})
    supply = one.shown.get("supply")
    if one.failed or not isinstance(supply, Mapping):
        return
    yield from words.maybe(
        "fed", psu=str(asked.get("psu", "")), needed=supply.get("needed"), rated=supply.get("rated"),
        sustained=one.shown.get("sustained"), spike=one.shown.get("ten_ms"),
    )  # fmt: skip


def _active(setup: Setup, calls: Calls, words: Words) -> Iterator[str]:
    """Of a mixture of experts: all weights are held, and few of them read for a token."""
    one = calls.call("look_up", {"kind": "model", "names": [str(model_of(setup, form=False).get("model", ""))]})
    rows = [row for row in one.shown.get("models", []) if isinstance(row, Mapping)]
    if one.failed or not rows or not rows[0].get("experts"):
        return
    whole, active = rows[0].get("params"), rows[0].get("active_params")
    if isinstance(whole, int | float) and isinstance(active, int | float):
        yield words.say("active", whole=f"{whole / BILLION:.3g}B", active=f"{active / BILLION:.3g}B")


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

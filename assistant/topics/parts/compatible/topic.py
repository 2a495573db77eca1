"""Whether cards, software, formats and links go together."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from assistant.reading.annotation import Ask
from assistant.reading.situation import Known, Situation, Thing
from assistant.topics.topic import Calls, SectionTold, Topic
from assistant.writing.arguments import running
from assistant.writing.setups import THOUGHT_OF, setups
from assistant.writing.trouble.links import told_links
from assistant.writing.ways import model_name, verdict, ways
from assistant.writing.words import Words
from tools.agent_tools.ledger import LookedUp

ASKS = ("compatible", "spec", "why", "check", "worth", "needed", "improve", "risk")
OPEN = frozenset({"software", "feature", "links", "reliability"})
"""Quantities by which an ask that can be of anything is one of this kind."""
FEATURES = (
    "partition", "accessory", "link", "version", "format", "cache_format", "program", "property", "board", "error",
    "setting",
)  # fmt: skip
"""Slots whose words may name what a card can or cannot do; what the tool does not know is left out."""
STANCES = (*THOUGHT_OF, "claimed", "expected", "seen", "ruled_out")
VERDICTS = ("does_not", "works_with", "works")
"""The first is told first."""
TOLD_MAX, WORDS_MAX, CARDS_MAX = 5, 380, 3


def applies(ask: Ask, situation: Situation) -> bool:
    """Cards, and something they are to go with."""
    if ask.ask != "compatible" and ask.quantity not in OPEN:
        return False
    return bool(_cards(situation, ask))


def answer(ask: Ask, situation: Situation, calls: Calls, words: Words) -> SectionTold | None:
    """What the ask's own words name first, then what stands beside it; refusals before what works."""
    cards = _cards(situation, ask)
    mixed = list(_mixed(cards, ask, situation, calls))
    first = list(_judged(cards, {"words": ask.quote[:WORDS_MAX]}, calls))
    beside = [*first, *_engines(cards, situation, calls)]
    beside += _judged(cards, {"words": _words_of(situation, ask)}, calls)
    if any(row["verdict"] != "works" for row, _ in (*first, *beside)):
        beside = [row for row in beside if row in first or row[0]["verdict"] != "works"]
    links = list(told_links(situation, ask, calls, words))
    rows = [*mixed, *(row for part in (first, beside) for row in sorted(part, key=_severity))]
    said = list(dict.fromkeys(_said(row, one, words) for row, one in rows))
    limits = [text for text in said if text][:TOLD_MAX]
    plain = not mixed and all(row["verdict"] != "does_not" for row, _ in first)
    told = [*links, *limits] if links and plain else [*limits, *links]
    told += _runs(situation, ask, calls, words) if ask.ask == "compatible" else []
    return SectionTold(told[0], tuple(told[1:]), "fact") if told else None


def _cards(situation: Situation, ask: Ask) -> list[str]:
    about = [one for one in situation.about(ask) if one.what == "hardware" and one.all("cards")]
    things = about or [one for one in situation.hardware() if one.all("cards")]
    return list(dict.fromkeys(said for thing in things for said in _of(thing)))[:CARDS_MAX]


def _of(thing: Thing) -> list[str]:
    """The cards of a machine: all of one turn, the latest."""
    named = [one for one in thing.all("cards") if one.stance in STANCES]
    return [one.quote for one in named if one.turn == named[-1].turn]


def _known(situation: Situation) -> list[Known]:
    every = [one for thing in situation.things for one in thing.known] + list(situation.known)
    return [one for one in every if one.stance in STANCES]


def _words_of(situation: Situation, ask: Ask) -> str:
    """Words of this turn that may name what is to go with the cards; of former turns where this names none."""
    known = [one for one in _known(situation) if one.slot in (*FEATURES, "engine")]
    now = [one for one in known if one.turn == situation.turn] or known
    now.sort(key=lambda one: (one.turn, one.start))
    return " ".join(dict.fromkeys(one.quote for one in now))[:WORDS_MAX]


Row = tuple[Mapping[str, Any], LookedUp]


def _severity(row: Row) -> int:
    return VERDICTS.index(row[0]["verdict"])


def _mixed(cards: list[str], ask: Ask, situation: Situation, calls: Calls) -> Iterator[Row]:
    """Whether different cards go into one machine, where they are to be together."""
    relations = {str(one.value) for one in _known(situation) if one.slot == "relation"}
    stances = {one.stance for thing in situation.about(ask) for one in thing.all("cards")}
    of_one = {"have", "plan"} <= stances or any(
        len(_of(thing)) > 1 for thing in situation.about(ask) if thing.what == "hardware"
    )
    if len(cards) > 1 and (of_one or relations & {"together", "add"}):
        yield from (row for row in _judged(cards, {"feature": "mixed_cards"}, calls) if row[0]["verdict"] != "works")


def _engines(cards: list[str], situation: Situation, calls: Calls) -> Iterator[Row]:
    """Programs that were named, on each card."""
    engines = [one for one in _known(situation) if one.slot == "engine" and one.value]
    now = [one for one in engines if one.turn == situation.turn]
    for engine in dict.fromkeys(str(one.value) for one in now):
        yield from _judged(cards, {"engine": engine}, calls)


def _judged(cards: list[str], matter: Mapping[str, str], calls: Calls) -> Iterator[Row]:
    """The findings for one matter; none where it names nothing that cards are checked for."""
    if not all(matter.values()):
        return
    one = calls.call("look_up", {"kind": "compatibility", "names": cards, **matter})
    for row in one.worked[-1].result.get("findings", []) if one.worked and not one.failed else []:
        if row.get("verdict") in VERDICTS:
            yield row, one


def _runs(situation: Situation, ask: Ask, calls: Calls, words: Words) -> Iterator[str]:
    """Whether the cards hold the model that was named, and how fast it runs there."""
    setup = next(iter(setups(situation, ask)), None)
    if setup is None or not setup.runs:
        return
    one = calls.call("find_ways_to_run", dict(running(setup, situation)))
    best = [] if one.failed else ways(one, words)
    if best and verdict(one) != "does_not_fit" and best[0].fields["rate"]:
        yield words.say("runs", **best[0].fields)
    elif not one.failed:
        yield words.say("runs_not", model=model_name(one), cards=str(one.request.get("cards", "")))


def _said(row: Mapping[str, Any], one: LookedUp, words: Words) -> str:
    """A finding in a sentence."""
    if words.language == "en":
        instead = str(row.get("instead") or "").rstrip(".")
        return " ".join(filter(None, [words.say(row["verdict"]), row.get("reason"), f"{instead}." if instead else ""]))
    name, asked = _name(row, one), row.get("asked_zh") or row.get("asked", "")
    why, instead = str(row.get("reason_zh") or ""), str(row.get("instead_zh") or "")
    said = words.say(f"{row['verdict']}_of", name=name, asked=asked)
    return said + "".join(words.say("clause", said=one.rstrip("。")) for one in (why, instead) if one)


def _name(row: Mapping[str, Any], one: LookedUp) -> str:
    from kb.catalog import gpus

    known = gpus().get(str(row.get("gpu")))
    return known.name if known else str(next(iter(one.request.get("names") or [""])))


TOPIC = Topic("compatible", Path(__file__).parent, ASKS, applies, answer)

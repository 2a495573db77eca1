"""Whether cards, software, formats and links go together."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from assistant.reading.annotation import Ask
from assistant.reading.situation import Known, Situation
from assistant.topics.topic import Calls, SectionTold, Topic
from assistant.writing.setups import THOUGHT_OF
from assistant.writing.words import Words
from tools.agent_tools.ledger import LookedUp

ASKS = ("compatible", "spec", "why", "check", "worth", "needed", "improve")
OPEN = frozenset({"software", "feature", "links"})
"""Quantities by which an ask that can be of anything is one of this kind."""
FEATURES = ("partition", "accessory", "link", "version", "format", "program", "property", "board")
"""Slots whose words may name what a card can or cannot do; what the tool does not know is left out."""
STANCES = (*THOUGHT_OF, "claimed", "expected", "seen")
WORSE = ("works", "works_with", "does_not")
PAIRS_MAX = 6


def applies(ask: Ask, situation: Situation) -> bool:
    """Cards, and something they are to go with."""
    if ask.ask != "compatible" and ask.quantity not in OPEN:
        return False
    return bool(_cards(situation, ask)) and any(_matters(situation))


def answer(ask: Ask, situation: Situation, calls: Calls, words: Words) -> SectionTold | None:
    """The verdict on each pair, those of the ask's own words first."""
    cards = _cards(situation, ask)
    found = [one for matter in _ordered(ask, situation) if (one := _judged(cards, matter, calls)) is not None]
    if not found:
        return None
    told = list(dict.fromkeys(said for one in found[:PAIRS_MAX] for said in _said(one, words)))
    return SectionTold(told[0], tuple(told[1:]), "fact") if told else None


def _cards(situation: Situation, ask: Ask) -> list[str]:
    about = [one for one in situation.about(ask) if one.what == "hardware" and one.all("cards")]
    things = about or [one for one in situation.hardware() if one.all("cards")]
    said = [one.quote for thing in things for one in thing.all("cards")[-1:] if one.stance in STANCES]
    return list(dict.fromkeys(said))[:3]


def _matters(situation: Situation) -> Iterator[tuple[Known, dict[str, str]]]:
    """What may go with the cards or not: engines, versions, and features in the person's words."""
    known = [one for thing in situation.things for one in thing.known] + list(situation.known)
    for one in known:
        if one.stance not in STANCES:
            continue
        if one.slot == "engine" and one.value:
            yield one, {"engine": str(one.value)}
        elif one.slot in FEATURES:
            yield one, {"feature": one.quote}


def _ordered(ask: Ask, situation: Situation) -> list[dict[str, str]]:
    """Matters that stand in the asking clause first, then those of the turn, then the rest."""
    end = ask.start + len(ask.quote)

    def rank(row: tuple[Known, dict[str, str]]) -> tuple[bool, bool]:
        now = row[0].turn == situation.turn
        return (not (now and ask.start <= row[0].start < end), not now)

    rows = sorted(_matters(situation), key=rank)
    current = [row for row in rows if row[0].turn == situation.turn]
    return list({str(asked): asked for _, asked in (current or rows)}.values())


def _judged(cards: list[str], matter: Mapping[str, str], calls: Calls) -> LookedUp | None:
    """The result for one matter; words the tool takes for no feature are tried as a version of CUDA or a driver."""
    wanted: list[dict[str, str]] = [dict(matter)]
    if "feature" in matter:
        wanted += [{"cuda": matter["feature"]}, {"driver": matter["feature"]}]
    for one in wanted:
        found = calls.call("look_up", {"kind": "compatibility", "names": cards, **one})
        if not found.failed and found.shown.get("verdict") in WORSE:
            return found
    return None


def _said(one: LookedUp, words: Words) -> Iterator[str]:
    """Each finding in a sentence; where results have no reason in the language, the verdict and the way out."""
    for row in one.worked[-1].result.get("findings", []) if one.worked else []:
        if row.get("verdict") not in WORSE:
            continue
        name = _name(row, one)
        if words.language == "en":
            yield " ".join(filter(None, [words.say(row["verdict"], name=name), row.get("reason"), _stop(row)]))
        else:
            asked = row.get("asked_zh") or row.get("asked", "")
            yield words.say(f"{row['verdict']}_of", name=name, asked=asked) + str(row.get("instead_zh") or "")


def _stop(row: Mapping[str, Any]) -> str:
    said = str(row.get("instead") or "")
    return said if not said or said.endswith(".") else f"{said}."


def _name(row: Mapping[str, Any], one: LookedUp) -> str:
    from kb.catalog import gpus

    known = gpus().get(str(row.get("gpu")))
    return known.name if known else str(next(iter(one.request.get("names") or [""])))


TOPIC = Topic("compatible", Path(__file__).parent, ASKS, applies, answer)

"""What documents say, as bullet points of the passages nearest to what is asked."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from assistant.reading.annotation import Ask
from assistant.reading.situation import Known, Situation
from assistant.topics.topic import Calls
from tools.agent_tools.ledger import LookedUp

QUERY_MAX = 240
"""Characters that are looked for."""
TELLING = (
    "claim", "error", "symptom", "fix_tried", "accessory", "link", "partition", "program", "version", "property",
    "condition", "board", "engine", "method", "format", "cards", "model", "machine",
)  # fmt: skip
"""Slots whose words tell what a question is about, the most telling first."""
PASSAGES = "3"
LIKELY, BESIDE = 0.18, 0.6
"""Least probability that a passage answers, and by how much of the best's another may fall short of it."""
ENOUGH, SURE = 10, 0.4
"""Characters of an ask that say something by themselves, and the probability from which they said enough."""
REFERENCE = re.compile(r"\s*\[\^[\w-]+\]")
BULLET = re.compile(r"^\s*(?:[-*]|\d+\.)\s+(.+)$", re.MULTILINE)
CUT = ("…", "...")


class Passage(NamedTuple):
    """What a passage says, a sentence each."""

    key: str
    """By which it is cited: `R3.2`."""
    heading: str
    points: tuple[str, ...]
    likely: float
    """Probability that it answers."""


def query_of(ask: Ask, situation: Situation) -> str:
    """The words of the ask and those that tell what it is about, each once."""
    things = situation.about(ask)
    known: Iterable[Known] = [*(one for thing in things for one in thing.known), *situation.known]
    now = [one for one in known if one.slot in TELLING and one.stance not in ("formerly", "elsewhere")]
    now.sort(key=lambda one: (one.turn != situation.turn, TELLING.index(one.slot)))
    query = ask.quote
    for one in now:
        if one.quote.lower() not in query.lower() and len(query) + len(one.quote) < QUERY_MAX:
            query += f" {one.quote}"
    return query


def passages(words: str, query: str, calls: Calls, most: int = 2) -> list[Passage]:
    """The passages that may answer, best first: for the words of the ask alone where they say enough, else with what
    they are about; none where the documents do not speak of it.
    """
    sure = _found(words, calls) if len(words) >= ENOUGH else []
    if sure and sure[0][0] >= SURE:
        return [one for _, one in sure][:most]
    return [one for _, one in max(sure, _found(query, calls), key=lambda rows: rows[0][0] if rows else 0.0)][:most]


def _found(query: str, calls: Calls) -> list[tuple[float, Passage]]:
    """Passages with the probability that they answer."""
    one = calls.call("search_guidance", {"query": query, "top": PASSAGES})
    if one.failed or not one.worked:
        return []
    told = [row for row in one.shown.get("passages", []) if isinstance(row, Mapping)]
    likely = [float(row.get("answers") or 0.0) for row in one.worked[-1].result["passages"]]
    rows = list(zip(likely, told, strict=False))
    best = max(likely, default=0.0)
    found = [(chance, _passage(one, number, said, chance)) for number, (chance, said) in enumerate(rows, 1)]
    return [row for row in found if row[0] >= max(LIKELY, BESIDE * best) and row[1].points]


def _passage(one: LookedUp, number: int, told: Mapping[str, str], likely: float) -> Passage:
    points = [REFERENCE.sub("", said).strip() for said in BULLET.findall(told.get("text", ""))]
    whole = tuple(said for said in points if not said.endswith(CUT))
    return Passage(f"{one.key}.{number}", str(told.get("heading", "")), whole, likely)


def nearest(points: Sequence[str], query: str) -> list[str]:
    """Points that share most with the query first; those that share alike in their order."""
    wanted = _grams(query)
    return sorted(points, key=lambda said: -len(_grams(said) & wanted))


def _grams(text: str) -> set[str]:
    """Words, and pairs of Chinese characters."""
    plain = text.lower()
    pairs = re.findall(r"(?=([一-鿿]{2}))", plain)
    return {*re.findall(r"[a-z0-9][a-z0-9.-]{2,}", plain), *pairs}

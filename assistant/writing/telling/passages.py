"""Statements of documents, word for word, each with the key by which its passage is cited."""

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from assistant.reading.annotation import Ask
from assistant.reading.situation import Known, Situation
from tools.agent_tools.ledger import LookedUp

QUERY_MAX = 380
ANSWERS_MIN, ANSWERS_FIGURE, ANSWERS_MORE = 0.4, 0.6, 0.45
"""How sure the search is that a passage answers: of the first quoted, where a figure is asked, of one beside."""
FIGURES = frozenset({
    "fits", "memory", "count", "limit", "speed", "duration", "cost", "buy_or_rent", "break_even", "available", "spec",
    "power",
})  # fmt: skip
"""Asks that a figure answers, which a general statement hardly does."""
LINES_MAX, BESIDE_MAX = 6, 2
"""Statements of the first passage and of those beside it."""
PASSAGES_MAX = 2
TELLS_OF_WORK = frozenset({
    "model", "activity", "method", "purpose", "engine", "program", "version", "partition", "serving_mode", "cards",
    "machine", "board", "link", "accessory", "provider", "market", "site", "setting", "property", "symptom", "error",
    "condition", "cooling", "interruption", "claim", "disk", "cpu", "nodes", "acquisition", "country",
})  # fmt: skip
"""Slots whose words say what a question is about; figures tell a search nothing."""
FOOTNOTE = re.compile(r"\s*\[\^[\w.-]+\]")
BULLET = re.compile(r"^[-*] ")
RULE = re.compile(r"[|:\s-]+")
NUMBERED = re.compile(r"\[(\d+)\]")


class Quoted(NamedTuple):
    """What a passage says."""

    heading: str
    lines: tuple[str, ...]
    """Statements, tables and commands in their order, each with its key."""
    sure: float


def query(ask: Ask, situation: Situation) -> str:
    """What to search for: the words that ask, and those that say what about."""
    every = [one for thing in situation.things for one in thing.known] + list(situation.known)
    about = sorted((one for one in every if one.slot in TELLS_OF_WORK), key=lambda one: (-one.turn, one.start))
    said = [
        *(one.quote for one in situation.unread if one.quote not in ask.quote),
        *(one.quote for one in _new(about, ask.quote)),
    ]
    return " ".join([ask.quote, *said])[:QUERY_MAX]


def _new(known: Sequence[Known], asked: str) -> Iterator[Known]:
    """What the asking words do not say themselves."""
    seen: set[str] = set()
    for one in known:
        if one.quote.lower() not in asked.lower() and one.quote.lower() not in seen:
            seen.add(one.quote.lower())
            yield one


def quoted(found: LookedUp, ask: Ask, language: str) -> list[Quoted]:
    """The passages that answer, the surest first: those in the language of the answer, and what a person ingested."""
    rows = found.worked[-1].result.get("passages", []) if found.worked else []
    shown = len(found.shown.get("passages", []))
    told: dict[tuple[str, str], Quoted] = {}
    least = ANSWERS_FIGURE if ask.ask in FIGURES else ANSWERS_MIN
    for number, row in enumerate(rows[:shown], 1):
        section = _section(row)
        fits = row.get("language") == language or row.get("trust") != "bundled"
        best = max(float(one.get("answers") or 0.0) for one in rows if _section(one) == section)
        if row.get("disputes") or not fits or best < (ANSWERS_MORE if told and section not in told else least):
            continue
        key = f"[[{found.key}.{number}]]"
        lines = tuple(f"{line} {key}" if cites else _cited_rows(line, key) for line, cites in _lines(row))
        before = told.get(section)
        told[section] = Quoted(section[1], (*(before.lines if before else ()), *lines), best)
    return list(told.values())[:PASSAGES_MAX]


def _section(row: dict[str, Any]) -> tuple[str, str]:
    return str(row.get("document")), str(row.get("heading") or "")


def _cited_rows(block: str, key: str) -> str:
    """A table with the key in each of its rows; code as it is."""
    if not block.startswith("|"):
        return block
    head, *rows = block.splitlines()
    cited = [row if RULE.fullmatch(row) else f"{row.rstrip().rstrip('|').rstrip()} {key} |" for row in rows]
    return "\n".join([head, *cited])


def _lines(row: dict[str, Any]) -> Iterator[tuple[str, bool]]:
    """Statements of a passage, less headings, footnotes and marks; tables and code as they stand, uncited."""
    block: list[str] = []
    for raw in [*str(row["text"]).splitlines(), ""]:
        line = FOOTNOTE.sub("", raw).rstrip()
        inside = bool(block) and block[0].startswith("```")
        if line.startswith(("```", "|")) or inside:
            block.append(line)
            if inside and line.startswith("```"):
                yield "\n".join(block), False
                block = []
            continue
        if block:
            yield "\n".join(block), False
            block = []
        if line and not line.startswith("#"):
            yield NUMBERED.sub(r"(\1)", BULLET.sub("", line.strip())), True

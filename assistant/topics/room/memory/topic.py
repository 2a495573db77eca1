"""How much memory a model takes, with or without a machine in mind."""

from collections.abc import Mapping
from pathlib import Path

from assistant.reading.annotation import Ask
from assistant.reading.situation import Situation
from assistant.topics.topic import Calls, SectionTold, Topic
from assistant.writing.arguments import running
from assistant.writing.setups import setups
from assistant.writing.ways import model_name, verdict, ways
from assistant.writing.words import Words
from tools.agent_tools.ledger import LookedUp
from tools.ways_to_run.tell.words import format_name

ROWS_MAX = 4
MACHINE = ("cards", "host_memory", "link", "nodes", "memory_taken")


def applies(ask: Ask, situation: Situation) -> bool:
    """A model that is run; a machine may be named or not."""
    found = setups(situation, ask)
    return bool(found) and all(one.work is not None and not one.trains for one in found)


def answer(ask: Ask, situation: Situation, calls: Calls, words: Words) -> SectionTold | None:
    """The memory in each usual format; on a machine that of the best way there."""
    setup = setups(situation, ask)[0]
    asked = running(setup, situation)
    if not setup.machines:
        return _by_format(asked, calls, words)
    one = calls.call("find_ways_to_run", dict(asked))
    best = ways(one, words)
    if one.failed or not best:
        return _by_format({name: value for name, value in asked.items() if name not in MACHINE}, calls, words)
    line = words.say("assumed", context=best[0].fields["context"], sequences=best[0].fields["sequences"])
    return SectionTold(words.say("on_cards", **best[0].fields), (line,), verdict(one))  # type: ignore[arg-type]


def _by_format(asked: dict[str, str], calls: Calls, words: Words) -> SectionTold | None:
    one = calls.call("find_ways_to_run", dict(asked))
    rows = [row for row in one.shown.get("needs", []) if isinstance(row, Mapping)]
    if not one.failed and not rows:
        return _plain(one, words)
    if one.failed:
        return None
    told = [(format_name(str(row["weight_format"])), str(row["total"]), row) for row in rows[:ROWS_MAX]]
    lead = words.say(
        "needs",
        model=_name(one.shown, rows) or model_name(one),
        rows=words.listed([f"{total} ({form})" for form, total, _ in told]),
    )
    enough = [str(card) for card in told[0][2].get("enough", []) if not str(card).startswith("+")][:4]
    lines = [words.say("enough", format=told[0][0], cards=words.listed(enough))] if enough else []
    return SectionTold(lead, tuple(lines), "estimate")


def _plain(one: LookedUp, words: Words) -> SectionTold | None:
    """The memory of a model that generates no text, in each of its formats."""
    rows = [row for row in one.shown.get("ways", []) if isinstance(row, Mapping) and row.get("needed")][:ROWS_MAX]
    if not rows:
        return None
    told = [f"{row['needed']} ({format_name(str(row['weight_format']))})" for row in rows]
    return SectionTold(words.say("needs_plain", model=model_name(one), rows=words.listed(told)), (), "estimate")


def _name(shown: Mapping[str, object], rows: list[Mapping[str, object]]) -> str:
    from kb.models import models

    named = rows[0].get("model")
    known = models().get(named) if isinstance(named, str) else None
    return known.name if known else str(named or "")


TOPIC = Topic("memory", Path(__file__).parent, ("memory",), applies, answer)

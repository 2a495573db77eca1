"""Why something is slow, fails or fills the memory, and whether a figure is normal."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from assistant.reading.annotation import Ask
from assistant.reading.situation import Situation
from assistant.topics.topic import Calls, SectionTold, Topic
from assistant.writing.setups import setups
from assistant.writing.trouble.asked import explaining
from assistant.writing.words import Words
from tools.agent_tools.ledger import LookedUp

CAUSES_MAX = 3
OF_A_FAULT = frozenset({"software", "feature", "links", "reliability", "speed", "throughput", "first_token", None})
"""What an error or symptom tells of without a figure; memory has a topic of its own."""


def applies(ask: Ask, situation: Situation) -> bool:
    """A figure was seen of a model on cards, so that what is to be expected can be put beside it."""
    found = setups(situation, ask)
    if not found:
        return False
    told = explaining(found[0].failing, situation)
    if found[0].work is None or not found[0].machines:
        return ask.quantity in OF_A_FAULT and "error_text" in told
    return "seen" in told or (ask.quantity in OF_A_FAULT and bool(told.keys() & {"error_text", "symptom"}))


def answer(ask: Ask, situation: Situation, calls: Calls, words: Words) -> SectionTold | None:
    """Expected beside seen, then the causes that explain most, each with its check and fix."""
    one = calls.call("explain", explaining(setups(situation, ask)[0].failing, situation, ask))
    if one.failed or not one.worked:
        return None
    result = one.worked[-1].result
    causes = [cause for cause in result.get("causes", []) if isinstance(cause, Mapping)][:CAUSES_MAX]
    leads = [*_judged(one, words), *(words.say("likely", name=_in(cause["name"], words)) for cause in causes[:1])]
    if not leads or (one.shown.get("answer", {}).get("verdict") is None and _undecided(causes)):
        return None
    return SectionTold(" ".join(leads), tuple(_causes(causes, words)), "diagnosis")


def _undecided(causes: list[Mapping[str, Any]]) -> bool:
    """Whether the first cause says no more than that something failed."""
    return str(causes[0].get("id", "")).endswith("_unknown")


def _judged(one: LookedUp, words: Words) -> Iterator[str]:
    """What was seen beside what is to be expected."""
    told = one.shown.get("answer", {})
    figure = next(
        (row for row in one.shown.get("figures", []) if isinstance(row, Mapping) and row.get("name") == told.get("of")),
        None,
    )
    verdict = told.get("verdict")
    if figure and verdict in ("low", "high", "normal", "impossible"):
        worse = bool(told.get("worse"))
        name = verdict if verdict in ("normal", "impossible") else f"{verdict}_{'worse' if worse else 'better'}"
        yield from words.maybe(name, seen=figure.get("seen"), expected=figure.get("expected"))


def _causes(causes: list[Mapping[str, Any]], words: Words) -> Iterator[str]:
    for number, cause in enumerate(causes, 1):
        check = cause.get("check") or {}
        parts = [f"{number}. **{_in(cause['name'], words)}**{words.say('stop')}{_in(cause['what'], words)}"]
        if check.get("command"):
            look = check.get("look_for_zh") if words.language == "zh" else check.get("look_for")
            parts.append(words.say("check", command=check["command"], look=look or check.get("look_for", "")))
        parts.append(words.say("fix", fix=_in(cause["fix"], words)))
        if cause.get("setting"):
            parts.append(f"`{cause['setting']}`")
        yield " ".join(parts)


def _in(said: Any, words: Words) -> str:
    """A text of both languages in the one that is spoken."""
    return str(said[words.language]) if isinstance(said, Mapping) else str(said)


TOPIC = Topic("why", Path(__file__).parent, ("why", "normal", "improve"), applies, answer)

"""What of a call can be worked out where a card or a program in it is not known: the same without it."""

import re
from collections.abc import Mapping
from typing import Any

from kb.base import AdvisorError, UnknownName
from kb.lexicon.text import plain
from tools.agent_tools import reading
from tools.agent_tools.asked import AgentRequest

FIELDS = ("cards", "owned")
"""Fields of a request that list cards."""
MOST_UNKNOWN = 8
NAME_MAX = 40
"""Characters of a name that is told again."""
_EDGES = re.compile(r"^[\s+,;&/、，和]+|[\s+,;&/、，和]+$")
_DOUBLED = re.compile(r"\s*[+,;&/、，]\s*(?=[+,;&/、，])")


def unknown_cards(asked: Mapping[str, Any]) -> dict[str, list[UnknownName]]:
    """By field, the cards in a call that the catalog does not know."""
    found = {}
    for field in FIELDS:
        text = asked.get(field)
        if isinstance(text, str) and (unknown := _parted(text, field)[1]):
            found[field] = unknown
    return found


def without(request: AgentRequest, unknown: Mapping[str, list[UnknownName]]) -> AgentRequest:
    """The call without those cards; a field that names no other is as if it had not been given."""
    kept = {field: _parted(getattr(request, field), field)[0] or None for field in unknown}
    return request.model_copy(update=kept)


def told(unknown: Mapping[str, list[UnknownName]]) -> list[dict[str, Any]]:
    """Which names are not known, in which field, and the closest that are."""
    return [
        {"field": field, "name": one.name, "close": one.close, "left_out": True}
        for field, names in unknown.items()
        for one in names
    ]


def of_engine(named: str | None, found: dict[str, Any]) -> dict[str, Any]:
    """The same; beside the engine of an answer the program that was asked of, where the figures are not its own: what
    is assumed is the first to be cut in a long result."""
    answer = found.get("answer") or {}
    if not named or answer.get("engine") in {None, named}:
        return found
    said = f"{named[:NAME_MAX]} was asked: these are figures of {answer['engine']}"
    return {**found, "answer": {**answer, "engine_asked": said}}


def _parted(text: str, field: str) -> tuple[str, list[UnknownName]]:
    """What is left of a list of cards without those that are not known, and these."""
    words, unknown = plain(text), list[UnknownName]()
    while words and len(unknown) < MOST_UNKNOWN:
        try:
            reading.cards(words, field)
            break
        except UnknownName as one:
            if one.name not in words:  # it cannot be told apart from those that are known: the call is refused
                return text, []
            unknown.append(one)
            words = _EDGES.sub("", _DOUBLED.sub("", words.replace(one.name, "", 1)))
        except AdvisorError:  # what is left names no card
            return "", unknown
    return words, unknown

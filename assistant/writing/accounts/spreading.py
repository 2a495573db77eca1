"""How a model is spread over cards, in words, and which numbers its layers and heads do not divide by."""

from collections.abc import Mapping
from typing import Any

from assistant.writing.accounts.cards import Call
from assistant.writing.accounts.sentences import sentences, whole
from assistant.writing.words import Words
from kb.models import models
from tools.agent_tools.ledger import LookedUp

KINDS = ("tp", "pp", "dp", "ep")


def layout_name(layout: Mapping[str, Any], words: Words) -> str:
    """`TP 8 × PP 3`."""
    told = [f"{kind.upper()} {layout[kind]}" for kind in KINDS if (layout.get(kind) or 1) > 1]
    return " × ".join(told) or sentences(words).say("one_card_layout")


def told_division(one: LookedUp, call: Call, words: Words) -> list[str]:
    """Why not all cards share every layer: heads are dealt out evenly or not at all."""
    rows = whole(one).get("ways", [])
    known = models().get(str(whole(one).get("answer", {}).get("model") or ""))
    if not rows or known is None or not known.heads:
        return []
    asked, cards = _asked_tp(one), _cards(one)
    ways = asked or cards
    if ways < 2 or known.heads % ways == 0:
        return []
    layout = rows[0]["layout"]
    if not asked:  # by the solver's own refusal, which also tells what goes on all of them
        whole_machine = call("find_ways_to_run", {**one.request, "parallel": f"tp {cards}"})
        found = whole(whole_machine).get("ways", [])
        if not found or "parallel" not in whole(whole_machine)["answer"].get("changed", ()):
            return []
        layout = layout if layout["tp"] * layout["pp"] == cards else found[0]["layout"]
    call("look_up", {"kind": "model", "names": [known.id]})
    fields = {"ways": ways, "heads": known.heads, "layout": layout_name(layout, words)}
    return [sentences(words).say("not_divided", **fields)]


def _cards(one: LookedUp) -> int:
    """All cards that were asked about."""
    given = one.worked[-1].request if one.worked else {}
    return sum(int(row.get("count") or 1) for row in given.get("cards") or ()) * int(given.get("nodes") or 1)


def _asked_tp(one: LookedUp) -> int | None:
    given = one.worked[-1].request.get("parallel") if one.worked else None
    found = given.get("tp") if isinstance(given, Mapping) else None
    return int(found) if found else None

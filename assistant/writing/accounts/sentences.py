"""The sentences that accounts share, and small figures as they are written in them."""

from pathlib import Path
from typing import Any

from assistant.writing.words import Words
from kb.catalog import gpus
from kb.records.gpu import Gpu
from kb.units import GIB, TIB
from tools.agent_tools.ledger import LookedUp

HERE = Path(__file__).parent


def sentences(words: Words) -> Words:
    """The sentences of accounts in the language of a topic."""
    return Words(HERE, words.language)


def sentence(said: str) -> str:
    """The same with a capital at its beginning."""
    return said[:1].upper() + said[1:]


def billions(number: float) -> str:
    """So many parameters: 7B, 32.8B, 1,026B."""
    count = number / 1e9
    return f"{count:,.0f}B" if count >= 100 else f"{count:.3g}B"


def memory(number: float) -> str:
    """A size as results tell it: 20.5 GiB, 2.4 TiB."""
    return f"{number / TIB:,.1f} TiB" if number >= TIB else f"{number / GIB:,.1f} GiB"


def rate(number: float) -> str:
    """Tokens a second in three digits at most."""
    return f"{number:,.0f}" if number >= 100 else f"{number:.2g}"


def whole(one: LookedUp) -> dict[str, Any]:
    """The result of the solver behind what is shown; empty where it refused."""
    return one.worked[-1].result if one.worked and not one.failed else {}


def cards_used(one: LookedUp) -> list[Gpu]:
    """The kinds of cards of the best way, or of those that were asked about."""
    known = gpus()
    rows = [row for way in whole(one).get("ways", [])[:1] for row in way.get("cards") or () if isinstance(row, dict)]
    asked = one.worked[-1].request.get("cards") or () if one.worked else ()
    rows = rows or [row for row in asked if isinstance(row, dict)]
    return [known[row["gpu"]] for row in rows if row.get("gpu") in known]

"""Who rents a card, and for how much."""

from collections.abc import Mapping
from pathlib import Path

from assistant.reading.annotation import Ask
from assistant.reading.situation import Situation
from assistant.topics.topic import Calls, SectionTold, Topic
from assistant.writing.arguments import card_names
from assistant.writing.words import Words

ROWS_MAX = 4


def applies(ask: Ask, situation: Situation) -> bool:
    """Cards that are named."""
    return bool(card_names(ask, situation))


def answer(ask: Ask, situation: Situation, calls: Calls, words: Words) -> SectionTold | None:
    """The cheapest offer that is known, then the next ones."""
    one = calls.call("look_up", {"kind": "offers", "names": card_names(ask, situation)[:1]})
    rows = [row for row in one.shown.get("offers", []) if isinstance(row, Mapping)][:ROWS_MAX]
    if one.failed or not rows:
        return None
    told = [said for row in rows for said in words.maybe("offer", **_fields(row))]
    lead = words.maybe("cheapest", total=str(one.shown.get("offers_known", len(rows))), **_fields(rows[0]))
    if not lead or not told:
        return None
    return SectionTold(lead[0], ("\n".join(f"- {line}" for line in told),), "fact")


def _fields(row: Mapping[str, object]) -> dict[str, str]:
    wanted = {"card": "gpu_text", "provider": "provider", "price": "usd_per_gpu_hour", "day": "as_of"}
    return {name: str(row.get(key) or "–") for name, key in wanted.items()}


TOPIC = Topic("offers", Path(__file__).parent, ("available",), applies, answer)

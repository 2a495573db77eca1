"""What is known of cards: memory, bandwidth, rates, links, power, price; of several side by side."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from assistant.reading.annotation import Ask
from assistant.reading.situation import Situation
from assistant.topics.topic import Calls, SectionTold, Topic
from assistant.writing.arguments import card_names
from assistant.writing.words import Words

ROWS = ("memory", "memory_type", "bandwidth", "bf16", "fp8", "nvlink", "nvlink_note", "pcie", "tdp", "year")
ALONE_MAX = 6


def applies(ask: Ask, situation: Situation) -> bool:
    """Cards are asked about, with no work for them."""
    return bool(_names(ask, situation)) and not any(
        one.all("model") for one in situation.about(ask) if one.what == "work"
    )


def answer(ask: Ask, situation: Situation, calls: Calls, words: Words) -> SectionTold | None:
    """The figures of one card in a sentence, those of several in a table."""
    names = _names(ask, situation)
    one = calls.call("look_up", {"kind": "spec", "names": names})
    rows = [row for row in one.shown.get("found", []) if isinstance(row, Mapping) and row.get("memory")]
    if one.failed or not rows:
        return None
    lead = words.say("card", **_lead(rows[0]))
    if len(rows) == 1:
        return SectionTold(lead, (*_price(rows[0], words), *words.maybe("links", links=_links(rows[0]))), "fact")
    same = [name for name in ("memory", "bandwidth") if len({row.get(name) for row in rows}) > 1]
    if not same:
        lead = words.say("alike", names=words.listed([str(row["name"]) for row in rows]), **_lead(rows[0]))
    elif len(rows) == 2:
        lead = words.say(
            "two", **{f"{key}_{n}": value for n, row in enumerate(rows) for key, value in _lead(row).items()}
        )
    return SectionTold(
        lead, (_table(rows, words), *(said for row in rows for said in _price(row, words))), "comparison"
    )


def _names(ask: Ask, situation: Situation) -> list[str]:
    return card_names(ask, situation)[:ALONE_MAX]


def _lead(row: Mapping[str, Any]) -> dict[str, str]:
    return {
        "name": str(row.get("name", "")),
        "memory": str(row.get("memory", "")),
        "kind": str(row.get("memory_type", "")),
        "bandwidth": str(row.get("bandwidth", "–")),
        "rate": str(row.get("bf16") or row.get("fp16") or row.get("fp32") or "–"),
        "tdp": str(row.get("tdp", "–")),
    }


def _links(row: Mapping[str, Any]) -> str | None:
    link = row.get("nvlink")
    return f"NVLink {link}, PCIe {row.get('pcie', '')}" if link else None


def _price(row: Mapping[str, Any], words: Words) -> list[str]:
    price = row.get("price") or {}
    return words.maybe("price", name=row["name"], price=price.get("amount_usd"), day=price.get("as_of"))


def _table(rows: list[Mapping[str, Any]], words: Words) -> str:
    kept = [name for name in ROWS if any(row.get(name) for row in rows) and words.knows(f"row_{name}")]
    head = "| | " + " | ".join(str(row["name"]) for row in rows) + " |"
    body = [
        f"| {words.say(f'row_{name}')} | " + " | ".join(str(row.get(name) or "–") for row in rows) + " |"
        for name in kept
    ]
    return "\n".join([head, "|" + " --- |" * (len(rows) + 1), *body])


TOPIC = Topic("card", Path(__file__).parent, ("spec", "compare", "memory"), applies, answer)

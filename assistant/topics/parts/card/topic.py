"""What is known of cards: memory, bandwidth, rates, links, power, price; of several what tells them apart."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from assistant.reading.annotation import Ask
from assistant.reading.situation import Situation
from assistant.topics.topic import Calls, SectionTold, Topic
from assistant.writing.arguments import card_names
from assistant.writing.compared import faster, lacking, noted, priced, read_as
from assistant.writing.setups import THOUGHT_OF
from assistant.writing.words import Words
from kb.catalog import gpus
from tools.agent_tools.ledger import LookedUp

ROWS = ("memory", "memory_type", "bandwidth", "bf16", "fp16", "fp8", "nvlink", "nvlink_note", "pcie", "form_factor",
        "tdp", "compute_capability", "year")  # fmt: skip
ALONE_MAX = 6
FEATURES = ("partition", "accessory", "link", "version", "format", "program", "property")
"""Slots that name what is asked of a card where a feature is; whether it goes together is told elsewhere."""
OPEN = frozenset({"feature", "software", "links"})


def applies(ask: Ask, situation: Situation) -> bool:
    """Cards are asked about, with no work for them, and no feature that is named."""
    if ask.quantity in OPEN and any(
        one.slot in FEATURES for thing in situation.things for one in thing.known if one.turn == situation.turn
    ):
        return False
    return bool(_names(ask, situation)) and not any(
        one.all("model") for one in situation.about(ask) if one.what == "work"
    )


def answer(ask: Ask, situation: Situation, calls: Calls, words: Words) -> SectionTold | None:
    """The figures of one card in a sentence; of several whether they are the same, the ratios, and a table."""
    names = _names(ask, situation)
    one = calls.call("look_up", {"kind": "compare" if len(names) > 1 else "spec", "names": names})
    rows = [row for row in one.shown.get("cards") or one.shown.get("found") or [] if isinstance(row, Mapping)]
    rows = [row for row in rows if row.get("memory")]
    if one.failed or not rows:
        return None
    if len(rows) == 1:
        lines = [*read_as(one, words), *_price(rows[0], words), *words.maybe("links", links=_links(rows[0]))]
        return SectionTold(words.say("card", **_lead(rows[0])), tuple(lines), "fact")
    return _several(one, rows, words)


def _several(one: LookedUp, rows: list[Mapping[str, Any]], words: Words) -> SectionTold:
    alike = all(len({row.get(name) for row in rows}) == 1 for name in ("memory", "bandwidth"))
    same_rate = len({row.get("bf16") or row.get("fp16") for row in rows}) == 1
    told = [_lead(row) for row in rows]
    rates = words.listed([words.say("rate_of", **row) for row in told])
    if alike and same_rate:
        lead = words.say("same", names=words.listed([row["name"] for row in told]), **told[0])
    elif alike:
        lead = words.say("not_same", names=words.listed([row["name"] for row in told]), rates=rates,
                         **{key: told[0][key] for key in ("memory", "kind", "bandwidth")})  # fmt: skip
    else:
        lead = words.say("several", rows=words.listed([words.say("one_of", **row) for row in told]))
    notes = noted(one) if words.language == "en" else []
    ratios = faster(one, words)
    return SectionTold(
        lead, (*ratios, *read_as(one, words), *notes, *lacking(one, words), _table(rows, words), *priced(one, words)),
        "comparison",
    )  # fmt: skip


def _names(ask: Ask, situation: Situation) -> list[str]:
    things = [one for one in situation.about(ask) if one.what == "hardware"]
    rows = [
        row for thing in things for one in thing.all("cards") if one.stance in THOUGHT_OF for row in one.value or ()
    ]
    if any((row.get("count") or 1) > 1 for row in rows):  # what one of them is, whatever their number
        return list(dict.fromkeys(gpus()[row["gpu"]].name for row in rows if row.get("gpu") in gpus()))[:ALONE_MAX]
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
    link, pcie = row.get("nvlink"), f"PCIe {row['pcie']}" if row.get("pcie") else None
    return f"NVLink {link}, {pcie}" if link and pcie else pcie


def _price(row: Mapping[str, Any], words: Words) -> list[str]:
    price = row.get("price") or {}
    return words.maybe("price", name=row["name"], price=price.get("amount_usd"), day=price.get("as_of"))


def _table(rows: list[Mapping[str, Any]], words: Words) -> str:
    kept = [name for name in ROWS if any(row.get(name) for row in rows) and words.knows(f"row_{name}")]
    if any(row.get("bf16") for row in rows) and all(row.get("bf16") == row.get("fp16") for row in rows):
        kept = [name for name in kept if name != "fp16"]
    head = "| | " + " | ".join(str(row["name"]) for row in rows) + " |"
    body = [
        f"| {words.say(f'row_{name}')} | " + " | ".join(str(row.get(name) or "–") for row in rows) + " |"
        for name in kept
    ]
    return "\n".join([head, "|" + " --- |" * (len(rows) + 1), *body])


TOPIC = Topic("card", Path(__file__).parent, ("spec", "compare", "memory", "worth"), applies, answer)

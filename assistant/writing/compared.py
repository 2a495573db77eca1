"""Cards held against each other by what they are: which is faster at what, by how much, and what else differs."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from assistant.writing.setups import THOUGHT_OF, Setup
from assistant.writing.words import Words
from kb.catalog import gpus
from tools.agent_tools.ledger import LookedUp

ALIKE = 1.1
"""Ratio of two figures up to which cards count as alike in them."""
COMPUTE = ("bf16_flops", "fp16_flops", "fp32_flops")
ROWS_MAX = 4
READ_AS = re.compile(r"“(?P<said>[^”]+)” is read as (?P<name>[^;]+); it could also be (?P<others>.+?)\.?")


def faster(one: LookedUp, words: Words, *, trains: bool = False) -> list[str]:
    """Who generates and who computes faster, with the ratio and the figures behind it; what decides the work first."""
    rows = _rows(one)
    if len(rows) < 2:
        return []
    told = [
        *_ratio("generates", "bandwidth", _values(one, "bandwidth_bytes_per_s"), rows, words),
        *next(filter(None, (_ratio("computes", name.partition("_")[0], _values(one, name), rows, words)
                            for name in COMPUTE)), []),
    ]  # fmt: skip
    return told[::-1] if trains else told


def lacking(one: LookedUp, words: Words) -> list[str]:
    """What one has and another has not: formats, links; and who holds more."""
    rows = _rows(one)
    said = []
    for name in ("fp8", "nvlink", "fp4"):
        have = [str(row["name"]) for row in rows if row.get(name)]
        if have and len(have) < len(rows):
            lack = [str(row["name"]) for row in rows if not row.get(name)]
            said.append(words.say("lacks", what=words.say(f"what_{name}"), have=words.listed(have),
                                  lack=words.listed(lack)))  # fmt: skip
    return [" ".join(said) if words.language == "en" else "".join(said)] if said else []


def priced(one: LookedUp, words: Words) -> list[str]:
    """What each costs, with the day."""
    told = []
    for row in _rows(one):
        price = row.get("price") or {}
        if price.get("amount_usd"):
            name = "card_price_range" if price.get("high_usd") else "card_price"
            told.append(words.say(name, name=row["name"], price=price["amount_usd"], high=price.get("high_usd", ""),
                                  day=price.get("as_of", "")))  # fmt: skip
    return [words.say("card_prices", rows=words.listed(told))] if told else []


def noted(one: LookedUp) -> list[str]:
    """What the catalog notes of a card that figures do not tell; in English."""
    return [str(row) for row in one.shown.get("warnings", []) if ":" in str(row) and "rice" not in str(row)]


def bare_names(setup: Setup) -> list[str]:
    """The cards of a setup as the catalog calls them, without their number."""
    rows = [row for one in setup.every("cards", *THOUGHT_OF) for row in one.value or ()]
    return list(dict.fromkeys(gpus()[row["gpu"]].name for row in rows if row.get("gpu") in gpus()))


def _rows(one: LookedUp) -> list[Mapping[str, Any]]:
    return [row for row in one.shown.get("cards", []) if isinstance(row, Mapping)][:ROWS_MAX]


def _values(one: LookedUp, name: str) -> dict[str, float]:
    """Card → value of an attribute, by the names cards are told by."""
    result = one.worked[-1].result if one.worked else {}
    names = {row["id"]: row["name"] for row in result.get("gpus", [])}
    found = next((row for row in result.get("attributes", []) if row["name"] == name), None)
    held = found["values"] if found else {}
    return {names[key]: value for key, value in held.items() if value is not None and key in names}


def _ratio(
    kind: str, key: str, values: Mapping[str, float], rows: Sequence[Mapping[str, Any]], words: Words
) -> list[str]:
    """The best in one figure against the others, or that they are alike in it."""
    if len(values) < len(rows) or len(rows) < 2:
        return []
    told = {str(row["name"]): str(row.get(key) or "") for row in rows}
    ranked = sorted(values, key=lambda name: -values[name])
    best = ranked[0]
    if values[best] < ALIKE * values[ranked[1]] and len(ranked) == 2:
        return [words.say(f"{kind}_alike", figures=words.listed([f"{name} {told[name]}" for name in ranked]))]
    others = [words.say("times", ratio=f"{values[best] / values[name]:.1f}", name=name, figure=told[name])
              for name in ranked[1:]]  # fmt: skip
    return [words.say(kind, name=best, figure=told[best], others=words.listed(others))]


def read_as(one: LookedUp, words: Words) -> list[str]:
    """Which of several cards of a name was taken, where lines of products differ."""
    found = [match for row in one.shown.get("read_as", []) if (match := READ_AS.fullmatch(str(row)))]
    return [words.say("assumed_card", said=one["said"], name=one["name"], others=one["others"]) for one in found]

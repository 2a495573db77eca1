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
BANDWIDTH, RATES = ("bandwidth",), ("bf16", "fp16", "fp32")
"""Figures that decide how fast a card writes, and how fast it reads, draws and learns: of rates its best."""
FIELDS = {"bandwidth": "bandwidth_bytes_per_s", "bf16": "bf16_flops", "fp16": "fp16_flops", "fp32": "fp32_flops"}
ROWS_MAX, PAIR = 4, 2
READ_AS = re.compile(r"“(?P<said>[^”]+)” is read as (?P<name>[^;]+); it could also be (?P<others>.+?)\.?")


def faster(one: LookedUp, words: Words, *, trains: bool = False) -> list[str]:
    """Who generates and who computes faster, with the ratio and the figures behind it; what decides the work first."""
    told = [*_ratio("generates", _figures(one, BANDWIDTH), words), *_ratio("computes", _figures(one, RATES), words)]
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
            day = words.say("on_day", day=price["as_of"]) if price.get("as_of") else ""
            ends = {"price": price["amount_usd"], "high": price.get("high_usd", "")}
            told.append(words.say(name, name=row["name"], day=day, **ends))
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


def _figures(one: LookedUp, names: Sequence[str]) -> dict[str, tuple[float, str]]:
    """Card → its best of these figures, as a number and as it is told."""
    raw = {row["name"]: row for row in (one.worked[-1].result.get("gpus") or [] if one.worked else [])}
    found = {}
    for row in _rows(one):
        name = str(row["name"])
        told = [(float(raw.get(name, {}).get(FIELDS[key]) or 0.0), str(row.get(key) or "")) for key in names]
        if (best := max(told)) and best[0] and best[1]:
            found[name] = best
    return found


def _ratio(kind: str, figures: Mapping[str, tuple[float, str]], words: Words) -> list[str]:
    """The best in one figure against the others, or that they are alike in it."""
    if len(figures) < PAIR:
        return []
    best, *rest = sorted(figures, key=lambda name: -figures[name][0])
    if len(rest) == 1 and figures[best][0] < ALIKE * figures[rest[0]][0]:
        return [words.say(f"{kind}_alike", figures=words.listed([f"{name} {figures[name][1]}" for name in figures]))]
    others = [
        words.say("times", ratio=f"{figures[best][0] / figures[name][0]:.1f}", name=name, figure=figures[name][1])
        for name in rest
    ]
    return [words.say(kind, name=best, figure=figures[best][1], others=words.listed(others))]


def read_as(one: LookedUp, words: Words) -> list[str]:
    """Which of several cards of a name was taken, where lines of products differ."""
    found = [match for row in one.shown.get("read_as", []) if (match := READ_AS.fullmatch(str(row)))]
    return [words.say("assumed_card", said=one["said"], name=one["name"], others=one["others"]) for one in found]

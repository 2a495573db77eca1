"""Cards by conditions, as tenders set them: which meet all, and which condition keeps others out."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from assistant.reading.annotation import Ask
from assistant.reading.situation import Known, Situation
from assistant.topics.topic import Calls, SectionTold, Topic
from assistant.writing.arguments import money_of
from assistant.writing.money.buying import CARD_FEATURES, LANGUAGE_COUNTRY, place_or_money
from assistant.writing.setups import THOUGHT_OF, Setup, setups
from assistant.writing.words import Words
from tools.agent_tools.ledger import LookedUp

ASKS = ("which_hardware", "check", "spec", "risk")
ROWS_MAX, NAMES_MAX = 5, 3


class _Wanted(NamedTuple):
    """What a card must have."""

    memory: Known | None
    features: tuple[str, ...]
    number: Known | None


def applies(ask: Ask, situation: Situation) -> bool:
    """A memory or features that a card must have, and neither a card nor a model."""
    cards = any(one.stance in THOUGHT_OF for thing in situation.hardware() for one in thing.all("cards"))
    if cards or any(one.work is not None for one in setups(situation, ask)):
        return False
    wanted = _wanted(situation)
    return bool(wanted.features) or (wanted.memory is not None and wanted.memory.stance == "wanted")


def answer(ask: Ask, situation: Situation, calls: Calls, words: Words) -> SectionTold | None:
    """Whether any card meets all, which, and what each condition alone keeps out."""
    wanted = _wanted(situation)
    country = _country(situation, words)
    price = _price(wanted, situation)
    found = _found(wanted.memory, wanted.features, country, calls, price)
    if found.failed:
        return None
    rows = _rows(found)
    asked = words.listed([*([wanted.memory.quote] if wanted.memory else []), *map(str.upper, wanted.features)])
    if rows:
        lead = words.say("some", total=found.shown["total"], conditions=asked,
                         names=words.listed([str(row["name"]) for row in rows[:NAMES_MAX]]))  # fmt: skip
    else:
        lead = words.say("none", conditions=asked)
    lines = [_listed(rows, words)] if rows else []
    for feature in wanted.features:
        rest = tuple(one for one in wanted.features if one != feature)
        freed = _found(wanted.memory, rest, country, calls, price)
        names = [str(row["name"]) for row in _rows(freed) if row["name"] not in {one["name"] for one in rows}]
        if names:
            lines.append(words.say("without", feature=feature.upper(), names=words.listed(names[:NAMES_MAX])))
    lines += _barred(rows, calls, words)
    lines += _money(rows, wanted, situation, words)
    return SectionTold(lead, (*lines, words.say("tender")), "recommendation" if rows else "does_not_fit")


def _wanted(situation: Situation) -> _Wanted:
    setup = Setup(None, situation.hardware())
    known = [*setup.every("condition"), *setup.every("format"), *(one for one in situation.known)]
    features = [str(one.value) for one in known if one.slot in ("condition", "format") and one.value in CARD_FEATURES]
    links = [one.value for one in (*setup.every("link", "wanted"), *situation.known) if isinstance(one.value, Mapping)]
    if any(row.get("kind") == "nvlink" for row in links):
        features.append("nvlink")
    return _Wanted(setup.one("card_memory"), tuple(dict.fromkeys(features)), setup.one("card_count"))


def _country(situation: Situation, words: Words) -> str:
    said = situation.one("country")
    return place_or_money(said) if said is not None else LANGUAGE_COUNTRY.get(words.language, "")


def _price(wanted: _Wanted, situation: Situation) -> str:
    """The most a card may cost: a budget for no number of them."""
    budget = situation.one("budget")
    return money_of(budget) if budget is not None and wanted.number is None else ""


def _found(memory: Known | None, features: tuple[str, ...], country: str, calls: Calls, price: str) -> LookedUp:
    asked = {"kind": "find_cards", "feature": " ".join(features), "country": country,
             "min_memory": memory.quote if memory else "", "sort": "price", "max_price": price}  # fmt: skip
    return calls.call("look_up", {name: value for name, value in asked.items() if value})


def _rows(one: LookedUp) -> list[Mapping[str, Any]]:
    return [row for row in one.shown.get("cards", []) if isinstance(row, Mapping)][:ROWS_MAX]


def _listed(rows: list[Mapping[str, Any]], words: Words) -> str:
    lines = []
    for row in rows:
        price = row.get("price") or {}
        told = {"name": row["name"], "memory": row.get("memory", ""), "bandwidth": row.get("bandwidth", "–")}
        name = "row_priced" if price.get("amount_usd") else "row"
        lines.append("- " + words.say(name, price=price.get("amount_usd", ""), day=price.get("as_of", ""), **told))
    return "\n".join(lines)


def _barred(rows: list[Mapping[str, Any]], calls: Calls, words: Words) -> list[str]:
    """Cards that export rules keep from the country."""
    one = calls.call("look_up", {"kind": "spec", "names": [str(row["name"]) for row in rows]}) if rows else None
    if one is None or one.failed or _language_home(words) != "CN":
        return []
    noted = [
        str(row["name"]) for row in one.shown.get("found", []) if isinstance(row, Mapping) and row.get("export_note")
    ]
    return words.maybe("barred", names=words.listed(noted))


def _language_home(words: Words) -> str:
    return LANGUAGE_COUNTRY.get(words.language, "")


def _money(rows: list[Mapping[str, Any]], wanted: _Wanted, situation: Situation, words: Words) -> list[str]:
    """The budget beside it, which the cards alone do not spend."""
    budget = situation.one("budget")
    if budget is None or not rows or wanted.number is None:
        return []
    return [words.say("budget", budget=budget.quote, count=wanted.number.quote)]


TOPIC = Topic("by_conditions", Path(__file__).parent, ASKS, applies, answer)

"""What feeds and cools a machine, and what its electricity costs, as arguments of `cost` for power."""

import re
from collections.abc import Mapping

from assistant.reading.situation import Known, Situation
from assistant.writing.arguments import cards_of, money_of
from assistant.writing.money.buying import LANGUAGE_COUNTRY
from assistant.writing.setups import THOUGHT_OF, Setup

AMPERES = re.compile(r"\d\s*[aA安]")
LIMITS = frozenset({"power_limit", "pl", "power_cap", "powerlimit", "限功耗", "功耗限制", "功耗墙"})
"""Settings by which the power of a card is limited."""
SAID = (
    ("psu", "psu"), ("tariff", "tariff"), ("busy_hours", "hours_per_day"),
    ("country", "country"), ("pue", "pue"), ("horizon", "years"),
)  # fmt: skip


def powering(setup: Setup, situation: Situation, language: str) -> dict[str, str]:
    """Arguments of `cost` for power: the cards, the supply and circuit at hand, what else hangs on it, use, tariff."""
    said = {"cards": cards_of(setup) or ""}
    for slot, name in SAID:
        if (found := _one(setup, situation, slot)) is not None:
            said[name] = _said(slot, found)
    if (circuit := _one(setup, situation, "circuit")) is not None:
        other = _one(setup, situation, "other_load")
        beside = f" + {other.quote}" if other is not None else ""
        said["circuit"] = f"{circuit.quote}{beside}" if AMPERES.search(circuit.quote) else f"{circuit.quote} rack"
    said |= {name: value for name, value in used(setup, situation).items() if name not in said}
    if (limit := limited(setup, situation)) is not None and limit:
        said["power_limit"] = limit
    said.setdefault("country", LANGUAGE_COUNTRY.get(language, ""))
    return {name: value for name, value in said.items() if value}


def racked(said: Mapping[str, str]) -> str:
    """The power of a rack that is fed; empty where a circuit is, or nothing."""
    circuit = said.get("circuit", "")
    return circuit.removesuffix(" rack") if circuit.endswith(" rack") else ""


def used(setup: Setup, situation: Situation) -> dict[str, str]:
    """How long it is on and how much of that at full load; several words for it are joined."""
    told: dict[str, str] = {}
    for one in (*setup.every("duty"), *(one for one in situation.known if one.slot == "duty")):
        value = one.value if isinstance(one.value, Mapping) else {}
        if value.get("hours_per_day"):
            told["hours_per_day"] = f"{value['hours_per_day']:g}"
        if value.get("share"):
            told["utilisation"] = f"{value['share']:g}"
    busy = setup.one("utilisation", *THOUGHT_OF)
    if busy is not None and isinstance(busy.value, int | float):
        told["utilisation"] = f"{busy.value:g}"
    return told


def limited(setup: Setup, situation: Situation) -> str | None:
    """The power limit of a card that is spoken of: its watts, empty where none are said; None where it is not."""
    for one in (*setup.every("setting"), *(one for one in situation.known if one.slot == "setting")):
        value = one.value if isinstance(one.value, Mapping) else {}
        name, given = str(value.get("name", "")), str(value.get("value") or "")
        if name in LIMITS:
            return given
        if f"{name}_{given.split(' ')[0]}" in LIMITS:
            return given.partition(" ")[2]
    wanted = setup.one("watts", "wanted", "at_most", "plan")
    return None if wanted is None else wanted.quote


def _said(slot: str, one: Known) -> str:
    if slot in ("psu", "pue", "busy_hours") and isinstance(one.value, int | float):
        return {"psu": f"{one.value:g} W", "busy_hours": f"{one.value / 3600:g}"}.get(slot, f"{one.value:g}")
    if slot == "horizon" and isinstance(one.value, int | float):
        return f"{one.value / 86400:g} days"
    return money_of(one)


def _one(setup: Setup, situation: Situation, slot: str) -> Known | None:
    return setup.one(slot, *THOUGHT_OF, "at_most") or situation.one(slot, *THOUGHT_OF, "at_most")

"""What it draws, whether supply and circuit carry it, and what the electricity costs."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from assistant.reading.annotation import Ask
from assistant.reading.situation import Situation
from assistant.topics.topic import Calls, SectionTold, Topic
from assistant.writing.arguments import cards_of
from assistant.writing.buying import powering
from assistant.writing.setups import Setup, setups
from assistant.writing.words import Words

VERDICTS = ("yes", "tight", "no")


def applies(ask: Ask, situation: Situation) -> bool:
    """Cards; or energy that is asked of a cost."""
    return bool(_machines(ask, situation)) and (ask.ask == "power" or ask.quantity in ("energy", "power"))


def answer(ask: Ask, situation: Situation, calls: Calls, words: Words) -> SectionTold | None:
    """Whether what is at hand carries it, else what it draws; then the supply, the circuit, the bill."""
    asked = powering(_machines(ask, situation)[-1], situation, words.language)
    one = calls.call("cost", {"what": "power", **asked})
    if one.failed or not one.shown.get("wall_max"):
        return None
    told = one.shown
    supply, circuits = told.get("supply") or {}, [row for row in told.get("circuits", []) if isinstance(row, Mapping)]
    draws = words.say("draws", cards=asked["cards"], sustained=told["sustained"], most=told["wall_max"])
    judged = [*_supply(asked, supply, words), *_circuit(asked, circuits, words)]
    leads = [*judged[:1], draws] if judged else [draws]
    lines = [*judged[1:], *(_needed(supply, words) if "psu" not in asked else []), *_bill(told, words)]
    return SectionTold(leads[0], (*leads[1:], *lines), "fact")


def _machines(ask: Ask, situation: Situation) -> list[Setup]:
    return [one for one in setups(situation, ask) if cards_of(one)]


def _supply(asked: Mapping[str, str], supply: Mapping[str, Any], words: Words) -> list[str]:
    at_hand = supply.get("at_hand")
    if "psu" not in asked or at_hand not in VERDICTS:
        return []
    return [words.say(f"supply_{at_hand}", psu=asked["psu"], needed=supply["needed"], rated=supply["rated"])]


def _circuit(asked: Mapping[str, str], circuits: list[Mapping[str, Any]], words: Words) -> list[str]:
    if "circuit" not in asked or not circuits or circuits[0].get("verdict") not in VERDICTS:
        return []
    row = circuits[0]
    fields = {"circuit": asked["circuit"], "continuous": row["continuous"], "load": row["load"]}
    return [words.say(f"circuit_{row['verdict']}", **fields)]


def _needed(supply: Mapping[str, Any], words: Words) -> list[str]:
    rated = supply.get("rated")
    count = supply.get("count") or 1
    return words.maybe("needs", rated=f"{count}× {rated}" if rated and count > 1 else rated)


def _bill(told: Mapping[str, Any], words: Words) -> list[str]:
    energy = told.get("energy") or {}
    keys = {"kwh": "kwh_per_month", "tariff": "tariff_per_kwh", "cost": "monthly_cost"}
    return words.maybe("bill", **{name: energy.get(key) for name, key in keys.items()})


TOPIC = Topic("power", Path(__file__).parent, ("power", "cost"), applies, answer)

"""What it draws, whether supply, circuit and rack carry it, and what the electricity costs."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from assistant.reading.annotation import Ask
from assistant.reading.situation import Situation
from assistant.topics.topic import Calls, SectionTold, Topic
from assistant.writing.arguments import cards_of
from assistant.writing.money.powering import limited, powering, racked
from assistant.writing.setups import Setup, setups
from assistant.writing.words import Words
from tools.agent_tools.ledger import LookedUp

VERDICTS = ("yes", "tight", "no")
STEPS = (0.9, 0.8, 0.7, 0.6)
"""Shares of the board power that are tried as a limit; below, a card loses more speed than watts."""
USUAL_LIMIT = 0.7


def applies(ask: Ask, situation: Situation) -> bool:
    """Power of cards; its cost, where that is asked or power was the matter; how many machines a rack feeds."""
    if not _machines(ask, situation):
        return False
    if ask.ask == "cost":
        return ask.quantity in ("energy", "power") or any(one.ask == "power" for one in situation.standing)
    if ask.ask == "count":
        return ask.quantity in ("nodes", "cards") and bool(
            racked(powering(_machines(ask, situation)[-1], situation, ""))
        )
    return ask.ask == "power" or ask.quantity in ("energy", "power")


def answer(ask: Ask, situation: Situation, calls: Calls, words: Words) -> SectionTold | None:
    """What is at hand judged, else what it draws; what would carry it; the bill where energy is asked or told."""
    setup = _machines(ask, situation)[-1]
    asked = powering(setup, situation, words.language)
    limit = limited(setup, situation)
    one = calls.call("cost", {"what": "power", **asked})
    if one.failed or not one.worked:
        return None
    plan, told = one.worked[-1].result, one.shown
    draws = words.say("draws", **_draw(asked, plan, told))
    fed = "psu" in asked and _new("psu", setup, situation)
    judged = [
        *_rack(asked, told, plan, words),
        *(_supply(asked, plan, words) if fed else []),
        *(_circuit(asked, told, plan, words) if _new("circuit", setup, situation) else []),
    ]
    remedies = _remedies(asked, plan, calls, words) if fed else []
    energy = _energy(ask, asked, told, calls, words, limit)
    if ask.ask == "cost" or ask.quantity == "energy":
        blocks = [*energy, *judged, draws]
    else:
        blocks = [*judged, draws, *remedies, *energy]
    if "psu" not in asked and ask.ask == "power":
        blocks += _needed(told, words)
    if any(row.slot == "psu" for row in situation.unread) or len(setup.every("psu")) > 1:
        blocks.append(words.say("second_supply"))
    return SectionTold(blocks[0], tuple(blocks[1:]), "estimate" if ask.ask == "cost" else "fact")


def _machines(ask: Ask, situation: Situation) -> list[Setup]:
    return [one for one in setups(situation, ask) if cards_of(one)]


def _draw(asked: Mapping[str, str], plan: Mapping[str, Any], told: Mapping[str, Any]) -> dict[str, str]:
    return {
        "cards": _cards(plan), "inside": told["inside_max"], "cards_w": told["cards"], "host_w": told["hosts"],
        "sustained": told["sustained"], "most": told["wall_max"],
    }  # fmt: skip


def _new(slot: str, setup: Setup, situation: Situation) -> bool:
    """Whether what is at hand is to be judged now: it is told, or the cards are, that hang on it."""
    turns = [one.turn for one in (*setup.every(slot), *situation.known) if one.slot == slot]
    cards = [one.turn for one in setup.every("cards")]
    return bool(turns) and max([*turns, *cards]) == situation.turn


def _cards(plan: Mapping[str, Any]) -> str:
    return " + ".join(plan["cards"])


def _supply(asked: Mapping[str, str], plan: Mapping[str, Any], words: Words) -> list[str]:
    supply = plan.get("supply") or {}
    if "psu" not in asked or supply.get("at_hand") not in VERDICTS:
        return []
    fields = {name: f"{supply[name + '_w']:,.0f} W" for name in ("needed", "rated")}
    older = f"{supply['needed_without_atx3_w']:,.0f} W"
    return [words.say(f"supply_{supply['at_hand']}", psu=asked["psu"], cards=_cards(plan), older=older, **fields)]


def _circuit(asked: Mapping[str, str], told: Mapping[str, Any], plan: Mapping[str, Any], words: Words) -> list[str]:
    rows = plan.get("circuits") or []
    shown = told.get("circuits") or [{}]
    if "circuit" not in asked or racked(asked) or not rows or rows[0]["verdict"] not in VERDICTS:
        return []
    row = rows[0]
    own, _, load = asked["circuit"].partition(" + ")
    beside = words.say("beside", load=load) if load else ""
    fields = {
        "circuit": own, "continuous": shown[0]["continuous"], "full": shown[0]["full"],
        "drawn": shown[0]["drawn"], "beside": beside,
    }  # fmt: skip
    said = [words.say(f"circuit_{row['verdict']}", **fields)]
    if limit := row.get("fitting_limit_w"):
        said.append(words.say("circuit_limit", limit=f"{limit:,.0f} W"))
    elif row["verdict"] != "yes":
        said.append(words.say("circuit_more", number=row["needed"]))
    return said


def _rack(asked: Mapping[str, str], told: Mapping[str, Any], plan: Mapping[str, Any], words: Words) -> list[str]:
    """How many machines a rack of so much power feeds."""
    racks = plan.get("racks") or []
    if not racked(asked) or not racks:
        return []
    row = racks[0]
    fields = {"rack": racked(asked), "each": told["node_wall_max"], "cards": _cards(plan)}
    if not row["nodes_per_rack"]:
        return [words.say("rack_none", **fields)]
    return [words.say("rack", number=row["nodes_per_rack"], **fields)]


def _remedies(asked: Mapping[str, str], plan: Mapping[str, Any], calls: Calls, words: Words) -> list[str]:
    """The supply that would do, and the limit of each card with which the one at hand does."""
    supply = plan.get("supply") or {}
    if "psu" not in asked or supply.get("at_hand") not in ("tight", "no"):
        return []
    rated = f"{supply['rated_w']:,.0f} W"
    rated = f"{supply['count']} × {rated}" if supply["count"] > 1 else rated
    psu_w = float(asked["psu"].removesuffix(" W")) if asked["psu"].removesuffix(" W").replace(".", "").isdigit() else 0
    within: tuple[str, LookedUp] | None = None
    for share in STEPS:
        limit = _limit(plan, share)
        other = calls.call("cost", {"what": "power", **asked, "power_limit": limit})
        if other.failed or not other.worked:
            continue
        tried = other.worked[-1].result
        if (tried.get("supply") or {}).get("at_hand") == "yes":
            return [
                words.say("limit_or", rated=rated, limit=limit, watts=limit.removesuffix(" W")),
                *_keeps(other, words),
            ]
        if within is None and tried["inside_max_w"] <= psu_w:
            within = limit, other
    if within is not None:
        limit, other = within
        said = words.say("limit_peaks", rated=rated, limit=limit, watts=limit.removesuffix(" W"))
        return [said, *_keeps(other, words)]
    return [words.say("larger", rated=rated)]


def _keeps(other: LookedUp, words: Words) -> list[str]:
    """What a limit leaves of the speed."""
    effect = other.shown.get("power_limit") or {}
    keeps = _share(str(effect.get("decode", "")))
    return words.maybe("limit_keeps", limit=str(effect.get("limit", "")), keeps=keeps)


def _limit(plan: Mapping[str, Any], share: float) -> str:
    each = plan["cards_w"] / max(1, plan["gpu_count"])
    return f"{round(each * share / 10) * 10:.0f} W"


def _share(text: str) -> str:
    """A share of one in percent."""
    number = text.split(" ")[0]
    return f"{float(number) * 100:.0f} %" if number.replace(".", "", 1).isdigit() else ""


def _needed(told: Mapping[str, Any], words: Words) -> list[str]:
    supply = told.get("supply") or {}
    rated, count = supply.get("rated"), supply.get("count") or 1
    return words.maybe("needs", rated=f"{count}× {rated}" if rated and count > 1 else rated)


def _energy(
    ask: Ask, asked: Mapping[str, str], told: Mapping[str, Any], calls: Calls, words: Words, limit: str | None
) -> list[str]:
    """The month and the year; beside them those with a limit of power, where one is spoken of."""
    about_energy = ask.ask == "cost" or ask.quantity == "energy" or "tariff" in asked or "hours_per_day" in asked
    if not about_energy or not told.get("energy"):
        return []
    said = _bill(told, words, "bill")
    said.append(words.say("assumed_use", hours=asked.get("hours_per_day", "24"), share=_used(asked)))
    if limit == "":
        plain = calls.call("cost", {"what": "power", **asked})
        lower = _limit(plain.worked[-1].result, USUAL_LIMIT)
        other = calls.call("cost", {"what": "power", **asked, "power_limit": lower})
        if not other.failed:
            said += _limited(other, lower, words)
    return said


def _limited(other: LookedUp, limit: str, words: Words) -> list[str]:
    energy = other.shown.get("energy") or {}
    keys = {"kwh": "kwh_per_month", "cost": "monthly_cost"}
    said = words.maybe("bill_limited", limit=limit, **{name: energy.get(key) for name, key in keys.items()})
    return said + _keeps(other, words)


def _used(asked: Mapping[str, str]) -> str:
    share = asked.get("utilisation", "0.7")
    return share if "%" in share else f"{float(share) * 100:g} %"


def _bill(told: Mapping[str, Any], words: Words, name: str) -> list[str]:
    energy = told.get("energy") or {}
    keys: Sequence[tuple[str, str]] = (
        ("kwh", "kwh_per_month"), ("tariff", "tariff_per_kwh"), ("cost", "monthly_cost"), ("year", "yearly_cost"),
    )  # fmt: skip
    said = words.maybe(name, **{key: energy.get(field) for key, field in keys})
    pue = str(energy.get("pue") or "1")
    return said + (words.maybe("pue", pue=pue) if not pue.startswith("1 ") and pue != "1" else [])


TOPIC = Topic("power", Path(__file__).parent, ("power", "cost", "count"), applies, answer)

"""What is to be ordered, and what owning, renting and power are reckoned from, as arguments of the advisor's tools."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from assistant.reading.situation import Known, Situation, Thing
from assistant.writing.arguments import RUNNING, TRAINING, cards_of, methods_of, model_of, money_of, said_card, said_of
from assistant.writing.setups import Setup

LANGUAGE_COUNTRY = {"zh": "CN"}
"""Where people of a language pay for electricity, if they name no country; English is spoken in too many to say."""
LANGUAGE_CURRENCY = {"zh": "CNY"}
"""What prices are told in; it bars nothing, as a country would that they did not name."""
DAILY = frozenset({"nightly", "daily", "every_night", "every_day"})
DAY_S = 86_400
MONEY = frozenset({"tariff", "price", "rent", "hosting", "residual", "horizon", "api_price", "budget"})
IN_FLIGHT = 0.2
"""Share of users whose requests run at a busy moment, as orders reckon it."""
OWN_SITES = frozenset({"on_premises", "home", "office"})
"""Where a machine of one's own stands: who wants it there does not rent."""
BOUGHT = {"buy": "buy", "rent": "rent", "tender": "buy"}
CARD_FEATURES = ("fp8", "bf16", "fp4", "int8", "ecc", "pcie", "sxm", "nvlink")
"""Conditions that the specification of a card tells."""
CONDITIONS = ("new", "consumer", "professional", "ecc", "chinese")
OPPOSITES = {"consumer": "professional", "professional": "consumer", "used": "new"}
"""What is left of cards where a class of them is ruled out."""
OBJECTIVES = frozenset({"cheapest", "fastest", "quietest", "simplest"})
ORDERED = ("concurrent_sequences", "users", "context_tokens", "sequence_tokens", "dataset_tokens")


def ordering(setup: Setup, situation: Situation, language: str) -> dict[str, Any]:
    """Arguments of `configure`: the work, the money, and what may be bought."""
    told = said_of(setup, {**RUNNING, **TRAINING})
    said: dict[str, Any] = {name: value for name, value in told.items() if name in ORDERED}
    said |= model_of(setup, form=False)
    if setup.trains:
        said["task"] = methods_of(setup)
    elif (wanted := setup.one("speed", "wanted")) is not None and wanted.value.get("of") in (None, "tokens"):
        said["target_tokens_per_s"] = f"{wanted.value['per_s'] / _sharing(wanted, said):g}"
    if "model" not in said and (purpose := setup.one("purpose")) is not None:
        said["purpose"] = str(purpose.value or purpose.quote)
    deadline = _one(setup, situation, "duration", "at_most", "wanted")
    if setup.trains and deadline is not None:
        said["deadline"] = f"{deadline.value:.0f} s"
    said |= _bought(setup, situation)
    said.setdefault("currency", LANGUAGE_CURRENCY.get(language, ""))
    return {name: value for name, value in said.items() if value}


def _sharing(wanted: Known, said: Mapping[str, Any]) -> float:
    """Among how many requests at once a speed is shared that all get together."""
    if not wanted.value.get("together"):
        return 1.0
    at_once = said.get("concurrent_sequences") or float(said.get("users") or 1) * IN_FLIGHT
    return max(1.0, float(at_once))


def _bought(setup: Setup, situation: Situation) -> dict[str, Any]:
    """Money, places, conditions and cards."""
    said: dict[str, Any] = {}
    for slot, name in (("budget", "budget"), ("country", "country"), ("provider", "provider")):
        if (found := _one(setup, situation, slot)) is not None:
            said[name] = place_or_money(found)
    budget = _one(setup, situation, "budget")
    got = _one(setup, situation, "acquisition")
    if got is not None and got.value in BOUGHT:
        said["acquisition"] = BOUGHT[got.value]
    elif budget is not None and isinstance(budget.value, Mapping) and not budget.value.get("per"):
        said["acquisition"] = "buy"  # a sum that is there once
    elif (site := _one(setup, situation, "site", "wanted", "have")) is not None and site.value in OWN_SITES:
        said["acquisition"] = "buy"
    elif _one(setup, situation, "privacy") is not None:
        said["acquisition"] = "buy"  # where data may go nowhere else, nothing is rented
    wanted = _cards(setup.machines, "plan", "wanted", "proposed", "mentioned")
    owned = _cards(setup.machines, "have")
    relations = {str(one.value) for thing in situation.things for one in thing.all("relation")}
    if wanted:
        said["cards"] = ", ".join(wanted)
    elif owned and "add" in relations:
        said["owned"] = " + ".join(owned)
    if (most := setup.one("card_count", "at_most", "wanted", "plan")) is not None and isinstance(
        most.value, int | float
    ):
        said["max_cards"] = f"{int(most.value)}"
    if conditions := conditions_of(setup, situation):
        said["conditions"] = conditions
    if (aim := _one(setup, situation, "objective")) is not None and aim.value in OBJECTIVES:
        said["objective"] = str(aim.value)
    return said


def conditions_of(setup: Setup, situation: Situation) -> list[str]:
    """Of what may be bought: conditions that were set, and the class that is left where the other is ruled out."""
    known = [one for one in (*setup.every("condition"), *situation.known) if one.slot == "condition"]
    out = [one.value for one in known if one.stance == "ruled_out"]
    out += [row.get("class") for thing in situation.hardware() for one in thing.all("cards")
            if one.stance == "ruled_out" for row in one.value or ()]  # fmt: skip
    wanted = [str(one.value) for one in known if one.stance in ("wanted", "have") and one.value in CONDITIONS]
    return list(dict.fromkeys([*wanted, *(OPPOSITES[one] for one in out if one in OPPOSITES)]))


def conditions_open(setup: Setup, situation: Situation) -> list[str]:
    """Conditions in the person's words that no catalog tells: invoices, warranties, who may sell."""
    known = [one for one in (*setup.every("condition"), *situation.known) if one.slot == "condition"]
    told = (*CONDITIONS, *CARD_FEATURES, "used")
    return [one.quote for one in known if one.stance == "wanted" and one.value not in told]


def place_or_money(one: Known) -> str:
    """A country by its letters, anything else as tools take it."""
    return str(one.value) if one.slot == "country" and one.value else money_of(one)


def _cards(things: Iterable[Thing], *stances: str) -> list[str]:
    return [said_card(one) for thing in things for one in thing.all("cards") if one.stance in stances]


def _one(setup: Setup, situation: Situation, slot: str, *stances: str) -> Known | None:
    return setup.one(slot, *stances) or situation.one(slot, *stances)  # type: ignore[arg-type]


def owning(found: Sequence[Setup], situation: Situation, language: str) -> dict[str, str]:
    """Arguments of `cost` for owning against renting: the person's own figures, of whichever option they are told."""
    setup = Setup(found[0].work, tuple({thing.id: thing for one in found for thing in one.machines}.values()))
    said = {"cards": cards_of(found[0]) or ""}
    names = (
        ("price", "purchase_price"), ("rent", "rent"), ("hosting", "hosting"), ("tariff", "tariff"),
        ("residual", "residual"), ("horizon", "years"), ("busy_hours", "hours_per_day"), ("duty", "utilisation"),
        ("growth", "growth"), ("country", "country"), ("provider", "provider"), ("pue", "pue"),
    )  # fmt: skip
    for slot, name in names:
        if (known := _one(setup, situation, slot)) is not None:
            said[name] = place_or_money(known)
    running_costs = [one for one in (*setup.every("hosting"), *situation.known) if one.slot == "hosting"]
    if len(running_costs) > 1:  # a second running cost beside the place
        said |= {"hosting": money_of(running_costs[0]), "support": money_of(running_costs[-1])}
    if "purchase_price" in said and ("hosting" in said or "tariff" in said):
        said.setdefault("support", "0%")  # who tells what running costs is not charged for more
    if any(one.value == "owned" for one in setup.every("acquisition")) or _stands(setup, situation, said):
        said["purchase_price"] = f"0 {money_currency(setup, situation)}"  # what is paid for costs no more
    duty = _one(setup, situation, "duty")
    told = duty.value if duty is not None and isinstance(duty.value, Mapping) else {}
    if told.get("hours_per_day"):
        said.setdefault("hours_per_day", f"{told['hours_per_day']:g}")
        said.pop("utilisation", None)
    elif told.get("share"):
        said.setdefault("hours_per_day", f"{24 * told['share']:g}")
    if "hours_per_day" not in said and (hours := _daily_hours(setup)):
        said["hours_per_day"] = hours
    said.setdefault("country", LANGUAGE_COUNTRY.get(language, ""))
    return {name: value for name, value in said.items() if value}


def _stands(setup: Setup, situation: Situation, said: Mapping[str, str]) -> bool:
    """Whether the machine stands at the person's own place and nobody speaks of buying it."""
    site = _one(setup, situation, "site", "have")
    there = any(one.stance == "have" for one in setup.every("cards"))
    bought = any(one.value == "buy" for one in setup.every("acquisition")) or "purchase_price" in said
    return there and not bought and site is not None and site.value in OWN_SITES


def money_currency(setup: Setup, situation: Situation) -> str:
    """The currency in which the person tells their other figures."""
    known = [one for slot in MONEY for one in (*setup.every(slot), *situation.known) if one.slot == slot]
    told = (one.value.get("currency") for one in known if isinstance(one.value, Mapping))
    return str(next(filter(None, told), "USD"))


def _daily_hours(setup: Setup) -> str | None:
    """Hours a day of something that runs every day for so long."""
    often, long = setup.one("frequency"), setup.one("duration", "seen", "have", "expected")
    if often is None or long is None or often.value not in DAILY or not isinstance(long.value, int | float):
        return None
    return f"{long.value / 3600:g}" if long.value <= DAY_S else None

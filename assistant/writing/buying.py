"""What is to be ordered, and what owning, renting and power are reckoned from, as arguments of the advisor's tools."""

from collections.abc import Iterable, Mapping, Sequence

from assistant.reading.situation import Known, Situation, Thing
from assistant.writing.arguments import RUNNING, TRAINING, cards_of, methods_of, model_of, money_of, said_of
from assistant.writing.setups import Setup

LANGUAGE_COUNTRY = {"zh": "CN"}
"""Where people of a language pay for electricity, if they name no country; English is spoken in too many to say."""
LANGUAGE_CURRENCY = {"zh": "CNY"}
"""What prices are told in; it bars nothing, as a country would that they did not name."""
DAILY = frozenset({"nightly", "daily", "every_night", "every_day"})
DAY_S = 86_400
OWN_SITES = frozenset({"on_premises", "home", "office"})
"""Where a machine of one's own stands: who wants it there does not rent."""
ORDERED = ("concurrent_sequences", "users", "context_tokens", "sequence_tokens", "dataset_tokens")


def ordering(setup: Setup, situation: Situation, language: str) -> dict[str, str]:
    """Arguments of `configure`: the work, the money, and what may be bought."""
    said = said_of(setup, {**RUNNING, **TRAINING})
    said = {name: value for name, value in said.items() if name in ORDERED}
    said |= model_of(setup, form=False)
    if setup.trains:
        said["task"] = methods_of(setup)
    elif (wanted := setup.one("speed", "wanted")) is not None and wanted.value.get("of") in (None, "tokens"):
        said["target_tokens_per_s"] = f"{wanted.value['per_s']:g}"
    if "model" not in said and (purpose := setup.one("purpose")) is not None:
        said["purpose"] = str(purpose.value or purpose.quote)
    deadline = _one(setup, situation, "duration", "at_most", "wanted")
    if setup.trains and deadline is not None:
        said["deadline"] = f"{deadline.value:.0f} s"
    said |= _bought(setup, situation)
    said.setdefault("currency", LANGUAGE_CURRENCY.get(language, ""))
    return {name: value for name, value in said.items() if value}


def _bought(setup: Setup, situation: Situation) -> dict[str, str]:
    """Money, places and cards."""
    said: dict[str, str] = {}
    for slot, name in (("budget", "budget"), ("country", "country"), ("provider", "provider")):
        if (found := _one(setup, situation, slot)) is not None:
            said[name] = money_of(found)
    if (got := _one(setup, situation, "acquisition")) is not None and got.value in ("buy", "rent"):
        said["acquisition"] = str(got.value)
    elif (site := _one(setup, situation, "site", "wanted", "have")) is not None and site.value in OWN_SITES:
        said["acquisition"] = "buy"
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
    return said


def _cards(things: Iterable[Thing], *stances: str) -> list[str]:
    return [one.quote for thing in things for one in thing.all("cards") if one.stance in stances]


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
            said[name] = money_of(known)
    running_costs = [one for one in (*setup.every("hosting"), *situation.known) if one.slot == "hosting"]
    if len(running_costs) > 1:  # a second running cost beside the place
        said |= {"hosting": money_of(running_costs[0]), "support": money_of(running_costs[-1])}
    if any(one.value == "owned" for one in setup.every("acquisition")):
        said["purchase_price"] = f"0 {money_currency(said)}"  # what is paid for costs no more
    share = _one(setup, situation, "duty")
    busy = share.value.get("share") if share is not None and isinstance(share.value, Mapping) else None
    if "hours_per_day" not in said and busy:
        said["hours_per_day"] = f"{24 * busy:g}"
    if "hours_per_day" not in said and (hours := _daily_hours(setup)):
        said["hours_per_day"] = hours
    said.setdefault("country", LANGUAGE_COUNTRY.get(language, ""))
    return {name: value for name, value in said.items() if value}


def money_currency(said: Mapping[str, str]) -> str:
    """The currency in which the person tells their other figures."""
    told = " ".join(said.get(name, "") for name in ("rent", "tariff", "hosting"))
    return next((code for code in ("CNY", "EUR", "GBP", "JPY", "KRW") if code in told), "USD")


def _daily_hours(setup: Setup) -> str | None:
    """Hours a day of something that runs every day for so long."""
    often, long = setup.one("frequency"), setup.one("duration", "seen", "have", "expected")
    if often is None or long is None or often.value not in DAILY or not isinstance(long.value, int | float):
        return None
    return f"{long.value / 3600:g}" if long.value <= DAY_S else None

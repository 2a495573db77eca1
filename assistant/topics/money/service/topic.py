"""A model service's bill against cards, owned or rented: what they cost for the same tokens, and when they pay."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from assistant.reading.annotation import Ask
from assistant.reading.situation import Known, Situation
from assistant.topics.topic import Calls, SectionTold, Topic
from assistant.writing.arguments import cards_of, in_figures, model_of
from assistant.writing.money.buying import ordering, owning
from assistant.writing.money.orders import orders
from assistant.writing.setups import Setup, setups
from assistant.writing.words import Words
from kb.market.rates import convert

ASKS = ("break_even", "buy_or_rent", "cost", "worth", "compare", "check", "which_hardware")
OFFICE = "240 h"
"""Hours of a month that is worked eight hours a day."""
MOST_A_MILLION_USD = 200
"""What no service asks for a million tokens: a price above it is a month's bill."""
PERIODS = ("hour", "day", "month", "year")
MANY = "32"
"""Requests at once that a service is reckoned for."""
KEPT = ("cards", "purchase_price", "rent", "hosting", "tariff", "years", "country", "residual")


def applies(ask: Ask, situation: Situation) -> bool:
    """Tokens of a period or the price of a service, a model, and cards in its place."""
    if ask.ask in ("check", "compare", "which_hardware") and ask.quantity not in ("price",):
        return False
    found = [one for one in setups(situation, ask) if one.work is not None]
    return bool(found) and bool(_tokens(found[0], situation)) and _price(found[0], situation) is not None


def answer(ask: Ask, situation: Situation, calls: Calls, words: Words) -> SectionTold | None:
    """The month on both sides, how busy the cards are by it, what peaks do to that, and the price of a million."""
    found = [one for one in setups(situation, ask) if one.work is not None]
    setup = next((one for one in found if cards_of(one)), found[0])
    price = _price(setup, situation)
    assert price is not None  # noqa: S101 - `applies` has seen to it
    billed = _billed(price)
    held = owning([setup], situation, words.language)
    asked = {name: held[name] for name in KEPT if name in held} | model_of(setup, form=False)
    asked.setdefault("cards", "")
    if not asked["cards"] and not _ordered(setup, situation, asked, calls, words):
        return None
    asked["model"] = _with_format(setup, asked, calls)
    asked["tokens_per_month"] = " + ".join(one.quote for one in _tokens(setup, situation))
    if not billed:
        prices = _prices(setup, situation)
        alone = len(prices) == 1 and isinstance(price.value, Mapping)
        asked["api_price"] = (
            f"{price.value['amount']:g} {price.value['currency']}" if alone else " + ".join(one.quote for one in prices)
        )
    one = calls.call("cost", {"what": "tokens", **asked})
    volume: Mapping[str, Any] = one.shown.get("volume") or {}
    if one.failed or not volume:
        return None
    mine = "rent_monthly_cost" if "rent" in asked and volume.get("rent_monthly_cost") else "own_monthly_cost"
    theirs = price.quote if billed else str(volume.get("api_monthly_cost", ""))
    copies = int(volume.get("copies") or 1)
    cards = f"{copies} × ({asked['cards']})" if copies > 1 else asked["cards"]
    fields = {"cards": cards, "mine": str(volume.get(mine, "")), "theirs": theirs}
    if not fields["mine"] or not theirs:
        return None
    name = "rented" if mine.startswith("rent") else "owned"
    less, even = _less(one.key, mine, price, billed, calls, words)
    lead, load = words.say(name, **fields) + less, [*even, *_load(one.shown, volume, calls, words)]
    if ask.ask == "break_even" and even:
        lead, load = load[0], [lead, *load[1:]]
    return SectionTold(lead, (*load, words.say("besides")), "estimate")


def _billed(price: Known) -> bool:
    """Whether the price is a bill: said of a time, or more than anybody asks for a million tokens."""
    value = price.value if isinstance(price.value, Mapping) else {}
    if value.get("per"):
        return value["per"] in PERIODS
    usd = convert(value.get("amount", 0), str(value.get("currency", "USD")), "USD")
    return float(usd) > MOST_A_MILLION_USD


def _bill(price: Known) -> str:
    """A bill in figures, of a month where no time was said."""
    said = in_figures(price)
    return said if "/" in said else f"{said}/month"


def _less(key: str, mine: str, price: Known, billed: bool, calls: Calls, words: Words) -> tuple[str, list[str]]:
    """By how much one is under the other, and at which share of these tokens they are even."""
    values = {
        "mine": f"{key}.volume.{mine}",
        "theirs": _bill(price) if billed else f"{key}.volume.api_monthly_cost",
    }
    found = calls.call("work_out", {"expression": "1 - mine / theirs", "values": values, "unit": "%"})
    even = calls.call("work_out", {"expression": "mine / theirs", "values": values, "unit": "%"})
    if found.failed or even.failed:
        return "", []
    share = str(found.shown["value"]).split(" (")[0]
    said = words.say("dearer" if share.startswith("-") else "less", share=share.lstrip("-"))
    return said, [words.say("even", even=str(even.shown["value"]).split(" (")[0])]


def _ordered(setup: Setup, situation: Situation, asked: dict[str, str], calls: Calls, words: Words) -> bool:
    """Cards for the work where none were named: what is cheapest to rent for it."""
    one = calls.call("configure", {**ordering(setup, situation, words.language), "acquisition": "rent"})
    first = next(iter(orders(one, how="rent")), None) if not one.failed else None
    if first is None:
        return False
    asked["cards"] = f"{first['gpu_count']}x {first['gpu_name']}"
    asked["rent"] = str((first.get("price") or {}).get("amount", ""))
    return True


def _with_format(setup: Setup, asked: Mapping[str, str], calls: Calls) -> str:
    """The model in the format that serves many at once on these cards best, where none was said."""
    said = model_of(setup)
    if said.get("weight_format"):
        return f"{said['model']} {said['weight_format'].removeprefix('gguf:')}"
    load = {"cards": asked["cards"], "model": asked["model"], "concurrent_sequences": MANY, "engine": "vllm"}
    one = calls.call("find_ways_to_run", dict(load))
    way: Mapping[str, Any] = (
        next(iter(one.worked[-1].result.get("ways", [])), {}) if not one.failed and one.worked else {}
    )
    form = str(way.get("weight_format") or "")
    return f"{asked['model']} {form}" if form and not form.startswith("gguf:") else asked["model"]


def _load(shown: Mapping[str, Any], volume: Mapping[str, Any], calls: Calls, words: Words) -> list[str]:
    """How long the cards work for a month's tokens; how many of the sets it takes where all falls into office hours."""
    tokens = shown.get("tokens") or {}
    said = words.maybe("busy", rate=tokens.get("tokens_per_s_total"), tokens=volume.get("tokens_per_month"),
                       busy=volume.get("busy"), hours=volume.get("hours_needed"))  # fmt: skip
    sets = calls.call("work_out", {
        "expression": "hours / office", "values": {"hours": f"{volume.get('hours_needed')} h", "office": OFFICE},
        "unit": "ratio",
    })  # fmt: skip
    if not sets.failed:
        said.append(words.say("office", sets=str(sets.shown["value"])))
    million = tokens.get("rent_million_cost") or tokens.get("own_million_cost")
    return [*said, *words.maybe("million", million=million)]


def _known(setup: Setup, situation: Situation, slot: str) -> list[Known]:
    return [*setup.every(slot), *(one for one in situation.known if one.slot == slot)]


def _tokens(setup: Setup, situation: Situation) -> list[Known]:
    return _known(setup, situation, "tokens_per_period")


def _prices(setup: Setup, situation: Situation) -> list[Known]:
    return _known(setup, situation, "api_price")


def _price(setup: Setup, situation: Situation) -> Known | None:
    return next(iter(_prices(setup, situation)), None)


TOPIC = Topic("service", Path(__file__).parent, ASKS, applies, answer)

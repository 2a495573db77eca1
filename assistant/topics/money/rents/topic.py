"""Two rents that were told, against each other: of two machines for one work, or of one machine in two ways."""

from pathlib import Path
from typing import Any, NamedTuple

from assistant.reading.annotation import Ask
from assistant.reading.situation import Known, Situation, Thing
from assistant.topics.topic import Calls, SectionTold, Topic
from assistant.writing.arguments import cards_of, in_figures, money_of
from assistant.writing.money.renting import rented
from assistant.writing.options import Option, worked
from assistant.writing.setups import Setup
from assistant.writing.words import Words

ASKS = ("break_even", "buy_or_rent", "cost", "worth", "compare", "which_hardware")


class _Rented(NamedTuple):
    """A machine with its rent."""

    name: str
    rent: Known
    monthly: str
    option: Option | None


def applies(ask: Ask, situation: Situation) -> bool:
    """Two machines, each with a rent of its own."""
    if ask.ask == "cost" and all(one.trains and _data(one) for one, _, _ in rented(ask, situation)):
        return False  # what a training costs is its hours
    return ask.quantity not in ("links", "software", "feature") and len(rented(ask, situation)) > 1


def answer(ask: Ask, situation: Situation, calls: Calls, words: Words) -> SectionTold | None:
    """From which share of the other's speed on the cheaper wins, the month of each, what each is expected to do."""
    told = [_told(*one, situation, calls, words) for one in rented(ask, situation)[:2]]
    told.sort(key=lambda one: _amount(one.rent))
    low, high = told
    share = calls.call("work_out", {
        "expression": "low / high", "values": {"low": in_figures(low.rent), "high": in_figures(high.rent)}, "unit": "%",
    })  # fmt: skip
    if share.failed:
        return None
    lead = words.say("even", low=low.name, high=high.name, share=share.shown["value"],
                     low_rent=low.rent.quote, high_rent=high.rent.quote)  # fmt: skip
    months = [words.say("month_of", name=one.name, monthly=one.monthly) for one in told if one.monthly]
    lines = [words.say("month", rows=words.listed(months))] if len(months) == len(told) else []
    return SectionTold(lead, (*lines, *_expected(low, high, words), words.say("measure")), "estimate")


def _data(setup: Setup) -> bool:
    """Whether it was told how much there is to train on."""
    return bool(setup.every("data_tokens") or setup.every("samples"))


def _told(setup: Setup, thing: Thing, rent: Known, situation: Situation, calls: Calls, words: Words) -> _Rented:
    name = cards_of(setup) or ""
    cost = calls.call("cost", {"what": "own_or_rent", "cards": name, "rent": money_of(rent)})
    row: dict[str, Any] = next(iter(cost.shown.get("rent") or []), {}) if not cost.failed else {}
    option = worked(setup, situation, calls.call, words) if setup.work is not None else None
    return _Rented(name, rent, str(row.get("monthly_cost", "")), option)


def _amount(rent: Known) -> float:
    return float(rent.value["amount"]) if isinstance(rent.value, dict) else 0.0


def _expected(low: _Rented, high: _Rented, words: Words) -> list[str]:
    """What the work is expected to do on each, and whether it fits."""
    rows = []
    for one in (low, high):
        if one.option is None:
            continue
        if not one.option.fits:
            rows.append(words.say("holds_not", name=one.name, model=one.option.model))
        else:
            rows += words.maybe("does", name=one.name, model=one.option.model, how=one.option.how,
                                needed=one.option.needed, usable=one.option.usable, rate=one.option.rate)  # fmt: skip
    return ["\n".join(f"- {row}" for row in rows)] if rows else []


TOPIC = Topic("rents", Path(__file__).parent, ASKS, applies, answer)

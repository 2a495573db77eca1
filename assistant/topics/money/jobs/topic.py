"""What a job costs at the rents that were told: once or every night, and what interruptions add to it."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from assistant.reading.annotation import Ask
from assistant.reading.situation import Known, Situation
from assistant.topics.topic import Calls, SectionTold, Topic
from assistant.writing.arguments import cards_of, in_figures
from assistant.writing.money.buying import DAILY
from assistant.writing.money.renting import rented
from assistant.writing.setups import Setup
from assistant.writing.words import Words
from kb.catalog import gpus
from tools.agent_tools.ledger import LookedUp

ASKS = ("cost", "worth", "plan", "duration", "buy_or_rent")
NIGHTS = "30"
"""Runs a month of what runs every day."""
DAY_S, HOUR_S = 86_400.0, 3600.0
SHORT_S = HOUR_S
"""Up to this long a duration beside a job is that of a checkpoint or a restart."""
STANCES = ("have", "seen", "expected", "plan")


class _Job(NamedTuple):
    """How long a job takes, how often it runs, and what breaks it."""

    hours: Known
    short: tuple[Known, ...]
    """A checkpoint, then a restart, in the order in which they were told."""
    nightly: bool


class _Priced(NamedTuple):
    """A job at a rent."""

    name: str
    rent: Known
    wall: LookedUp | None
    """Time it takes with its interruptions; None where nothing interrupts it."""
    every: LookedUp | None
    """How often to write a checkpoint."""
    cost: LookedUp


def applies(ask: Ask, situation: Situation) -> bool:
    """A rent that was told, and a job whose hours were."""
    found = rented(ask, situation)
    if not found or (ask.ask == "worth" and ask.quantity not in (None, "price", "duration")):
        return False
    return _job([setup for setup, _, _ in found], situation) is not None


def answer(ask: Ask, situation: Situation, calls: Calls, words: Words) -> SectionTold | None:
    """What was asked of the job at each rent: the sum, the time with interruptions, how often to save."""
    found = rented(ask, situation)[:3]
    job = _job([setup for setup, _, _ in found], situation)
    priced = [one for setup, _, rent in found if job and (one := _at(setup, rent, job, calls)) is not None]
    if job is None or not priced:
        return None
    priced.sort(key=lambda one: one.wall is not None)  # what nothing interrupts first
    broken = next((one for one in priced if one.wall is not None), None)
    kind = "month" if job.nightly else "once"
    sums = [words.say(f"sum_{kind}", name=one.name, cost=one.cost.shown["value"]) for one in priced]
    said = words.say("sums", rows=words.listed(sums))
    saved = _saved(priced, calls, words)
    lines = []
    if broken is not None and broken.every is not None and broken.wall is not None:
        save = words.say("save", every=broken.every.shown["value"], name=broken.name)
        wall = words.say("wall", wall=broken.wall.shown["value"], hours=job.hours.quote, name=broken.name)
        lines = {"plan": [save, wall, said, *saved], "duration": [wall, save, said, *saved]}.get(
            ask.ask, [*saved, said, wall, save] if ask.ask == "worth" else [said, *saved, wall, save]
        )
        lines += [words.say("without")]
    else:
        lines = [*saved, said] if ask.ask == "worth" and saved else [said, *saved]
    steps = "; ".join(str(one.cost.shown["steps"]) for one in priced)
    return SectionTold(lines[0], (*lines[1:], words.say("steps", steps=steps)), "estimate")


def _job(found: Sequence[Setup], situation: Situation) -> _Job | None:
    machines = {thing.id: thing for setup in found for thing in setup.machines}
    works = {setup.work.id: setup.work for setup in found if setup.work} or {one.id: one for one in situation.works()}
    things = (*machines.values(), *works.values())
    told = [one for thing in things[::-1] for one in thing.all("duration") if one.stance in STANCES]
    told = sorted((one for one in told if isinstance(one.value, int | float)), key=lambda one: one.turn)
    whole = [one for one in told if float(one.value) >= SHORT_S]
    if not whole:
        return None
    often = [one for thing in things for one in thing.all("frequency")]
    nightly = any(one.value in DAILY for one in often) and float(whole[-1].value) <= DAY_S
    return _Job(whole[-1], tuple(one for one in told if float(one.value) < SHORT_S), nightly)


def _at(setup: Setup, rent: Known, job: _Job, calls: Calls) -> _Priced | None:
    """The job at one rent, with what interruptions of that machine add."""
    got = next((one for one in reversed(setup.every("acquisition"))), None)
    name = f"{cards_of(setup)} {got.quote}" if got is not None else str(cards_of(setup))
    broken = next((one for one in setup.every("interruption") if isinstance(one.value, dict)), None)
    every = wall = None
    hours = _hours(job.hours)
    if broken is not None and "share" in broken.value:
        lost = f"{broken.value['share'] * 100:g} %"
        wall = calls.call("work_out", {
            "expression": "hours * (1 + lost)", "values": {"hours": hours, "lost": lost}, "unit": "h",
        })  # fmt: skip
    elif broken is not None and len(job.short) > 1:
        every, wall = _interrupted(hours, job, broken, calls)
    factors = {"hours": f"{wall.key}.value" if wall and not wall.failed else hours, "rent": in_figures(rent)}
    counts = {"cards": str(_cards(setup))} if _each_card(rent, setup) else {}
    counts |= {"runs": NIGHTS} if job.nightly else {}
    cost = calls.call("work_out", {
        "expression": " * ".join((*factors, *counts)), "values": {**factors, **counts}, "unit": _currency(rent),
    })  # fmt: skip
    if cost.failed or (wall is not None and wall.failed):
        return None
    return _Priced(name, rent, wall, every, cost)


def _interrupted(hours: str, job: _Job, broken: Known, calls: Calls) -> tuple[LookedUp, LookedUp]:
    """How often to save, and how long it takes then (Young's interval, doi:10.1145/361147.361115).

    interval = √(2 · checkpoint · time between interruptions)
    wall = hours · (1 + checkpoint / interval) / (1 − (interval / 2 + checkpoint + restart) / between)
    """
    save, again = (f"{float(one.value) / 60:g} min" for one in job.short[:2])
    between = f"{broken.value['every_s'] / HOUR_S:g} h"
    every = calls.call("work_out", {
        "expression": "sqrt(2 * save * between)", "values": {"save": save, "between": between}, "unit": "min",
    })  # fmt: skip
    wall = calls.call("work_out", {
        "expression": "hours * (1 + save / every) / (1 - (every / 2 + save + again) / between)",
        "values": {"hours": hours, "save": save, "every": f"{every.key}.value", "again": again, "between": between},
        "unit": "h",
    })  # fmt: skip
    return every, wall


def _saved(priced: list[_Priced], calls: Calls, words: Words) -> list[str]:
    """How much less the cheapest costs than the dearest."""
    if len(priced) < 2:
        return []
    first, second = priced[0], priced[-1]
    one = calls.call("work_out", {
        "expression": "1 - second / first",
        "values": {"first": f"{first.cost.key}.value", "second": f"{second.cost.key}.value"}, "unit": "%",
    })  # fmt: skip
    if one.failed:
        return []
    share = str(one.shown["value"])
    name = "dearer" if share.startswith("-") else "saves"
    return [words.say(name, name=second.name, other=first.name, share=share.lstrip("-"))]


def _hours(one: Known) -> str:
    return f"{float(one.value) / HOUR_S:g} h"


def _cards(setup: Setup) -> int:
    rows = [row for one in setup.every("cards") for row in one.value or () if row.get("gpu") in gpus()]
    return int(rows[-1].get("count") or 1) if rows else 1


def _each_card(rent: Known, setup: Setup) -> bool:
    """Whether the rent is of each card, of which there are several."""
    return _cards(setup) > 1 and isinstance(rent.value, dict) and rent.value.get("each") not in (None, "machine")


def _currency(rent: Known) -> str:
    return str(rent.value.get("currency") or "USD") if isinstance(rent.value, dict) else "USD"


TOPIC = Topic("jobs", Path(__file__).parent, ASKS, applies, answer)

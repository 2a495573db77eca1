"""How many cards a work takes: of a kind that is named, or of usual ones; by each format or method, at its load."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from assistant.reading.annotation import Ask
from assistant.reading.situation import Situation
from assistant.topics.topic import Calls, SectionTold, Topic
from assistant.writing.accounts.cards import told_mixture
from assistant.writing.accounts.classes import sizes_that_fit
from assistant.writing.accounts.needs import needed
from assistant.writing.accounts.read_as import told_names, told_pages
from assistant.writing.accounts.worked.arrivals import Arrivals, arrivals
from assistant.writing.accounts.worked.counting import Counted, run_counts, told_answer, train_counts
from assistant.writing.arguments import running, training
from assistant.writing.setups import THOUGHT_OF, Setup, setups
from assistant.writing.words import Words
from kb.catalog import gpus

USUAL = ("NVIDIA A100 SXM4 80GB", "NVIDIA L40S", "GeForce RTX 4090")
"""Cards over which it is told where none is named: one of each class that is bought and rented."""
TARGETS = ("target_answer", "target_first_token", "target_tokens_per_s")
FAST = ("NVIDIA H100 SXM5 80GB",)
"""Tried besides where a wait or a pace is wanted."""
MACHINE = ("cards", "nodes", "memory_taken", "host_memory", "link")


def applies(ask: Ask, situation: Situation) -> bool:
    """Cards or machines, or nothing said of what."""
    return ask.quantity in (None, "cards", "nodes", "memory", "all")


def answer(ask: Ask, situation: Situation, calls: Calls, words: Words) -> SectionTold | None:
    """The fewest cards that hold it at its load, the next cheaper way, and what each takes."""
    found = setups(situation, ask)
    named = [one for one in found if one.work is not None]
    if not named:
        told = sizes_that_fit(found[0] if found else Setup(None, ()), situation, calls.call, words)
        return None if told is None else SectionTold(told.lead, (*told.lines, words.say("question_load")), "estimate")
    cards = _cards(ask, situation)
    counted = [one for setup in _works(named) for one in _counted(setup, situation, cards, calls, words)]
    missed = [] if counted else _without_targets(named[0], situation, cards, calls, words)
    counted = counted or missed
    leads = [one.said for one in counted]
    if not leads:
        told = needed(named[0], situation, calls.call, words)
        return None if told is None else SectionTold(told.lead, told.lines, "estimate")
    lines = list(_following(ask, situation, named, counted, calls, words))
    others = ("\n".join(f"- {said}" for said in dict.fromkeys(leads[1:])),) if leads[1:] else ()
    return SectionTold(leads[0], (*others, *lines), "recommendation")


def _works(found: list[Setup]) -> list[Setup]:
    return list({one.work.id: one for one in found if one.work is not None}.values())


def _cards(ask: Ask, situation: Situation) -> list[str]:
    """The kinds of cards that are named, as the catalog calls them."""
    about = [one for one in situation.about(ask) if one.what == "hardware" and one.all("cards")]
    things = about or list(situation.hardware())
    said = [one for thing in things for one in thing.all("cards") if one.stance in (*THOUGHT_OF, "formerly")]
    rows = [row for one in said for row in one.value or () if row.get("gpu") in gpus()]
    return list(dict.fromkeys(gpus()[row["gpu"]].name for row in rows))[:2]


def _counted(setup: Setup, situation: Situation, cards: list[str], calls: Calls, words: Words) -> Iterator[Counted]:
    """The fewest of each kind, by format or by method."""
    kinds: list[str] = cards or list(USUAL)
    if setup.trains:
        asked = _bare(training(setup, situation))
        for card in kinds if cards else kinds[:1]:
            yield from train_counts(asked, card, setup, calls.call, words, brief=not cards)
        return
    asked = _bare(running(setup, situation))
    load = arrivals(setup)
    if not cards and any(name in asked for name in TARGETS):
        kinds = [*FAST, *kinds]
    for card in kinds:
        yield from run_counts(asked, card, load, calls.call, words, brief=not cards)


def _without_targets(setup: Setup, situation: Situation, cards: list[str], calls: Calls, words: Words) -> list[Counted]:
    """What holds the load where nothing keeps the wait or the pace that was wanted, and how far off that is."""
    asked = _bare(running(setup, situation)) if not setup.trains else {}
    targets = [asked.pop(name) for name in TARGETS if name in asked]
    if not targets:
        return []
    found: list[Counted] = []
    for card in cards or USUAL[:1]:
        for one in run_counts(asked, card, arrivals(setup), calls.call, words, brief=not cards):
            took = told_answer(one.result)
            said = words.maybe("target_never", target=words.listed(targets), card=card, took=took)
            found.append(one._replace(said=" ".join([*said, one.said]) if said and not found else one.said))
    return found


def _bare(asked: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in asked.items() if name not in MACHINE}


def _following(
    ask: Ask, situation: Situation, named: list[Setup], counted: list[Counted], calls: Calls, words: Words
) -> Iterator[str]:
    setup = named[0]
    yield from told_names(setup, words)
    yield from told_pages(setup, words)
    load: Arrivals | None = arrivals(setup)
    if load is not None:
        yield words.say("arriving", **load.told)
    for one in counted[:1]:
        yield from one.lines
        yield from told_mixture(one.result, calls.call, words)
    known = [one for thing in situation.hardware() for one in thing.all("cpu") if one.stance in THOUGHT_OF]
    if known and not _cards(ask, situation):
        yield words.say("question_accelerator", cpu=known[-1].quote)
    elif not _cards(ask, situation):
        yield words.say("question_card")
    if not setup.trains and load is None and not any(setup.every(slot) for slot in ("users", "concurrent", "rate")):
        yield words.say("question_load")


TOPIC = Topic("count", Path(__file__).parent, ("count",), applies, answer)

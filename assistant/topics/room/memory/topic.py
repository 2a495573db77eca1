"""How much memory a work takes, run or trained, with or without a machine in mind."""

from pathlib import Path
from typing import Any

from assistant.answer import AnswerVerdict
from assistant.reading.annotation import Ask
from assistant.reading.situation import Situation, Thing
from assistant.topics.topic import Calls, SectionTold, Topic
from assistant.writing.accounts.classes import sizes_that_fit
from assistant.writing.accounts.needs import needed
from assistant.writing.accounts.read_as import told_names
from assistant.writing.accounts.run import Told, told_run
from assistant.writing.accounts.sentences import sentences, whole
from assistant.writing.accounts.train import told_train
from assistant.writing.accounts.worked.reckoning import times_as_much
from assistant.writing.arguments import running, training
from assistant.writing.setups import Setup, setups
from assistant.writing.ways import ways
from assistant.writing.words import Words
from tools.ways_to_run.tell.words import format_name

VERDICTS: dict[str, AnswerVerdict] = {
    "fits": "fits", "fits_with_changes": "fits_with_changes", "does_not_fit": "does_not_fit",
}  # fmt: skip


def applies(ask: Ask, situation: Situation) -> bool:
    """Always: without a model it tells usual sizes."""
    return True


def answer(ask: Ask, situation: Situation, calls: Calls, words: Words) -> SectionTold | None:
    """The memory in each usual format or by each method; on a machine, whether that is there; beside a yardstick."""
    found = setups(situation, ask)
    if not found or found[0].work is None:
        told = sizes_that_fit(found[0] if found else Setup(None, ()), situation, calls.call, words)
        return None if told is None else SectionTold(told.lead, told.lines, "estimate")
    alone = [one for setup in _works(found) if (one := needed(setup, situation, calls.call, words)) is not None]
    if not alone:
        return None
    first, kind = alone[0], "estimate"
    lines = [*told_names(found[0], words), *first.lines, *_beside(ask, situation, found[0], alone, calls, words)]
    lines[:0] = [one.lead for one in alone[1:]]
    if found[0].machines:
        on_cards = _there(found[0], situation, calls, words)
        if on_cards is not None:
            kind = on_cards.verdict
            lines[:0] = [on_cards.lead, *on_cards.lines[:3]]
    return SectionTold(first.lead, tuple(dict.fromkeys(lines)), VERDICTS.get(kind, "estimate"))


def _works(found: list[Setup]) -> list[Setup]:
    """Each work once, whatever the machines."""
    return list({id(one.work): one for one in found}.values())


def _there(setup: Setup, situation: Situation, calls: Calls, words: Words) -> Told | None:
    """What it takes on the machine that was named."""
    if setup.trains:
        one = calls.call("find_ways_to_train", dict(training(setup, situation)))
        return None if one.failed else told_train(one, calls.call, words)
    one = calls.call("find_ways_to_run", dict(running(setup, situation)))
    best = [] if one.failed else ways(one, words)
    if not best:
        return None if one.failed else told_run(one, calls.call, words)
    per_card = words.say("on_cards", **best[0].fields)
    load = sentences(words).say("assumed_load", **best[0].fields)
    return Told(per_card, (load,), str(whole(one)["answer"]["verdict"]))


def _beside(ask: Ask, situation: Situation, setup: Setup, alone: list[Told], calls: Calls, words: Words) -> list[str]:
    """The same of a model that the ask holds it against, and how many times as much it is."""
    lines: list[str] = []
    for thing in _yardsticks(ask, situation, setup):
        other = Setup(_as_have(thing), ())
        asked: dict[str, Any] = running(other, situation)
        if "model" not in asked:
            continue
        mine, theirs = (
            calls.call("find_ways_to_run", {"model": model, **_form(setup, situation)})
            for model in (running(setup, situation).get("model"), asked["model"])
        )
        if mine.failed or theirs.failed or not theirs.shown.get("needs"):
            continue
        ratio, row = times_as_much(mine, theirs, "needs[0].total", calls.call), theirs.shown["needs"][0]
        form = format_name(str(row["weight_format"]))
        lines += words.maybe("beside", model=asked["model"], total=row["total"], ratio=ratio, format=form)
    return lines


def _form(setup: Setup, situation: Situation) -> dict[str, str]:
    form = running(setup, situation).get("weight_format")
    return {"weight_format": form} if form else {}


def _yardsticks(ask: Ask, situation: Situation, setup: Setup) -> list[Thing]:
    """Works that are only there to compare with."""
    return [
        one
        for one in situation.about(ask)
        if one.what == "work" and setup.work is not None and one.id != setup.work.id
        and any(known.stance in ("elsewhere", "mentioned") for known in one.all("model"))
    ]  # fmt: skip


def _as_have(thing: Thing) -> Thing:
    """The same thing as one that counts."""
    known = tuple(one.model_copy(update={"stance": "have"}) for one in thing.known)
    return thing.model_copy(update={"known": known})


TOPIC = Topic("memory", Path(__file__).parent, ("memory",), applies, answer)

"""Does it fit, and how: one setup after the other, the first in full; what is run and what is trained."""

from pathlib import Path
from typing import Any

from assistant.answer import AnswerVerdict
from assistant.reading.annotation import Ask
from assistant.reading.situation import Situation
from assistant.topics.topic import Calls, SectionTold, Topic
from assistant.writing.accounts.cards import told_pool
from assistant.writing.accounts.classes import pairs, sizes_that_fit
from assistant.writing.accounts.needs import needed
from assistant.writing.accounts.person import judged, own_memory
from assistant.writing.accounts.run import Told, told_run
from assistant.writing.accounts.sentences import whole
from assistant.writing.accounts.train import told_train
from assistant.writing.arguments import running, training
from assistant.writing.setups import Setup, setups
from assistant.writing.words import Words
from tools.agent_tools.ledger import LookedUp

VERDICTS: dict[str, AnswerVerdict] = {
    "fits": "fits", "fits_with_changes": "fits_with_changes", "does_not_fit": "does_not_fit",
}  # fmt: skip


def applies(ask: Ask, situation: Situation) -> bool:
    """Always: without a model it says which sizes fit, without cards what is needed."""
    return True


def answer(ask: Ask, situation: Situation, calls: Calls, words: Words) -> SectionTold | None:
    """Whether each setup holds it, with the way, its speed and limits, and what would change it."""
    found = setups(situation, ask)
    if not found or found[0].work is None or not found[0].work.all("model"):
        return _nameless(found, situation, calls, words)
    if not any(one.machines for one in found):
        alone = needed(found[0], situation, calls.call, words)
        return None if alone is None else SectionTold(alone.lead, alone.lines, "estimate")
    told = [one for one in _told(found, situation, calls, words) if one is not None]
    if not told:
        return None
    first = told[0]
    lines = [*first.lines, *(line for one in told[1:] for line in (one.lead, *one.lines))]
    return SectionTold(first.lead, tuple(dict.fromkeys(lines)), VERDICTS.get(first.verdict, "estimate"))


def _told(found: list[Setup], situation: Situation, calls: Calls, words: Words) -> list[Told | None]:
    run = [one for one in found if not one.trains]
    asked = _asked(run, situation)
    told: list[Told | None] = []
    for setup in found:
        brief = bool(told)
        if setup.trains:
            one = calls.call("find_ways_to_train", dict(training(setup, situation)))
            told.append(None if one.failed else told_train(one, calls.call, words, brief=brief))
        elif asked:
            one = calls.call("find_ways_to_run", asked.pop(0))
            told.append(_run(one, setup, situation, calls, words, brief=brief))
    return told


def _run(
    one: LookedUp, setup: Setup, situation: Situation, calls: Calls, words: Words, *, brief: bool
) -> Told | None:
    """One result, with the person's own figure beside it."""
    if one.failed:
        return None
    if whole(one).get("together"):
        return pairs(one, words)
    told = told_run(one, calls.call, words, brief=brief)
    things = [*setup.machines, *([setup.work] if setup.work else [])]
    own = own_memory(situation, things)
    rows = whole(one).get("ways", [])
    needed = (rows[0].get("memory") or {}).get("weights_bytes") if rows else None
    said = judged(own, needed, words) if own and needed and not setup.every("total_memory") else []
    pooled = told_pool(one, words) if setup.every("total_memory") or setup.every("claim") else []
    return told._replace(lines=tuple(dict.fromkeys([*said, *pooled, *told.lines])))


def _asked(found: list[Setup], situation: Situation) -> list[dict[str, Any]]:
    """A request a setup; models that are all there, on one machine, are asked for together."""
    beside = [one for one in found if one.work is not None and one.work.one("model", "have") is not None]
    together = (
        len(found) > 1
        and len({tuple(thing.id for thing in one.machines) for one in found}) == 1
        and len(beside) == len(found)
    )
    if not together or not _at_once(found, situation):
        return [dict(running(one, situation)) for one in found]
    each = [running(one, situation) for one in found]
    works = [" ".join(filter(None, (one.get("model"), one.pop("weight_format", None)))) for one in each]
    return [{**{name: value for name, value in each[0].items() if name != "model"}, "works": works}]


def _at_once(found: list[Setup], situation: Situation) -> bool:
    """Whether the works are to stand side by side."""
    said = [one.value for thing in situation.things for one in thing.all("relation")]
    return "together" in [*said, *(one.value for one in situation.known if one.slot == "relation")] or any(
        one.value == "in_turn" for setup in found for one in setup.every("serving_mode")
    )


def _nameless(found: list[Setup], situation: Situation, calls: Calls, words: Words) -> SectionTold | None:
    """No model was named: which sizes the machine holds, or which pairs where several are to share it."""
    setup = found[0] if found else Setup(None, ())
    told = sizes_that_fit(setup, situation, calls.call, words)
    return None if told is None else SectionTold(told.lead, told.lines, "estimate")


TOPIC = Topic("fits", Path(__file__).parent, ("fits",), applies, answer)

"""Does it fit, and how: one setup after the other, the first in full; what is run and what is trained."""

from pathlib import Path
from typing import Any

from assistant.answer import AnswerVerdict
from assistant.reading.annotation import Ask
from assistant.reading.situation import Situation, Thing
from assistant.topics.topic import Calls, SectionTold, Topic
from assistant.writing.accounts.cards import told_pool
from assistant.writing.accounts.classes import pairs, sizes_that_fit
from assistant.writing.accounts.needs import methods_said, needed
from assistant.writing.accounts.person import judged, own_memory
from assistant.writing.accounts.run import Told, drawn_otherwise, told_run
from assistant.writing.accounts.sentences import whole
from assistant.writing.accounts.train import told_train
from assistant.writing.accounts.worked.fewest import fits_usually
from assistant.writing.arguments import running, training
from assistant.writing.setups import Setup, setups
from assistant.writing.words import Words
from tools.agent_tools.ledger import LookedUp

COPIES_MAX = 4
VERDICTS: dict[str, AnswerVerdict] = {
    "fits": "fits", "fits_with_changes": "fits_with_changes", "does_not_fit": "does_not_fit",
}  # fmt: skip


def applies(ask: Ask, situation: Situation) -> bool:
    """Always: without a model it says which sizes fit, without cards what is needed."""
    return True


def answer(ask: Ask, situation: Situation, calls: Calls, words: Words) -> SectionTold | None:
    """Whether each setup holds it, with the way, its speed and limits, and what would change it."""
    found = _all_together(setups(situation, ask), ask, situation)
    if found and found[0].work is None and (claimed := _claimed(ask, situation)) is not None:
        found = [one._replace(work=claimed) for one in found]
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
            one = _train(setup, situation, calls)
            told.append(None if one.failed else _trained(one, setup, situation, calls, words, brief=brief))
        elif asked:
            one = drawn_otherwise(calls.call("find_ways_to_run", asked.pop(0)), calls.call)
            told.append(_run(one, setup, situation, calls, words, brief=brief))
    return told


def _trained(one: LookedUp, setup: Setup, situation: Situation, calls: Calls, words: Words, *, brief: bool) -> Told:
    """A training, with the person's own figure for it."""
    told = told_train(one, calls.call, words, brief=brief)
    own = own_memory(situation, [setup.work] if setup.work else [])
    said = judged(own, (whole(one).get("plain") or {}).get("all_cards_bytes") or 0, words)
    return told._replace(lines=tuple(dict.fromkeys([*said, *told.lines])))


def _train(setup: Setup, situation: Situation, calls: Calls) -> LookedUp:
    """The training as it was said; where no method was, the most that fits as it is usually done."""
    asked: dict[str, object] = {**training(setup, situation)}
    first = calls.call("find_ways_to_train", asked)
    if methods_said(setup) or setup.every("method"):
        return first
    for method in ("full", "lora", "qlora"):
        one = calls.call("find_ways_to_train", {**asked, "method": method})
        if not one.failed and fits_usually(one):
            return one
    return first


def _run(one: LookedUp, setup: Setup, situation: Situation, calls: Calls, words: Words, *, brief: bool) -> Told | None:
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
    if (copies := _copies(found)) > 1:
        alone = dict(running(found[0], situation))
        name = " ".join(filter(None, (alone.pop("model", ""), alone.pop("weight_format", ""))))
        return [{**alone, "works": [name] * copies}]
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


def _claimed(ask: Ask, situation: Situation) -> Thing | None:
    """A work that only a document or somebody else speaks of, taken for one that is there: it is asked about."""
    works = [one for one in situation.about(ask) if one.what == "work" and one.one("model", "claimed") is not None]
    if not works:
        return None
    known = tuple(
        one.model_copy(update={"stance": "have"}) if one.slot in ("model", "format") else one for one in works[-1].known
    )
    return works[-1].model_copy(update={"known": known})


def _copies(found: list[Setup]) -> int:
    """How many copies of one model are to stand beside each other."""
    said = [one.value for one in found[0].every("copies")] if len(found) == 1 else []
    return next((int(one) for one in said if isinstance(one, (int, float)) and 1 < one <= COPIES_MAX), 1)


def _all_together(found: list[Setup], ask: Ask, situation: Situation) -> list[Setup]:
    """With one of several works that share a machine, the others as well: what holds it has to hold them."""
    shared = [one for one in situation.works() if any(known.value == "together" for known in one.all("relation"))]
    if len(found) == 1 and found[0].work in shared and len(shared) > 1:
        return [found[0], *(found[0]._replace(work=one) for one in shared if one is not found[0].work)]
    return found


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

"""Which model of several, or how large a model, a machine runs."""

from pathlib import Path

from assistant.reading.annotation import Ask
from assistant.reading.situation import Situation
from assistant.topics.topic import Calls, SectionTold, Topic
from assistant.writing.arguments import RUNNING, machine, said_of
from assistant.writing.options import FIT, Option, table, worked
from assistant.writing.setups import Setup, setups
from assistant.writing.ways import verdict, ways
from assistant.writing.words import Words
from kb.purposes import PurposeName, purposes

ROWS_MAX = 4
TALKS = frozenset({"customer_service", "rag", "summarising", "translation", "roleplay", "creative", "extraction"})
"""Purposes that models for talk serve."""
COARSE = ("IQ1", "IQ2", "IQ3", "Q2", "Q3")
"""Formats in which a smaller model answers better than a larger one."""
MEMORIES = ("8GB", "12GB", "16GB", "24GB", "48GB", "96GB")


def applies(ask: Ask, situation: Situation) -> bool:
    """Cards, and either models to choose from, or none named."""
    found = setups(situation, ask)
    if ask.ask == "which_model" and not any(one.machines for one in found):
        return not any(one.work is not None for one in found)
    if not found or not all(one.machines for one in found) or any(one.trains for one in found):
        return False
    return ask.ask == "which_model" or ask.quantity == "model_size"


def answer(ask: Ask, situation: Situation, calls: Calls, words: Words) -> SectionTold | None:
    """Each model on the machine, or the largest that run there."""
    found = setups(situation, ask)
    if not any(one.machines for one in found):
        return _by_memory(calls, words)
    named = [one for one in found if one.work is not None]
    if not named and (kind := _purpose(situation)) is not None:
        published = _for_purpose(kind, found[0], _load(situation), calls, words)
        if published is not None:
            return published
    if ask.quantity == "model_size" or not named:
        return _largest(found[0], calls, words)
    options = [worked(one, situation, calls.call, words) for one in named]
    told = [one for one in options if one is not None]
    if len(told) < len(options):
        return None
    kept = sorted(told, key=lambda one: (not one.fits, one.met is False))
    return SectionTold(_lead(kept, words), (table(kept, words, of_models=len({one.name for one in kept}) == 1),))


def _lead(options: list[Option], words: Words) -> str:
    run = [one for one in options if one.fits]
    fail = list(dict.fromkeys(one.model for one in options if not one.fits))
    if not run:
        return words.say("no_model", models=words.listed(fail), name=options[0].name)
    if len({one.model for one in run}) > 1 and len({one.name for one in run}) == 1 and not fail:
        rows = [words.say("runs_at", model=one.model, how=one.how, rate=one.rate, context=one.context or "–")
                for one in run]  # fmt: skip
        return words.say("all_run", name=run[0].name, rows=words.listed(rows))
    rest = words.say("but_not", models=words.listed(fail)) if fail else ""
    return words.say("chosen", model=run[0].model, name=run[0].name, how=run[0].how, rate=run[0].rate, rest=rest)


def _largest(setup: Setup, calls: Calls, words: Words) -> SectionTold | None:
    one = calls.call("find_ways_to_run", dict(machine(setup)))
    rows = [row for row in one.shown.get("models", []) if isinstance(row, dict)][:ROWS_MAX]
    if one.failed or not rows:
        return None
    cards = str(one.request.get("cards") or one.request.get("host_memory", ""))
    first = rows[0]
    lead = words.say("largest", model=first["model"], cards=cards, rate=first.get("tokens_per_s_per_user", ""))
    lines = [
        words.say("also", model=row["model"], needed=row.get("needed_per_gpu", ""), rate=row["tokens_per_s_per_user"])
        for row in rows
        if row.get("tokens_per_s_per_user")
    ]
    return SectionTold(lead, ("\n".join(f"- {line}" for line in lines),), "fact")


def _purpose(situation: Situation) -> PurposeName | None:
    """What the model is for, where models are known for it."""
    said = [one.value for thing in situation.works() for one in thing.all("purpose")]
    said += [one.value for one in situation.known if one.slot == "purpose"]
    found = next((one for one in reversed(said) if one in purposes()), None)
    return found or ("coding" if "agents" in said else "chat" if TALKS & {str(one) for one in said} else None)


def _load(situation: Situation) -> dict[str, str]:
    """How many at once and how long, of a work without a model."""
    works = situation.works()
    return said_of(Setup(works[-1], ()), RUNNING) if works else {}


def _for_purpose(
    kind: PurposeName, setup: Setup, load: dict[str, str], calls: Calls, words: Words
) -> SectionTold | None:
    """The models published for a purpose, largest first, that the machine runs."""
    told = []
    for name in purposes()[kind].models:
        one = calls.call("find_ways_to_run", {**machine(setup), **load, "model": name})
        best = ways(one, words) if not one.failed and verdict(one) in FIT else []
        if best and best[0].fields["rate"]:
            told.append(best[0].fields)
        if len(told) == ROWS_MAX:
            break
    if not told:
        return None
    told.sort(key=lambda row: row["format"].startswith(COARSE))
    lines = [words.say("runs_as", **row) for row in told]
    return SectionTold(words.say("for_purpose", **told[0]), ("\n".join(f"- {line}" for line in lines),), "fact")


def _by_memory(calls: Calls, words: Words) -> SectionTold | None:
    """What cards of the usual sizes run, where no machine was named."""
    told = []
    for memory in MEMORIES:
        one = calls.call("find_ways_to_run", {"cards": f"{memory} card"})
        row = next((row for row in one.shown.get("models", []) if isinstance(row, dict)), None)
        if one.failed or row is None or not row.get("tokens_per_s_per_user"):
            continue
        told.append((memory, row))
    if not told:
        return None
    middle = told[len(told) // 2]
    lead = words.say("by_memory", memory=middle[0], model=middle[1]["model"], rate=middle[1]["tokens_per_s_per_user"])
    rows = [words.say("of_memory", memory=memory, model=row["model"], needed=row.get("needed_per_gpu", ""),
                      rate=row["tokens_per_s_per_user"]) for memory, row in told]  # fmt: skip
    return SectionTold(lead, ("\n".join(f"- {row}" for row in rows), words.say("question_machine")), "fact")


TOPIC = Topic("model", Path(__file__).parent, ("which_model", "limit"), applies, answer)

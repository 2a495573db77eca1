"""Which format to take: those that are named, or the ways there are, with memory and speed of each."""

from pathlib import Path

from assistant.reading.annotation import Ask
from assistant.reading.situation import Situation
from assistant.topics.topic import Calls, SectionTold, Topic
from assistant.writing.arguments import running
from assistant.writing.setups import THOUGHT_OF, Setup, setups
from assistant.writing.ways import WayTold, leading, model_name, verdict, ways
from assistant.writing.words import Words
from tools.agent_tools.ledger import LookedUp

ROWS_MAX = 4


def applies(ask: Ask, situation: Situation) -> bool:
    """A model that is run, on cards."""
    found = setups(situation, ask)
    return bool(found) and all(one.runs for one in found)


def answer(ask: Ask, situation: Situation, calls: Calls, words: Words) -> SectionTold | None:
    """The format to take with its figures, then the others."""
    setup = setups(situation, ask)[0]
    asked = running(setup, situation)
    asked.pop("weight_format", None)
    found = [calls.call("find_ways_to_run", {**asked, "weight_format": form}) for form in _named(setup)]
    if not found:
        found = [calls.call("find_ways_to_run", dict(asked))]
    told = [(one, ways(one, words)) for one in found if not one.failed]
    if not told:
        return None
    rows = [(one, way) for one, kept in told for way in kept[: 1 if len(told) > 1 else ROWS_MAX]]
    rows.sort(key=lambda row: (verdict(row[0]) != "fits", -_rate(row[1])) if len(told) > 1 else (False, 0.0))
    out = [str(one.request.get("weight_format")) for one, kept in told if not kept]
    if not rows:
        return SectionTold(
            words.say("none", model=model_name(told[0][0]), formats=words.listed(out)), (), "does_not_fit"
        )
    lead = words.say("take", **rows[0][1].fields)
    return SectionTold(lead, tuple(_following(rows, out, words)), verdict(rows[0][0]))  # type: ignore[arg-type]


def _named(setup: Setup) -> list[str]:
    """The formats the person weighs, where there are two or more."""
    named = list(dict.fromkeys(str(one.value) for one in setup.every("format", *THOUGHT_OF)))
    thought_of = list(dict.fromkeys(str(one.value) for one in setup.every("format", "plan", "proposed")))
    return thought_of if len(thought_of) > 1 else named if len(named) > 1 else []


def _rate(way: WayTold) -> float:
    return leading(way.fields["rate"]) or 0.0


def _following(rows: list[tuple[LookedUp, WayTold]], out: list[str], words: Words) -> list[str]:
    lines = [f"- {words.say('row', title=way.title, **_figures(way))}" for _, way in rows]
    said = ["\n".join(lines)] if len(lines) > 1 else []
    return [*said, *(words.say("not", format=form) for form in out)]


def _figures(way: WayTold) -> dict[str, str]:
    return {name: way.fields[name] for name in ("needed", "usable", "rate", "max_context")}


TOPIC = Topic("format", Path(__file__).parent, ("format", "quality"), applies, answer)

"""Why something is slow or fails, and whether a figure is normal: what is to be expected, what binds, and causes."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from assistant.reading.annotation import Ask
from assistant.reading.situation import Situation
from assistant.topics.topic import Calls, SectionTold, Topic
from assistant.writing.arguments import running
from assistant.writing.setups import Setup, setups, with_work
from assistant.writing.trouble.asked import explaining
from assistant.writing.trouble.causes import causes_of, in_words, result_of, told_causes
from assistant.writing.trouble.layouts import told_layouts
from assistant.writing.trouble.links import told_bridge, told_links
from assistant.writing.ways import told_speed, verdict, ways
from assistant.writing.words import Words
from kb.models import models
from tools.agent_tools.ledger import LookedUp

CAUSES_MAX, EFFECTS_MAX = 3, 3
OF_A_FAULT = frozenset(
    {"software", "feature", "links", "reliability", "speed", "throughput", "first_token", "duration", "power", None}
)
"""What an error or symptom tells of without a figure; memory has a topic of its own."""
OF_SPEED = frozenset({"speed", "throughput", "links", "duration", None})
OF_THE_HOPED = frozenset({"beyond_limit"})
"""What is told of a figure that is as it should be: why more cannot be had."""
BANDWIDTH = "memory_bandwidth"


def applies(ask: Ask, situation: Situation) -> bool:
    """A figure, an error or a symptom; or a work on cards whose speed is asked about."""
    found = setups(situation, ask)
    if not found:
        return False
    told = explaining(with_work(found[0], situation, ask).failing, situation)
    if "seen" in told or (ask.quantity in OF_A_FAULT and bool(told.keys() & {"error_text", "symptom"})):
        return True
    return ask.quantity in OF_SPEED and found[0].runs


def answer(ask: Ask, situation: Situation, calls: Calls, words: Words) -> SectionTold | None:
    """Expected beside seen, what binds, then the causes that explain most, each with its check and fix."""
    setup = with_work(setups(situation, ask)[0], situation, ask).failing
    one = calls.call("explain", explaining(setup, situation, ask))
    if one.failed or not one.worked:
        return None
    judged = list(_judged(one, words))
    causes = [one_ for one_ in causes_of(one, CAUSES_MAX) if not _is_well(one) or one_["id"] in OF_THE_HOPED]
    leads = [*judged, *_named(causes, words)]
    if not judged and ask.quantity in OF_SPEED and setup.runs:
        leads += _expected(setup, situation, calls, words)
    effects = list(_effects(one, words))
    links = [*told_links(situation, ask, calls, words), *told_bridge(setup, situation, ask, calls, words)]
    if not judged and not causes and not setup.runs:
        leads = []
    leads = leads or links[:1]
    if not leads:
        return None
    lines = [*_others(one, words), *_binds(one, calls, words), *told_causes(causes, words), *effects]
    lines += [one_ for one_ in links if one_ not in leads]
    if setup.runs and ask.quantity in OF_SPEED:
        lines += told_layouts(setup, situation, calls, words)
    if ask.ask == "improve" and (bridge := list(told_bridge(setup, situation, ask, calls, words))):
        return SectionTold(bridge[0], (" ".join(leads), *(line for line in lines if line not in bridge)), "diagnosis")
    return SectionTold(" ".join(leads), tuple(lines), "diagnosis")


def _is_well(one: LookedUp) -> bool:
    """Whether the figure is as it should be, so that nothing caused it."""
    return bool(one.shown.get("answer", {}).get("verdict") == "normal")


def _named(causes: list[Mapping[str, Any]], words: Words) -> list[str]:
    return [words.say("likely", name=in_words(causes[0]["name"], words))] if causes else []


def _figure(one: LookedUp) -> Mapping[str, Any]:
    """The figure the verdict is of, written out."""
    of = one.shown.get("answer", {}).get("of")
    rows = [row for row in one.shown.get("figures", []) if isinstance(row, Mapping)]
    return next((row for row in rows if row.get("name") == of), {})


def _judged(one: LookedUp, words: Words) -> Iterator[str]:
    """What was seen beside what is to be expected, and beside what was hoped for."""
    figure, told = _figure(one), one.shown.get("answer", {})
    verdict_ = told.get("verdict")
    if figure and verdict_ in ("low", "high", "normal", "impossible"):
        worse = bool(told.get("worse"))
        name = verdict_ if verdict_ in ("normal", "impossible") else f"{verdict_}_{'worse' if worse else 'better'}"
        yield from words.maybe(name, seen=figure.get("seen"), expected=figure.get("expected"))
        if told.get("person_right") is False and figure.get("by_person"):
            yield words.say("hoped", hoped=figure["by_person"])


def _others(one: LookedUp, words: Words) -> Iterator[str]:
    """Every other figure that was seen, beside what is to be expected of it."""
    of = one.shown.get("answer", {}).get("of")
    for row in one.shown.get("figures", []):
        if isinstance(row, Mapping) and row.get("name") != of and row.get("expected") and words.knows(str(row["name"])):
            yield words.say("other", what=words.say(str(row["name"])), seen=row["seen"], expected=row["expected"])


def _binds(one: LookedUp, calls: Calls, words: Words) -> Iterator[str]:
    """What limits it, with the most that the hardware can give, and what alone would raise it."""
    figure, result = _figure(one), result_of(one)
    if result.get("binds") != BANDWIDTH or figure.get("name") != "tokens_per_s" or not figure.get("limit"):
        if result.get("binds") and words.knows(f"bound_{result['binds']}"):
            yield words.say(f"bound_{result['binds']}")
        return
    weights = ((one.shown.get("takes") or {}).get("parts") or {}).get("weights", "")
    at_once = str(one.request.get("concurrent_sequences") or "1")
    many = at_once.isdigit() and int(at_once) > 1
    name = "bound_bandwidth_many" if many else "bound_bandwidth"
    known = models().get(str(result.get("model")))
    if known is not None and known.experts and not many:
        yield words.say("bound_bandwidth_experts", limit=figure["limit"])
    else:
        yield from words.maybe(name, limit=figure["limit"], weights=weights, sequences=at_once)
    if many and figure.get("by_person"):
        asked = {"wanted": figure["by_person"], "batch": at_once, "seen": figure["seen"]}
        found = calls.call("work_out", {"expression": "wanted * batch / seen", "unit": "none", "values": asked})
        if not found.failed:
            yield words.say("batch_for", hoped=figure["by_person"], batch=found.shown["value"])


def _effects(one: LookedUp, words: Words) -> Iterator[str]:
    """Choices that would move the figure, the most effective first."""
    rows = [row for row in one.shown.get("changes", []) if isinstance(row, Mapping) and row.get("effect")]
    told = [f"- `{row['change']}`: {row['effect']}" for row in rows[:EFFECTS_MAX] if "…" not in str(row["change"])]
    if told:
        yield "\n".join([words.say("effects"), *told])


def _expected(setup: Setup, situation: Situation, calls: Calls, words: Words) -> Iterator[str]:
    """How fast it should be, where no figure was told."""
    one = calls.call("find_ways_to_run", dict(running(setup, situation)))
    best = [] if one.failed else ways(one, words)
    if best and verdict(one) != "does_not_fit" and (said := told_speed(best[0], words)):
        yield words.say("should_give", title=best[0].title, said=said[0])


TOPIC = Topic("why", Path(__file__).parent, ("why", "normal", "improve"), applies, answer)

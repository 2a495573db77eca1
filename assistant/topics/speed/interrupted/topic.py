"""A job on machines that may be taken away: how often it saves, how long it then takes, and what it costs.

step = √(2 · save · gap)                            J. W. Young, 1974: doi.org/10.1145/361147.361115
wall = job · (1 + save / step) / (1 − (step / 2 + back) / gap)
"""

import re
from pathlib import Path

from assistant.reading.annotation import Ask
from assistant.reading.situation import Known, Situation
from assistant.topics.topic import Calls, SectionTold, Topic
from assistant.writing.arguments import money_of
from assistant.writing.setups import Setup, setups
from assistant.writing.words import Words
from tools.agent_tools.ledger import LookedUp

EVERY = re.compile(r"\d+(?:\.\d+)?\s*(?:h(?:ours?|rs?)?|min(?:utes?)?|d(?:ays?)?|小时|分钟|天)(?![a-z])", re.I)
SAVE, BACK = "5 min", "10 min"
"""What is taken where neither is told: writing a checkpoint of some ten gigabytes to a disk, and starting again."""
STEP = "sqrt(2 * save * gap)"
WALL = "job * (1 + save / step) / (1 - (step / 2 + back) / gap)"


def applies(ask: Ask, situation: Situation) -> bool:
    """A time between interruptions is told, and a plan, a time or its cost is asked."""
    if ask.ask == "plan" and ask.quantity not in (None, "duration", "reliability"):
        return False
    return bool(setups(situation, ask)) and _gap(situation) is not None


def answer(ask: Ask, situation: Situation, calls: Calls, words: Words) -> SectionTold | None:
    """How often to save; with a length of the job the time until it is done, with a rent what it costs."""
    gap = _gap(situation)
    job, save, back = _times(situation)
    lasting = {"save": save or SAVE, "gap": gap, "back": back or BACK}
    step = _value(calls, STEP, {"save": lasting["save"], "gap": gap}, "min")
    if step is None:
        return None
    often = words.say("often", step=_said(step), gap=gap, save=lasting["save"])
    taken = words.say("assumed", save=lasting["save"], back=lasting["back"])
    if job is None:
        alone = words.say("assumed_save", save=lasting["save"])
        return SectionTold(often, (alone, words.say("notice")), "recommendation")
    wall = _value(calls, WALL, {"job": job, **lasting, "step": f"{step.key}.value"}, "h")
    if wall is None:
        return SectionTold(often, (taken, words.say("notice")), "recommendation")
    takes = words.say("takes", wall=_said(wall), job=job)
    costs = _costs(situation, ask, wall, job, calls, words)
    told = {"plan": [often, takes, *costs], "duration": [takes, often, *costs]}.get(ask.ask, [*costs, takes, often])
    return SectionTold(told[0], (*told[1:], taken, words.say("notice")), "estimate")


def _costs(situation: Situation, ask: Ask, wall: LookedUp, job: str, calls: Calls, words: Words) -> list[str]:
    """The run at the lower rent with what is lost, beside the higher without: of whichever the person tells."""
    rents = sorted({(_amount(one), money_of(one)) for one in _every(situation, "rent") if _amount(one)})
    if not rents:
        return []
    cards = str(max((_count(one) for one in setups(situation, ask)), default=1))
    currency = _currency(situation)
    low = _value(calls, "hours * cards * rent", {"hours": f"{wall.key}.value", "cards": cards, "rent": rents[0][1]},
                 currency)  # fmt: skip
    high = _value(calls, "hours * cards * rent", {"hours": job, "cards": cards, "rent": rents[-1][1]}, currency)
    if low is None or high is None:
        return []
    if len(rents) == 1:
        return [words.say("costs", low=_said(low))]
    saved = _value(calls, "1 - low / high", {"low": f"{low.key}.value", "high": f"{high.key}.value"}, "%")
    cheaper = saved is not None and not str(saved.shown.get("value", "")).startswith("-")
    return [words.say("saves" if cheaper else "dearer", low=_said(low), high=_said(high),
                      saved=_said(saved) if saved else "")]  # fmt: skip


def _times(situation: Situation) -> tuple[str | None, str | None, str | None]:
    """The job, then what a checkpoint takes and coming back: the longest of the times is the job."""
    known = {float(one.value): one.quote for one in _every(situation, "duration") if isinstance(one.value, int | float)}
    order = sorted(known, reverse=True)
    gap = _gap_seconds(_gap(situation) or "")
    jobs = [one for one in order if one > gap]
    small = [known[one] for one in sorted(one for one in order if one <= gap)]
    job = next((known[one] for one in jobs if known[one].lower().rstrip().endswith(("h", "hours", "小时"))), None)
    job = job or (known[jobs[0]] if jobs else None)
    return job, small[0] if small else None, small[1] if len(small) > 1 else None


def _every(situation: Situation, slot: str) -> list[Known]:
    return [one for thing in situation.things for one in thing.all(slot)] + [
        one for one in situation.known if one.slot == slot
    ]


def _gap(situation: Situation) -> str | None:
    """The time between two interruptions, in the person's words; None where it is told otherwise."""
    found = next((EVERY.search(one.quote) for one in reversed(_every(situation, "interruption"))), None)
    return found[0] if found else None


def _gap_seconds(text: str) -> float:
    number = re.match(r"[\d.]+", text)
    each = 60 if re.search(r"min|分", text) else 86400 if re.search(r"d|天", text) else 3600
    return float(number[0]) * each if number else 0.0


def _value(calls: Calls, expression: str, values: dict[str, str | None], unit: str) -> LookedUp | None:
    one = calls.call("work_out", {"expression": expression, "values": dict(values), "unit": unit})
    return None if one.failed else one


def _said(one: LookedUp) -> str:
    return str(one.shown["value"])


def _amount(one: Known) -> float:
    return float(one.value.get("amount") or 0) if isinstance(one.value, dict) else 0.0


def _currency(situation: Situation) -> str:
    found = next((one.value.get("currency") for one in _every(situation, "rent") if isinstance(one.value, dict)), None)
    return str(found or "USD")


def _count(setup: Setup) -> int:
    """Cards that are rented together."""
    return sum(int(row.get("count") or 1) for one in setup.every("cards")[-1:] for row in one.value or ())


ASKS = ("plan", "duration")
TOPIC = Topic("interrupted", Path(__file__).parent, ASKS, applies, answer)

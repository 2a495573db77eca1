"""What to order or rent, and how many: for each work, within the money, of the cards that may be."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from assistant.reading.annotation import Ask
from assistant.reading.situation import Situation
from assistant.topics.topic import Calls, SectionTold, Topic
from assistant.writing.arguments import running, training
from assistant.writing.money.buying import conditions_open, ordering
from assistant.writing.money.orders import amount, besides, bill, order_line, orders, rests_on, work_name
from assistant.writing.options import Option, worked
from assistant.writing.setups import Setup, setups
from assistant.writing.training import best_way
from assistant.writing.words import Words
from kb.purposes import purposes
from tools.agent_tools.ledger import LookedUp

ASKS = ("which_hardware", "count", "plan", "cost")
LIMITS = frozenset({"acquisition", "budget", "country", "provider", "conditions"})
"""Of what may be ordered; without them it is told how many cards the work takes."""


class _Wanted(NamedTuple):
    """A work and what may be ordered for it."""

    setup: Setup
    asked: dict[str, Any]
    found: LookedUp
    refused: LookedUp | None = None
    """The same as it was asked, where only a lighter training of it can be had."""

    @property
    def first(self) -> Mapping[str, Any] | None:
        """The order that leads: what is bought, where nothing says that it is to be rented."""
        rows = orders(self.found)
        bought = [row for row in rows if row.get("acquisition") != "rent"]
        return next(iter(bought if bought and not self.asked.get("task") else rows), None)


def applies(ask: Ask, situation: Situation) -> bool:
    """A work whose model, or a purpose that models are known for, was named."""
    found = setups(situation, ask)
    if ask.ask == "cost":
        if any(one.trains or one.every("api_price") for one in found) or situation.one("api_price"):
            return False  # what a training costs is its hours; a service is held against cards
        counted = any(one.ask in ("count", "which_hardware", "plan") for one in situation.asks)
        if any(one.machines for one in found) and not counted:
            return False  # what a machine that is named costs is not what to order
    return bool(found) and (any(one.work is not None for one in found) or _purpose(situation) is not None)


def answer(ask: Ask, situation: Situation, calls: Calls, words: Words) -> SectionTold | None:
    """The order of the work that asks most, what the others do on it, its bill, the next orders, what it rests on."""
    wanted = [_ordered(setup, asked, calls) for setup, asked in _asked(ask, situation, words.language)]
    wanted = [one for one in wanted if not one.found.failed]
    if not wanted:
        return None
    wanted.sort(key=lambda one: -(amount(one.first) if one.first else 0.0))
    main = wanted[0]
    if main.first is None:
        return _nothing(main, ask, situation, calls, words)
    lines = [said for one in wanted for said in _lighter(one, words)]
    lines += _pace(main, calls, words) + _first_token(main, words)
    lines += [said for one in wanted[1:] for said in _beside(one, main.first, situation, calls, words)]
    lines += _own(ask, situation, calls, words)
    lines += bill(main.first, words)
    lines += besides(_all(main, calls), main.first, main.found, words)
    lines += _misses(main.found, words) + rests_on(main.first, main.found, words) + _open(main, situation, words)
    return SectionTold(order_line(main.first, main.found, words), tuple(dict.fromkeys(lines)), "recommendation")


def _ordered(setup: Setup, asked: dict[str, Any], calls: Calls) -> _Wanted:
    """What is ordered; where no offer is known, how many cards it takes all the same."""
    both = not asked.get("acquisition") and not asked.get("task") and not asked.get("provider")
    one = calls.call("configure", {**asked, **({"acquisition": "buy"} if both else {})})
    if both and (one.failed or not orders(one)):
        one = calls.call("configure", dict(asked))
    if not one.failed and not orders(one) and asked.get("task") == "lora":
        lighter = calls.call("configure", {**asked, "task": "qlora"})
        if orders(lighter):
            return _Wanted(setup, asked, lighter, one)
    open_ = {name: value for name, value in asked.items() if name not in LIMITS}
    if not one.failed and not orders(one) and "cards" in asked and open_ != asked:
        one = calls.call("configure", dict(open_))
    return _Wanted(setup, asked, one)


def _all(one: _Wanted, calls: Calls) -> list[Mapping[str, Any]]:
    """The orders beside the first; where nothing says how it is to be had, the cheapest rent among them."""
    rows = orders(one.found)
    if one.asked.get("acquisition") or one.asked.get("task") or one.asked.get("provider"):
        return rows
    rents = orders(calls.call("configure", {**one.asked, "acquisition": "rent"}), how="rent")
    return [*[row for row in rows if row.get("acquisition") != "rent"][:3], *rents[:1]]


def _beside(one: _Wanted, first: Mapping[str, Any], situation: Situation, calls: Calls, words: Words) -> list[str]:
    """What another work does on the machine that is ordered; an order of its own where it does not run there."""
    cards = f"{first.get('gpu_count')}x {first.get('gpu_name')}"
    said = {**(training if one.setup.trains else running)(one.setup, situation), "cards": cards}
    tool = "find_ways_to_train" if one.setup.trains else "find_ways_to_run"
    option = _worked_on(one.setup, calls.call(tool, dict(said)), words)
    if (option is None or not option.fits) and not one.setup.trains and not (one.first or {}).get("speed"):
        bare = {name: value for name, value in said.items() if name in ("model", "cards")}
        option = _worked_on(one.setup, calls.call(tool, dict(bare)), words)  # a load is told of works that write text
    if option is not None and option.fits:
        name = "same_machine" if option.rate else "same_machine_unpaced"
        return [words.say(name, work=work_name(one.found, words), how=_how(option, words), needed=option.needed,
                          usable=option.usable, rate=option.rate)]  # fmt: skip
    if one.first:
        own = order_line(one.first, one.found, words)
        return [words.say("not_same_machine", work=work_name(one.found, words), order=own)]
    return [words.say("beyond", work=work_name(one.found, words), nearest=_nearest(one.found))]


def _nearest(one: LookedUp) -> str:
    row = next((row for row in one.shown.get("nearest_misses", []) if isinstance(row, Mapping)), {})
    return str(row.get("title") or "–")


def _lighter(one: _Wanted, words: Words) -> list[str]:
    """That only a lighter training can be had within the limits, and what is nearest for the one that was asked."""
    if one.refused is None:
        return []
    return [words.say("lighter", asked=work_name(one.refused, words), found=work_name(one.found, words),
                      nearest=_nearest(one.refused))]  # fmt: skip


def _pace(one: _Wanted, calls: Calls, words: Words) -> list[str]:
    """How fast a work that writes no text runs on what is ordered, where the order itself does not tell."""
    if one.first is None or one.asked.get("task") or (one.first.get("speed") or {}) or not one.asked.get("model"):
        return []
    cards = f"{one.first.get('gpu_count')}x {one.first.get('gpu_name')}"
    option = _worked_on(one.setup, calls.call("find_ways_to_run", {"model": one.asked["model"], "cards": cards}), words)
    return words.maybe("pace_there", rate=option.rate) if option is not None else []


def _worked_on(setup: Setup, one: LookedUp, words: Words) -> Option | None:
    return worked(setup, Situation(), lambda *_: one, words)


def _how(option: Option, words: Words) -> str:
    """Format and engine; of a training how it is laid out and what it does without."""
    told = best_way(option.result, words) if option.result.tool == "find_ways_to_train" else None
    return told["how"] if told else option.how


def _first_token(one: _Wanted, words: Words) -> list[str]:
    """The wait for the first token beside the one that was asked for."""
    wanted = one.setup.one("first_token", "at_most", "wanted")
    first = ((one.first or {}).get("speed") or {}).get("first_token")
    return words.maybe("first_token", first=first, wanted=wanted.quote if wanted is not None else None)


def _own(ask: Ask, situation: Situation, calls: Calls, words: Words) -> list[str]:
    """How the machine that is there does at the work, where there is one."""
    lines = []
    for setup in setups(situation, ask):
        there = [one for thing in setup.machines for one in thing.all("cards") if one.stance == "have"]
        if setup.work is None or not there:
            continue
        option = worked(setup, situation, calls.call, words)
        if option is not None and option.fits:
            lines.append(words.say("own_holds", name=option.name, work=option.model, how=_how(option, words),
                                   needed=option.needed, usable=option.usable))  # fmt: skip
        elif option is not None:
            lines.append(words.say("own_fails", name=option.name, work=option.model))
    return lines


def _nothing(one: _Wanted, ask: Ask, situation: Situation, calls: Calls, words: Words) -> SectionTold | None:
    """What comes nearest, and what it takes without the limits, where nothing that may be ordered holds it."""
    row = next((row for row in one.found.shown.get("nearest_misses", []) if isinstance(row, Mapping)), None)
    open_ = {name: value for name, value in one.asked.items() if name not in (*LIMITS, "cards", "max_cards")}
    free = _Wanted(one.setup, open_, calls.call("configure", open_))
    lines = [*_misses(one.found, words), *_own(ask, situation, calls, words)]
    if not free.found.failed and free.first is not None:
        lines.append(words.say("without_limits", order=order_line(free.first, free.found, words)))
    if row is not None:
        lead = words.say("nothing", work=work_name(one.found, words), title=row["title"])
    elif lines:
        lead = words.say("nothing_near", work=work_name(one.found, words))
    else:
        return None
    return SectionTold(lead, tuple(lines), "recommendation")


def _asked(ask: Ask, situation: Situation, language: str) -> list[tuple[Setup, dict[str, Any]]]:
    """One request a work; cards that are options stand in one request, as what it may choose from."""
    wanted: dict[str, tuple[Setup, dict[str, Any]]] = {}
    for setup in setups(situation, ask):
        asked = ordering(setup, situation, language)
        if not asked.get("model") and (purpose := _purpose(situation)):
            asked.setdefault("purpose", purpose)
        name = f"{asked.get('model')} {asked.get('task')}"
        if name in wanted and asked.get("cards"):
            asked["cards"] = f"{wanted[name][1].get('cards', '')}, {asked['cards']}".strip(", ")
        wanted[name] = (setup, asked)
    return list(wanted.values())


def _purpose(situation: Situation) -> str | None:
    """What models are wanted for, where models are known for it."""
    said = [one.value for thing in situation.works() for one in thing.all("purpose")]
    said += [one.value for one in situation.known if one.slot == "purpose"]
    return next((str(one) for one in reversed(said) if one in purposes()), None)


def _misses(one: LookedUp, words: Words) -> list[str]:
    """What is nearest and falls short; results say it in English."""
    rows = [row for row in one.shown.get("nearest_misses", []) if isinstance(row, Mapping)]
    if words.language != "en":
        return []
    return [words.say("miss", title=row["title"], reason=str(row["reason"]).rstrip(".")) for row in rows[:1]]


def _open(one: _Wanted, situation: Situation, words: Words) -> list[str]:
    """Conditions that the catalog cannot tell."""
    return words.maybe("open_conditions", conditions=words.listed(conditions_open(one.setup, situation)))


TOPIC = Topic("order", Path(__file__).parent, ASKS, applies, answer)

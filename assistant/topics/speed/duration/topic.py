"""How long a training takes, what it needs and costs."""

import re
from collections.abc import Sequence
from pathlib import Path

from assistant.answer import AnswerVerdict
from assistant.reading.annotation import Ask
from assistant.reading.situation import Situation
from assistant.topics.topic import Calls, SectionTold, Topic
from assistant.writing.arguments import cards_of, methods_of, training
from assistant.writing.setups import METHODS_OF_TRAINING, THOUGHT_OF, TRAINS, Setup, setups
from assistant.writing.training import best_way, conditions
from assistant.writing.ways import assumed_card, model_name
from assistant.writing.words import Words
from tools.agent_tools.ledger import LookedUp

ASKS = ("duration", "fits", "memory", "speed")
ALONE = frozenset({"duration"})
"""Asks that are answered without cards or a model as well: on usual ones, which is said."""
HELD = re.compile(
    r"(?P<needed>[\d.,]+ [GM]iB) of (?P<usable>[\d.,]+ GiB) a card(?: \(tight\))?, (?P<rate>[\d,.]+ tokens/s)"
)
SHORTER = re.compile(r"samples to (?P<tokens>[\d,]+) tokens")
CARDS = re.compile(r" on (?P<cards>\d+ × [^:]+):")
"""What a change says: the figures it leads to, and what it changes."""
CHANGES_MAX = 3
USUAL_MODELS, USUAL_CARD = ("8B", "14B", "32B"), "RTX 4090"
USUAL_DATA = {"samples": "5000", "sample_tokens": "1000", "epochs": "1"}
"""What a first fine-tune holds, where nobody says how much: five million tokens."""


def applies(ask: Ask, situation: Situation) -> bool:
    """Something is trained on cards that are named; how long, whatever is left unsaid."""
    found = setups(situation, ask)
    whole = bool(found) and all(one.work is not None and one.machines and one.trains for one in found)
    return whole or (ask.ask in ALONE and (any(one.trains for one in found) or _trains(situation)))


def answer(ask: Ask, situation: Situation, calls: Calls, words: Words) -> SectionTold | None:
    """What was asked of each setup's best way: whether it fits, its memory, its time; the rest after it."""
    found = [one for one in setups(situation, ask) if one.trains]
    if not found or all(not one.every("model", *THOUGHT_OF) for one in found):
        if any(row.slot == "model" for row in situation.unread):
            return None  # a model is named, and nothing is known of it
        return _usual(found, situation, calls, words)
    if all(cards_of(one) is None for one in found):
        return _without_cards(found[0], situation, calls, words)
    told = [_one(ask, setup, situation, calls, words) for setup in _each_once(found)]
    sections = [one for one in told if one is not None]
    if not sections:
        return None
    lines = [line for one in sections for line in one.lines]
    return SectionTold(
        sections[0].lead, (*(one.lead for one in sections[1:]), *dict.fromkeys(lines)), sections[0].verdict
    )


def _trains(situation: Situation) -> bool:
    """Whether any work of the conversation is trained, though it names no model."""
    said = [one for work in situation.works() for slot in ("activity", "method") for one in work.all(slot)]
    return any(one.stance in THOUGHT_OF and str(one.value) in TRAINS | METHODS_OF_TRAINING for one in said)


def _each_once(found: Sequence[Setup]) -> list[Setup]:
    """Setups that are not the same in other words: a card that is named again is one machine."""
    kept: dict[tuple[object, ...], Setup] = {}
    for one in found:
        work = one.work.id if one.work else ""
        kept.setdefault((work, cards_of(one)), one)
    return list(kept.values())


def _one(ask: Ask, setup: Setup, situation: Situation, calls: Calls, words: Words) -> SectionTold | None:
    asked = training(setup, situation)
    one = calls.call("find_ways_to_train", dict(asked))
    if one.failed:
        return None
    fields = best_way(one, words)
    if fields is None:
        cards = str(one.shown["answer"].get("cards") or one.request.get("cards", ""))
        lead = words.say("does_not_fit", model=model_name(one), cards=cards, method=_method(setup, words))
        return SectionTold(lead, tuple(_changes(one, words)), "does_not_fit")
    lines: list[str] = []
    kind: AnswerVerdict = "estimate"
    also = {other.ask for other in situation.asks}
    if ask.ask in ("fits", "memory"):
        unusual = words.listed(conditions(one, words))
        lead = words.say("fits_so" if unusual else "fits", unusual=unusual, **fields)
        kind = "fits_with_changes" if unusual else one.shown["answer"]["verdict"]
        lines.append(words.say("how", how=fields["how"]))
        if "duration" not in also:
            lines += words.maybe("takes", time=fields["time"]) or words.maybe("pace", rate=fields["rate"])
    else:
        keys = ("model", "method", "cards", "time", "rate")
        lead = next(iter(words.maybe("time", **{key: fields[key] for key in keys})), "") or words.say("rate", **fields)
        lines += [] if fields["time"] else [words.say("question_data")]
        lines.append(words.say("holds", **fields))
        lines += _reckoned(one, words)
    lines += assumed_card(one, fields["cards"], words)
    costs = words.maybe("price", cost=fields["cost"], day=fields["day"]) or words.maybe(
        "price_own", cost=fields["cost"]
    )
    if ask.ask == "cost" and costs:
        return SectionTold(costs[0], (lead, *lines), kind)
    return SectionTold(lead, (*lines, *costs), kind)


def _method(setup: Setup, words: Words) -> str:
    name = methods_of(setup).split()[-1]
    return words.say(f"method_{name}") if words.knows(f"method_{name}") else name


def _reckoned(one: LookedUp, words: Words) -> list[str]:
    """The tokens that are trained on, and what the time stands and falls with."""
    tokens = one.worked[-1].result.get("answer", {}).get("tokens") if one.worked else None
    return [words.say("work", tokens=f"{tokens:,}")] if isinstance(tokens, int) else []


def _changes(one: LookedUp, words: Words) -> list[str]:
    """What would make it fit, the mildest first, as far as its figures can be told."""
    told = []
    for row in one.shown.get("changes", []):
        said = f"{row.get('change', '')} → {row.get('effect', '')}" if isinstance(row, dict) else ""
        shorter, held = SHORTER.search(said), HELD.search(said)
        if held is None:
            continue
        fields = {name: held[name] for name in ("needed", "usable", "rate")}
        if shorter is not None:
            told.append(f"- {words.say('change_shorter', tokens=shorter['tokens'], **fields)}")
        elif cards := CARDS.search(said):
            told.append(f"- {words.say('change_cards', cards=cards['cards'], **fields)}")
    return [words.say("would"), "\n".join(told[:CHANGES_MAX])] if told else []


def _without_cards(setup: Setup, situation: Situation, calls: Calls, words: Words) -> SectionTold | None:
    """The time on one usual card that holds it, with the memory it takes; cards are asked for."""
    asked = training(setup, situation)
    for card in ("RTX 4090", "A100 80GB", "8x H100"):
        one = calls.call("find_ways_to_train", {**asked, "cards": card})
        fields = None if one.failed else best_way(one, words)
        if fields is not None:
            keys = ("model", "method", "cards", "time", "rate")
            lead = next(iter(words.maybe("time", **{key: fields[key] for key in keys})), "") or words.say(
                "rate", **fields
            )
            costs = words.maybe("price", cost=fields["cost"], day=fields["day"])
            told = (words.say("assumed_cards", cards=fields["cards"]), words.say("holds", **fields), *costs)
            return SectionTold(lead, (*told, words.say("question_cards")), "estimate")
    return None


def _usual(found: Sequence[Setup], situation: Situation, calls: Calls, words: Words) -> SectionTold | None:
    """Models of the usual sizes on the cards that are named, else on a usual one: memory and time of each."""
    setup = found[0] if found else Setup(next(iter(situation.works()), None), ())
    asked = training(setup, situation)
    given = any(name in asked for name in ("samples", "dataset_tokens"))
    method = asked["method"] if setup.every("method", *THOUGHT_OF) else "qlora"
    base = {**asked, **({} if given else USUAL_DATA), "method": method, "cards": cards_of(setup) or USUAL_CARD}
    rows = []
    for model in USUAL_MODELS:
        one = calls.call("find_ways_to_train", {**base, "model": model})
        fields = None if one.failed else best_way(one, words)
        if fields is not None and fields["time"]:
            rows.append({**fields, "model": model})
    if not rows:
        return None
    first, last = rows[0], rows[-1]
    lead = words.say("usual", small=first["model"], time=first["time"], method=first["method"], cards=first["cards"])
    more = [words.say("usual_more", **last)] if len(rows) > 1 else []
    taken = [] if given else [words.say("assumed_data")]
    held = [f"- {words.say('usual_row', **row)}" for row in rows]
    return SectionTold(lead, (*more, "\n".join(held), *taken, words.say("question_model_data")), "estimate")


TOPIC = Topic("duration", Path(__file__).parent, ASKS, applies, answer)

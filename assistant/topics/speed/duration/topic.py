"""How long a training takes, what it needs and costs."""

from pathlib import Path

from assistant.answer import AnswerVerdict
from assistant.reading.annotation import Ask
from assistant.reading.situation import Situation
from assistant.topics.topic import Calls, SectionTold, Topic
from assistant.writing.arguments import training
from assistant.writing.setups import setups
from assistant.writing.training import best_way, conditions
from assistant.writing.ways import assumed_card, model_name
from assistant.writing.words import Words

ASKS = ("duration", "fits", "memory", "speed")


def applies(ask: Ask, situation: Situation) -> bool:
    """Something is trained, on cards that are named."""
    found = setups(situation, ask)
    return bool(found) and all(one.work is not None and one.machines and one.trains for one in found)


def answer(ask: Ask, situation: Situation, calls: Calls, words: Words) -> SectionTold | None:
    """What was asked of each setup's best way: whether it fits, its memory, its time; the rest after it."""
    leads: list[str] = []
    lines: list[str] = []
    kind: AnswerVerdict = "estimate"
    for setup in setups(situation, ask):
        one = calls.call("find_ways_to_train", dict(training(setup, situation)))
        if one.failed:
            return None
        fields = best_way(one, words)
        if fields is None:
            leads.append(words.say("does_not_fit", model=model_name(one), cards=one.request.get("cards", "")))
            kind = "does_not_fit"
            continue
        if ask.ask in ("fits", "memory"):
            unusual = words.listed(conditions(one, words))
            leads.append(words.say("fits_so" if unusual else "fits", unusual=unusual, **fields))
            kind = ("fits_with_changes" if unusual else one.shown["answer"]["verdict"]) if not lines else kind
            lines.append(words.say("how", how=fields["how"]))
            lines += words.maybe("takes", time=fields["time"]) or words.maybe("pace", rate=fields["rate"])
        else:
            leads += words.maybe(
                "time", **{key: fields[key] for key in ("model", "method", "cards", "time", "rate")}
            ) or [words.say("rate", **fields)]
            lines.append(words.say("holds", **fields))
        lines += assumed_card(one, fields["cards"], words)
        lines += words.maybe("price", cost=fields["cost"], day=fields["day"]) or words.maybe(
            "price_own", cost=fields["cost"]
        )
    return SectionTold(leads[0], (*leads[1:], *lines), kind)


TOPIC = Topic("duration", Path(__file__).parent, ASKS, applies, answer)

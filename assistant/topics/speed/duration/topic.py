"""How long a training takes, what it needs and costs."""

from pathlib import Path
from typing import Any

from assistant.answer import AnswerVerdict
from assistant.reading.annotation import Ask
from assistant.reading.situation import Situation
from assistant.topics.topic import Calls, SectionTold, Topic
from assistant.writing.arguments import training
from assistant.writing.setups import setups
from assistant.writing.ways import model_name
from assistant.writing.words import Words
from tools.agent_tools.ledger import LookedUp

ASKS = ("duration", "fits", "memory", "speed", "cost")
METHODS = {"full": "full", "lora": "LoRA", "qlora": "QLoRA", "dpo": "DPO", "grpo": "GRPO", "pretrain": "pretrain"}


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
        fields = _fields(one, words)
        if fields is None:
            leads.append(words.say("does_not_fit", model=model_name(one), cards=one.request.get("cards", "")))
            kind = "does_not_fit"
            continue
        if ask.ask in ("fits", "memory"):
            leads.append(words.say("fits", **fields))
            kind = one.shown["answer"]["verdict"] if not lines else kind
            lines += words.maybe("takes", time=fields["time"]) or words.maybe("pace", rate=fields["rate"])
        else:
            leads += words.maybe(
                "time", **{key: fields[key] for key in ("model", "method", "cards", "time", "rate")}
            ) or [words.say("rate", **fields)]
            lines.append(words.say("holds", **fields))
        lines += words.maybe("price", cost=fields["cost"], day=fields["day"])
    return SectionTold(leads[0], (*leads[1:], *lines), kind)


def _fields(one: LookedUp, words: Words) -> dict[str, str] | None:
    """The figures of the best way."""
    row: dict[str, Any] | None = next((way for way in one.shown.get("ways", []) if isinstance(way, dict)), None)
    if row is None:
        return None
    memory, speed, price = (row.get(name) or {} for name in ("memory", "speed", "price"))
    told = one.shown["answer"]
    return {
        "model": model_name(one),
        "method": METHODS.get(str(told.get("method")), str(told.get("method", ""))),
        "cards": str(told.get("cards", "")),
        "how": str(row.get("title", "")),
        "needed": memory.get("needed_per_gpu", ""),
        "usable": memory.get("usable_per_gpu", ""),
        "time": speed.get("time", ""),
        "rate": speed.get("tokens_per_s", ""),
        "cost": price.get("run_cost", ""),
        "day": str(price.get("as_of", "")),
    }


TOPIC = Topic("duration", Path(__file__).parent, ASKS, applies, answer)

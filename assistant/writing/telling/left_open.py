"""What an answer leaves open: asks that nothing answers, names that are not known, and what is asked back."""

from collections.abc import Iterator, Mapping

from assistant.reading.annotation import Annotation, Ask
from assistant.reading.held import NOT_IN_WORDS, SHARED
from assistant.reading.situation import Situation
from assistant.writing.words import Words
from tools.need import Intent

INTENTS: Mapping[str, Intent] = {
    "fits": "can_it_run", "memory": "min_vram", "count": "how_many_gpus", "limit": "context_length",
    "format": "what_fits", "which_hardware": "which_to_buy", "which_model": "what_fits", "speed": "speed",
    "duration": "training_time", "cost": "budget", "buy_or_rent": "cloud_or_buy", "break_even": "cloud_or_buy",
    "compare": "compare", "spec": "spec", "available": "which_to_buy", "compatible": "compatibility",
    "why": "oom", "normal": "speed", "improve": "oom", "worth": "compare", "setup": "launch_files",
    "check": "compatibility", "layout": "interconnect", "power": "power", "plan": "guidance", "explain": "guidance",
    "risk": "guidance", "quality": "guidance", "needed": "guidance",
}  # fmt: skip
QUANTITIES: Mapping[str, Intent] = {"users": "concurrency", "model_size": "what_fits", "links": "interconnect"}
NAMED_IN = {"model": "work", "cards": "hardware"}
"""Slots by which a work and a machine are known; a name that was not read is told where nothing else names them."""


def intent_of(ask: Ask) -> Intent:
    """How the flat need calls what is asked."""
    return QUANTITIES.get(ask.quantity or "") or INTENTS.get(ask.ask, "other")


def open_lead(ask: Ask, words: Words) -> str:
    """That an ask has no answer here."""
    return words.say("open", quote=ask.quote)


def open_questions(ask: Ask, situation: Situation, words: Words) -> Iterator[str]:
    """The one thing that is asked back where nothing could be worked out."""
    if ask.ask in ("aside", "about_answer"):
        return
    if not any(one.all("model") for one in situation.works()):
        yield words.say("question_model")
    elif not any(one.all("cards") or one.all("card_memory") for one in situation.hardware()):
        yield words.say("question_cards")


def unknown_names(annotation: Annotation, situation: Situation, words: Words) -> list[str]:
    """Names of models and cards that are not known, where nothing else says which is meant."""
    told = []
    for one in annotation.dropped:
        what = NAMED_IN.get(one.slot or "")
        if what is None or one.why in (NOT_IN_WORDS, SHARED):
            continue
        named = any(thing.all(str(one.slot)) for thing in situation.things if thing.what == what)
        if not named:
            told.append(words.say(f"question_unknown_{one.slot}", name=one.quote))
    return list(dict.fromkeys(told))

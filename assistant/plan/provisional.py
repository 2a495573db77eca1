"""The Need an answer is worked out with while something is still in doubt: every settlement is said in the answer."""

import re

from assistant.plan import requests
from assistant.understanding import Understanding
from kb.catalog import conventional
from tools.configure.workload import STAND_INS
from tools.need import Need

OTHER_THAN_LANGUAGE = ("diffusion", "vision", "speech", "embedding")
"""Work whose task says what the model does, not whether it is trained."""
_LORA = re.compile(r"lora", re.I)
_TRAINS = re.compile(r"训|微调|\btrain|fine-?tun|pretrain", re.I)


def provisional(understanding: Understanding) -> Need:
    """The Need with ambiguous names settled on the conventional candidate, so that an answer is possible at once.

    Unknown names are not settled: the closest name is a guess about a different thing. Work other than language
    without a model gets a common model of its kind, and is training when the words say so.
    """
    need = understanding.need
    for doubt in understanding.ambiguities:
        if doubt.unknown or not doubt.candidates:
            continue
        if doubt.kind == "model" and need.model is None and need.params is None:
            need = need.model_copy(update={"model": doubt.candidates[0]})
        elif doubt.kind == "gpu" and not set(doubt.candidates) & set(requests.named_gpus(need)):
            need = need.model_copy(update={"gpus_asked": (*need.gpus_asked, conventional(doubt.candidates))})
    if need.task not in OTHER_THAN_LANGUAGE:
        return need
    if stands_in(understanding):
        need = need.model_copy(update={"model": STAND_INS[need.task]})
    return need.model_copy(update={"task": _method(understanding.text) or need.task})


def stands_in(understanding: Understanding) -> bool:
    """Whether a common model has to stand in for one that was not named."""
    need = understanding.need
    return need.task in OTHER_THAN_LANGUAGE and not requests.sized(need) and need.intent in _SIZED_INTENTS


def _method(text: str) -> str | None:
    if not _TRAINS.search(text):
        return None
    return "lora" if _LORA.search(text) else "full_finetune"


_SIZED_INTENTS = ("can_it_run", "how_many_gpus", "min_vram", "which_to_buy", "budget", "cloud_or_buy")

"""Counted work of a model that nobody named: the one most people mean by the words does it."""

from functools import lru_cache

from assistant.plan import requests
from assistant.plan.amounts import amounts
from assistant.understanding import Understanding
from tools.cost.work import JOBS

_RATES = ("documents_per_s", "audio_s_per_s", "images_per_s")


@lru_cache(maxsize=64)
def with_usual(understanding: Understanding) -> Understanding:
    """The reading, on the usual model where it states an amount of work and no model; else as it is.

    Without an amount nothing but memory turns on the model, and `provisional` settles that by what is asked.
    """
    need = understanding.need
    if need.usual_model is None or need.trained is not None or need.model_text or requests.sized(need):
        return understanding
    taken = need.model_copy(update={"model": need.usual_model})
    stated = amounts(taken, understanding.text)
    if not any(name in stated for name in (*JOBS, *_RATES, "within_s")):
        return understanding
    return understanding.model_copy(update={"need": taken})


def stands_in(understanding: Understanding) -> bool:
    """Whether the model is the usual one and was not named."""
    return understanding.need.model is not None and understanding.need.model == understanding.need.usual_model

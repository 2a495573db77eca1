"""The model in question, its size, and the smaller ones that stand beside it."""

from assistant.understand.model_mentions import NamedModel, by_family
from assistant.understand.parameters import find_params
from assistant.understand.posttrain import find_teacher
from assistant.understand.text import Found, grammar
from assistant.understand.turn import Reading
from kb.catalog import models

_COUNTS = grammar(r"(?<![a-z0-9.])(\d{1,4})b[- ]?a(\d{1,3})b(?![a-z0-9])")
"""All parameters of a mixture and those that are active."""
_SMALL = ("embedding", "reranker", "speech", "vision")
"""Kinds of model that stand beside a language model on the same cards: a knowledge base, a voice assistant."""


def read_model(reading: Reading) -> None:
    """The model in question and its size."""
    named = _main_model(reading.entities.models)
    teacher, student = find_teacher(reading.text.plain)
    reading.put("frozen_params", teacher or _beside(reading, named))
    size = student or find_params(reading.entities.masked)
    if named is None and (mixture := _mixture(reading.text.plain)):
        reading.put("model", mixture)
        reading.put("params", Found(models()[mixture.value].params, mixture.start, mixture.end))
        return
    if named is None:
        reading.put("params", size)
        if size and (model := by_family(reading.text.plain, size.value, size.end)):
            reading.put("model", Found(model, size.start, size.end))
            reading.put("params", Found(models()[model].params, 0, 0))
        return
    reading.put("model_text", Found(reading.text.span("model", named.start, named.end).text, named.start, named.end))
    if named.model:
        reading.put("model", Found(named.model, named.start, named.end))
        reading.put("params", Found(named.params, 0, 0))
    elif named.params:
        reading.put("params", Found(named.params, named.start, named.end))
    else:
        reading.put("params", size)


def _mixture(plain: str) -> Found[str] | None:
    """The mixture called by its two counts alone: "30b-a3b", "235B A22B"; the one of the shortest name."""
    said = _COUNTS.search(plain)
    alike = [key for key in models() if said and key.lower().endswith(f"{said[1]}b-a{said[2]}b")]
    return Found(min(alike, key=len), said.start(), said.end()) if said and alike else None


def _beside(reading: Reading, main: NamedModel | None) -> Found[int] | None:
    """Parameters of the smaller models of other kinds that are named beside a language model."""
    if main is None or main.model is None or models()[main.model].kind not in {"llm", "vlm"}:
        return None
    others = [one for one in reading.entities.models if one.model and models()[one.model].kind in _SMALL]
    if not others:
        return None
    total = sum(models()[key].params for key in dict.fromkeys(str(one.model) for one in others))
    return Found(total, others[0].start, others[0].end)


def _main_model(named: tuple[NamedModel, ...]) -> NamedModel | None:
    """The first whose name says it all, else the first that a size settles, else the first."""
    settled = [model for model in named if model.model]
    sure = [model for model in settled if model.sure]
    return next(iter([*sure, *settled, *named]), None)

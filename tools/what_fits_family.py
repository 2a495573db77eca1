"""Members of a family that cards hold: each in its widest format, the current ones first, and the next larger one."""

from collections.abc import Callable, Sequence

from kb.records.model import Model
from tools.memory.formats import weight_format
from tools.what_fits_examples import REPLACES, month, recent
from tools.what_fits_held import Held
from tools.what_fits_result import Beyond, Candidate

GENERATION_MONTHS = 6
"""Models of a maker that are so far apart are of two generations."""
WITHOUT_SIGHT = 0.7
"""Share of its size that a model which takes pictures has for text."""
ROOM_TOKENS = 8192
"""Context that a model has to leave room for: a conversation, or a file of code."""

Tried = Callable[[Model, str], Held]
"""How a model in a format is held."""


def room_tokens(model: Model) -> int:
    """Context that is reckoned with where none was stated; no more than the model reads."""
    return min(ROOM_TOKENS, model.max_context_tokens or ROOM_TOKENS)


def members(
    asked: Sequence[Model], forms: Callable[[Model], Sequence[str]], held: Tried, room_bytes: int
) -> tuple[tuple[Candidate, ...], Beyond | None]:
    """The members that fit, the one to take first; and the smallest that is larger than it and does not fit.

    Each is tried in `forms`, widest first: the first that fits for sure, else the first that fits by the estimate.
    """
    current = [one for one in asked if recent(one)] or list(asked)
    found, missed = [], []
    for model in current:
        fitting = _best(model, forms(model), held, room_bytes)
        if fitting is None:
            missed.append(model)
        else:
            found.append((model, fitting))
    fit = [model for model, _ in found]
    current_ones = [pair for pair in found if not _replaced(pair[0], fit)]
    kept = sorted(current_ones, key=lambda pair: (_sees_beside(pair[0], fit), -pair[0].params))
    least = kept[0][0].params if kept else 0
    next_up = min((one for one in missed if one.params > least), key=lambda one: one.params, default=None)
    return tuple(one for _, one in kept), _beyond(next_up, forms, held) if next_up else None


def _best(model: Model, forms: Sequence[str], held: Tried, room_bytes: int) -> Candidate | None:
    tight: Candidate | None = None
    for form in forms:
        if model.params * weight_format(form).body_bits / 8 > room_bytes:
            continue
        one = held(model, form)
        if one.verdict == "no":
            continue
        fitting = Candidate(
            model=model.id, name=model.name, params=model.params, weight_format=form,
            needed_bytes_per_gpu=one.needed_bytes, verdict="yes" if one.verdict == "yes" else "tight",
        )  # fmt: skip
        if one.verdict == "yes":
            return fitting
        # Four bits that fit by the estimate are better than eight that do: the narrowest is the safest.
        tight = fitting
    return tight


def _beyond(model: Model, forms: Callable[[Model], Sequence[str]], held: Tried) -> Beyond:
    """What the model takes in the narrowest of its formats."""
    form = forms(model)[-1]
    return Beyond(
        model=model.id, name=model.name, weight_format=form, needed_bytes_per_gpu=held(model, form).needed_bytes
    )


def _replaced(model: Model, others: Sequence[Model]) -> bool:
    """Whether a later generation of the same maker has one of about its size, or larger."""
    return any(
        other.params >= REPLACES * model.params and _months_later(other, model) >= GENERATION_MONTHS
        for other in others
        if _maker(other) == _maker(model)
    )


def _sees_beside(model: Model, others: Sequence[Model]) -> bool:
    """Whether it takes pictures besides, and one of the same generation and about its size only text."""
    return model.kind == "vlm" and any(
        other.kind == "llm"
        and other.params >= WITHOUT_SIGHT * model.params
        and abs(_months_later(other, model)) < GENERATION_MONTHS
        for other in others
    )


def _months_later(one: Model, other: Model) -> int:
    return month(one.released or "0") - month(other.released or "0")


def _maker(model: Model) -> str:
    return model.id.partition("/")[0]

"""A context that only just does not fit: the ways worth a column, and the longest context that the cards do hold."""

from collections.abc import Sequence

from assistant.compose import names, numbers
from assistant.compose.arithmetic import COLUMNS_MAX, cite, column_name, subject
from assistant.compose.material import Estimate, Material

LEAST_SHARE = 0.25
"""Part of the context asked for that a card must hold to be named with that much."""


def columns(shown: list[Estimate], alternatives: Sequence[Estimate]) -> list[Estimate]:
    """As many ways as a table takes: what was asked, what the verdict rests on, and of the rest the narrowest."""
    kept = [one for one in shown[1:] if one in alternatives]
    rest = [one for one in shown[1:] if one not in kept]
    room = max(COLUMNS_MAX - 1 - len(kept), 0)
    chosen = [*kept, *(rest[-room:] if room else ())]
    return [*shown[:1], *(one for one in shown[1:] if any(one is other for other in chosen))]


def shorter(material: Material, main: Estimate) -> str:
    """The longest context these cards do hold, in whatever format holds most, where a length was asked for."""
    asked = material.need.context_tokens or 0
    same = [one for one in material.estimates if one.fit and (one.gpu, one.gpus) == (main.gpu, main.gpus)]
    best = max(same, key=lambda one: one.placed.max_context_tokens or 0, default=main)
    longest = best.placed.max_context_tokens or 0
    if main.task != "inference" or not asked or not asked * LEAST_SHARE <= longest < asked:
        return ""
    text = material.say(
        "fit.shorter",
        asked=numbers.count(asked),
        tokens=numbers.tokens(longest),
        what=subject(material, best),
        how=column_name(material, best),
        cards=names.cards(best.gpu or "", best.gpus),
    )
    return text + cite(material, best) + ("" if material.say.language == "zh" else " ")

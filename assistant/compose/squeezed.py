"""A context that only just does not fit: the ways worth a column, and the longest context that the cards do hold."""

from collections.abc import Sequence

from assistant.compose import names, numbers
from assistant.compose.arithmetic import COLUMNS_MAX, cite, column_name, subject, workload
from assistant.compose.material import Estimate, Material
from assistant.plan.formats import bits

FEWEST_BITS = 4
"""Bits a weight below which a format is no advice."""
LEAST_SHARE = 0.25
"""Part of the context asked for that a card must hold to be named with that much."""


def columns(shown: list[Estimate], alternatives: Sequence[Estimate]) -> list[Estimate]:
    """As many ways as a table takes: what was asked, what the verdict rests on, and of the rest the narrowest."""
    kept = [one for one in shown[1:] if one in alternatives]
    rest = [one for one in shown[1:] if one not in kept]
    room = max(COLUMNS_MAX - 1 - len(kept), 0)
    chosen = [*kept, *(rest[-room:] if room else ())]
    return [*shown[:1], *(one for one in shown[1:] if any(one is other for other in chosen))]


def needed(found: Sequence[Estimate]) -> list[Estimate]:
    """Without those whose cache is put in eight bits though weights as wide fit the same cards with room."""
    roomy = [one for one in found if one.fit is not None and one.placed.verdict == "yes" and not _cache_changed(one)]

    def spared(one: Estimate) -> bool:
        alike = [other for other in roomy if (other.gpu, other.gpus) == (one.gpu, one.gpus)]
        return any(bits(other.result.weight_format) >= bits(one.result.weight_format) for other in alike)

    return [one for one in found if not (_cache_changed(one) and spared(one))]


def _cache_changed(one: Estimate) -> bool:
    return one.task == "inference" and one.request.get("kv_format") not in {None, "auto"}


def on_more_cards(material: Material, main: Estimate) -> str:
    """How few more of the same card hold it in a smaller format, where this one takes many; else nothing."""
    if main.task != "inference":
        return ""
    alike = [one for one in material.estimates if (one.gpu, one.task) == (main.gpu, "inference")]
    ways = [one for one in alike if not _cache_changed(one) and bits(one.result.weight_format) >= FEWEST_BITS]
    rows = [(row.count, one) for one in ways if (row := one.minimum(main.placed.gpu)) and main.gpus < row.count]
    if not rows:
        return ""
    count, best = min(rows, key=lambda row: (row[0], -bits(row[1].result.weight_format)))
    own = main.minimum(main.placed.gpu)
    if best is main or (own is not None and own.count <= count):
        return ""
    gap = "" if material.say.language == "zh" else " "
    told = material.say("fit.on_more_cards", cards=names.cards(main.placed.gpu, count), how=column_name(material, best))
    return gap + told + cite(material, best)


def _shorter_samples(material: Material, main: Estimate) -> str:
    """The longest samples with which these cards do hold the training, where a length was asked for."""
    asked = material.need.sequence_tokens or material.need.context_tokens or 0
    same = [
        one for one in material.estimates
        if one.fit and one.task == main.task and (one.gpu, one.gpus) == (main.gpu, main.gpus)
    ]  # fmt: skip
    best = max(same, key=lambda one: one.placed.max_sequence_tokens or 0, default=main)
    longest = best.placed.max_sequence_tokens or 0
    if not 0 < longest < asked:
        return ""
    text = material.say(
        "fit.shorter_samples", asked=numbers.count(asked), tokens=numbers.tokens(longest),
        how=workload(material, best), cards=names.cards(best.gpu or "", best.gpus),
    )  # fmt: skip
    return text + cite(material, best) + ("" if material.say.language == "zh" else " ")


def shorter(material: Material, main: Estimate) -> str:
    """The longest context these cards do hold, in whatever format holds most, where a length was asked for."""
    if main.task != "inference":
        return _shorter_samples(material, main)
    asked = material.need.context_tokens or 0
    same = [one for one in material.estimates if one.fit and (one.gpu, one.gpus) == (main.gpu, main.gpus)]
    best = max(same, key=lambda one: one.placed.max_context_tokens or 0, default=main)
    longest = best.placed.max_context_tokens or 0
    if not asked or not asked * LEAST_SHARE <= longest < asked:
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

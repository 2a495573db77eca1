"""What would change whether something fits, from what was computed: more cards, others, a shorter context."""

from assistant.compose import names, numbers, pictures
from assistant.compose.arithmetic import column_name
from assistant.compose.material import Estimate, Material
from tools.memory.result import MinimumGpus

MINIMA_MAX = 4
USEFUL_CONTEXT = 1024
"""Shortest context worth telling of, in tokens."""
MOST_MORE = 16
"""Times as many cards as there are that are still worth a line."""
ROOM_WORTH_SAYING = 1.25
"""How much more context than was asked for has to fit before it is worth a line."""


def smallest(one: Estimate, most: int = MINIMA_MAX) -> list[MinimumGpus]:
    """For each number of cards the smallest card of which so many suffice, fewest cards first."""
    kept: dict[int, MinimumGpus] = {}
    for row in sorted(one.result.minimum_gpus, key=lambda row: row.count):
        if row.verdict != "no":
            kept.setdefault(row.count, row)
    return list(kept.values())[:most]


def levers(material: Material, main: Estimate) -> list[str]:
    """What would change the answer, from what was computed: more cards, a shorter context."""
    say, fit = material.say, main.fit
    found: list[str] = []
    if fit is None:
        return found
    found += pictures.changes(material, main)
    minimum = main.minimum(fit.gpu)
    if fit.verdict == "no" and minimum and main.gpus < minimum.count <= MOST_MORE * main.gpus:
        how = column_name(material, main)
        found.append(say("lever.more_cards", how=how, cards=names.cards(fit.gpu, minimum.count)))
    if fit.verdict == "no" and main.request.get("offload") in (None, "none"):
        fewer = [row for row in smallest(main) if row.gpu != fit.gpu and row.count < main.gpus]
        same = [row for row in main.result.minimum_gpus if row.gpu != fit.gpu and row.count == main.gpus]
        others = [*fewer, *(row for row in same if row.verdict == "yes")][:MINIMA_MAX]
        if others:
            cards = say.listed([names.cards(row.gpu, row.count) for row in others], conjunction="or")
            found.append(say("lever.other_cards", how=column_name(material, main), cards=cards))
    longest = fit.max_context_tokens or 0
    if fit.verdict == "no" and longest >= USEFUL_CONTEXT:
        how = column_name(material, main)
        found.insert(0, say("lever.longest", how=how, tokens=numbers.tokens(longest)))
    most = fit.max_concurrent_sequences or 0
    if fit.verdict == "no" and 0 < most < (material.need.concurrent_sequences or 0):
        found.insert(0, say("lever.most_requests", how=column_name(material, main), count=numbers.count(most)))
    if fit.verdict == "tight" and fit.max_context_tokens:
        found.append(say("lever.context", tokens=numbers.tokens(fit.max_context_tokens)))
    asked_tokens = material.need.context_tokens or 0
    roomy = fit.max_context_tokens and fit.max_context_tokens > ROOM_WORTH_SAYING * asked_tokens
    if fit.verdict == "yes" and main.task == "inference" and fit.max_context_tokens and roomy:
        found.append(say("lever.room", tokens=numbers.tokens(fit.max_context_tokens)))
    return found

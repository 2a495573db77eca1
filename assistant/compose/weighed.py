"""Number formats set against each other that all fit: what each takes and how fast it is."""

from collections.abc import Sequence

from assistant.compose import names, pace
from assistant.compose.arithmetic import cite, subject, total
from assistant.compose.material import Estimate, Material
from assistant.plan.provisional import compared_formats


def formats(material: Material, tried: Sequence[Estimate]) -> str:
    """Formats set against each other that all fit: what each takes and how fast it is; empty where one does not fit."""
    named = compared_formats(material.understanding)
    main = tried[0]
    same = {one.result.weight_format: one for one in reversed(tried) if (one.gpu, one.gpus) == (main.gpu, main.gpus)}
    found = [same[name] for name in named if name in same and same[name].fits]
    if len(found) < max(2, len(named)):
        return ""
    ways = [
        material.say("fit.format_way", how=names.format_name(one.result.weight_format), total=total(one))
        + pace.beside(material, one)
        + cite(material, one)
        for one in found
    ]
    cards = names.cards(main.placed.gpu, main.gpus)
    return material.say("fit.formats", what=subject(material, main), cards=cards, ways=material.say.listed(ways))

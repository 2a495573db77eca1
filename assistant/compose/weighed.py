"""Number formats set against each other that all fit: what each takes and how fast it is."""

import re
from collections.abc import Sequence

from assistant.compose import aside, names
from assistant.compose.arithmetic import cite, column_name, subject, total
from assistant.compose.material import Estimate, Material
from assistant.plan.formats import bits
from assistant.plan.provisional import compared_formats

BOTH = 2
_PICKED = re.compile(r"\b(?:which|pick|choose|best)\b|选|挑|哪", re.I)


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
        + aside.beside(material, one)
        + cite(material, one)
        for one in found
    ]
    cards = names.cards(main.placed.gpu, main.gpus)
    key = "fit.formats" if len(found) == BOTH else "fit.formats_all"
    said = material.say(key, what=subject(material, main), cards=cards, ways=material.say.listed(ways))
    if _PICKED.search(material.text) is None:
        return said
    best = max((one for one in found if one.fit and one.fit.verdict == "yes"), key=_bits, default=None)
    gap = "" if material.say.language == "zh" else " "
    return said + gap + material.say("fit.format_pick", how=column_name(material, best)) if best else said


def _bits(one: Estimate) -> float:
    return bits(one.result.weight_format) or 0.0

"""Cards of several kinds in one machine: what one of them does alone, and what they do together by layers."""

from collections.abc import Sequence

from assistant.answer import AnswerVerdict
from assistant.compose import names, numbers
from assistant.compose.arithmetic import cite, subject
from assistant.compose.material import Estimate, Material
from assistant.compose.orders import cards_of, in_hand, speed
from assistant.plan.formats import bits
from assistant.plan.mixture import by_layers
from tools.configuration import Configuration

FOUR_BITS = 4
SHOWN = 2


def verdict_on(material: Material, main: Estimate) -> tuple[str, AnswerVerdict] | None:
    """Whether they run it, how and how fast; None where they are alike or equal ones are needed.

    The best of each way: on cards of one kind by themselves, and over unlike ones by layers.
    """
    searched = any("error" not in one for one in material.results("configure"))
    if main.task != "inference" or not searched or not by_layers(material.need):
        return None
    say = material.say
    held = [one for one in material.configurations if in_hand(one)]
    values = {"what": subject(material, main), "cards": _owned(material)}
    if not held:
        asked = material.need.weight_format
        how = say("unlike.in_format", format=names.format_name(asked)) if asked else say("unlike.in_any")
        return say("unlike.none", how=how, **values) + cite(material, main), "does_not_fit"
    shown = _shown(held)
    listed = say("unlike.or").join(_way(material, one) for one in shown)
    text = say("unlike.holds", ways=listed, **values)
    if all(one.weight_format and bits(one.weight_format) < FOUR_BITS for one in shown):
        text += say("unlike.coarse")
    form = shown[0].weight_format
    as_asked = form == material.need.weight_format or bits(form) >= bits(main.result.weight_format)
    return text, "fits" if as_asked else "fits_with_changes"


def _shown(held: Sequence[Configuration]) -> list[Configuration]:
    """The best of one kind, and that of several where it is more precise or nothing else holds it."""
    alone = [one for one in held if not one.cards]
    mixed = [one for one in held if one.cards]
    if not alone or not mixed:
        return [*held[:SHOWN]] if alone else mixed[:1]
    finer = bits(mixed[0].weight_format) > bits(alone[0].weight_format)
    return [alone[0], *(mixed[:1] if finer else ())]


def _way(material: Material, one: Configuration) -> str:
    values = {
        "cards": cards_of(one), "format": names.format_name(one.weight_format or ""),
        "needed": numbers.gib(one.memory.needed_bytes_per_gpu, digits=1),
        "usable": numbers.gib(one.memory.usable_bytes_per_gpu, digits=1),
    }  # fmt: skip
    pace = speed(material, one)
    key = "layers" if one.cards else "alone"
    end = material.say("unlike.pace", pace=pace) if pace else material.say("unlike.no_pace")
    return material.say(f"unlike.{key}_{one.memory.verdict}", **values) + end


def _owned(material: Material) -> str:
    return " + ".join(names.cards(card.gpu, card.count or 1) for card in material.need.gpus_owned)

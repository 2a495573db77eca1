"""That a card comes in whole servers only, where fewer of it were to be bought."""

from assistant.compose import names
from assistant.compose.material import Material
from assistant.compose.section import Section
from assistant.plan import boards as planned

TOLD = {"recommendation", "estimate", "comparison", "fact", "fits", "fits_with_changes"}
"""Verdicts that speak of having the cards."""


def lead(material: Material, main: Section) -> None:
    """Put it before what the cards would cost or do."""
    card = planned.wanted(material.need, material.text)
    if card is None or main.verdict not in TOLD:
        return
    say = material.say
    sizes = say.listed([str(size) for size in planned.unsold(card)], conjunction="or")
    told = say("boards.unsold", gpu=names.gpu_name(card.gpu), sizes=sizes, cards=names.cards(card.gpu, card.count or 1))
    main.headline = told + ("" if say.language == "zh" else " ") + main.headline

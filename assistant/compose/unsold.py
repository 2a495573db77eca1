"""That a card is not known with the memory that was said of it, before what is reckoned for the one that is."""

import re

from assistant.compose import facts, names
from assistant.compose.aspects import BY_KEY
from assistant.compose.citations import joined
from assistant.compose.material import Material
from assistant.compose.section import Section
from assistant.plan.card_claims import misjudged
from assistant.plan.unsold import unsold
from kb.catalog import gpu
from kb.units import GIB


def lead(material: Material, main: Section) -> None:
    """Put it first, where such a card was named."""
    found = unsold(material.understanding, material.need)
    rows = {row.id: row for row in facts.cards(material)}
    if found is None or main.verdict == "out_of_scope" or misjudged(material.understanding, material.need):
        return
    marks = [facts.cite_card(material, rows[found.card], [BY_KEY["memory"]])] if found.card in rows else []
    family = re.sub(r"\s?\d+ ?GB\b.*$", "", names.gpu_name(found.card))
    known = material.say.listed([_sized(card) for card in found.known])
    told = {"card": family, "stated": f"{found.stated} GB", "known": known, "taken": _sized(found.card)}
    main.body.insert(0, main.headline)
    main.headline = material.say("premise.unsold", **told) + joined(marks)


def _sized(card: str) -> str:
    """The card's name with its memory."""
    name = names.gpu_name(card)
    return name if "GB" in name else f"{name} {gpu(card).memory_bytes // GIB} GB"

"""What a card is comparable to, figure by figure."""

from assistant.compose import clarify, facts, names
from assistant.compose.aspects import BY_KEY, COMPARED
from assistant.compose.material import Material
from assistant.compose.section import Section


def alike(material: Material) -> Section | None:
    """The nearest card by memory, bandwidth and arithmetic, and the figures of the nearest few."""
    rows = facts.cards(material)
    if len(rows) < 2:
        return None
    own, *others = rows
    headline = material.say("alike.nearest", card=names.gpu_name(own.id), other=names.gpu_name(others[0].id))
    section = Section("fact", headline, [facts.facts_table(material, rows, [BY_KEY[key] for key in COMPARED])])
    section.settled, section.assumptions = True, clarify.ambiguous_names(material)
    section.caveats.append(material.say("alike.software"))
    return section

"""One line for what is not the advisor's business, and for thanks."""

from assistant.compose.material import Material
from assistant.compose.section import Section


def out_of_scope(material: Material) -> Section:
    """Point back to what the advisor does; no tool ran and no number is stated."""
    return Section("out_of_scope", material.say("scope.refused"))


def thanked(material: Material) -> Section:
    """To thanks and nods: one line, and nothing told again."""
    return Section("fact", material.say("scope.thanked"), settled=True)

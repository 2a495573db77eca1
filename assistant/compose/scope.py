"""One line for what is not the advisor's business."""

from assistant.compose.material import Material
from assistant.compose.section import Section


def out_of_scope(material: Material) -> Section:
    """Point back to what the advisor does; no tool ran and no number is stated."""
    return Section("out_of_scope", material.say("scope.refused"))

"""The answers to questions of a shape of their own."""

from assistant.compose import availability, bill
from assistant.compose.material import Material
from assistant.compose.section import Section


def particular(material: Material) -> Section | None:
    """The whole answer; None where the question is none of them, or its tools gave nothing."""
    return availability.availability(material) or bill.bill(material)

"""What has to come before an answer of whatever kind, one after another."""

from assistant.compose import (
    additions,
    availability,
    boards,
    fed,
    growing,
    real_time,
    replicas,
    served_adapters,
    too_soon,
    unsold,
)
from assistant.compose.material import Material
from assistant.compose.section import Section

LEADS = (
    real_time.lead, boards.lead, too_soon.lead, availability.lead, fed.lead, growing.lead, replicas.lead,
    unsold.lead, served_adapters.lead, additions.lead,
)  # fmt: skip
"""In the order in which they are put before; the last one ends up first."""


def lead(material: Material, main: Section) -> None:
    """Every one of them that has something to say."""
    for one in LEADS:
        one(material, main)

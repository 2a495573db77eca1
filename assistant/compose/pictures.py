"""What would let a card hold a picture model after all: each change with what it comes to."""

from assistant.compose import names, numbers
from assistant.compose.material import Estimate, Material
from assistant.plan.amounts import SEEN
from kb.base import AdvisorError
from kb.catalog import model

CHANGES_MAX = 3
_FIELDS = {
    "offload": "", "images_per_batch": "images", "width_px": "width", "weight_format": "format",
}  # fmt: skip
"""Field changed → how it is said."""


def changes(material: Material, main: Estimate) -> list[str]:
    """The calculator's own single changes after which the card holds it, least costly first."""
    if main.fit is None or main.fit.verdict != "no" or not _of_pictures(main):
        return []
    found = []
    for change in main.result.changes:
        field, _, value = change.change.partition(" = ")
        if " and " in change.change or field not in _FIELDS:
            continue
        shown = names.format_name(value) if field == "weight_format" else value
        how = material.say(f"lever.change_{_FIELDS[field] or value}", value=shown)
        verdict = material.say(f"lever.change_{change.verdict}")
        total = numbers.gib(change.total_bytes, digits=1)
        found.append(material.say("lever.picture_change", how=how, total=total, verdict=verdict))
    return found[:CHANGES_MAX]


def _of_pictures(one: Estimate) -> bool:
    try:
        return one.result.model is not None and model(one.result.model).kind in (*SEEN, "speech")
    except AdvisorError:
        return False

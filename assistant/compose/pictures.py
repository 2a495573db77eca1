"""What would let a card hold a picture model after all: each change with what it comes to."""

from collections.abc import Sequence

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
    found, worked_out = [], {one.request.get("offload") for one in material.estimates}
    for change in main.result.changes:
        field, _, value = change.change.partition(" = ")
        if " and " in change.change or field not in _FIELDS or (field == "offload" and value in worked_out):
            continue
        shown = names.format_name(value) if field == "weight_format" else value
        made = "_made" if field == "images_per_batch" and main.task == "inference" else ""
        how = material.say(f"lever.change_{_FIELDS[field] or value}{made}", value=shown)
        verdict = material.say(f"lever.change_{change.verdict}")
        total = numbers.gib(change.total_bytes, digits=1)
        found.append(material.say("lever.picture_change", how=how, total=total, verdict=verdict))
    return found[:CHANGES_MAX]


def unstreamed(ways: Sequence[Estimate], main: Estimate, among: Sequence[Estimate], *, stated: bool) -> list[Estimate]:
    """The ways without those that stream layers, many times slower, though something milder among the others fits.

    Where the format was stated, only what keeps it is milder; narrower weights are streamed only where wide ones fail.
    """
    return [one for one in ways if not _needlessly_streamed(one, main, among, stated)]


def _needlessly_streamed(one: Estimate, main: Estimate, among: Sequence[Estimate], stated: bool) -> bool:
    if not streams(one):
        return False
    wide = main.result.weight_format
    same = [other for other in among if other is not one and other.result.weight_format == wide]
    if one.result.weight_format != wide and any(map(streams, same)):
        return True
    return not all(map(streams, same if stated else among))


def ranked(found: Sequence[Estimate], main: Estimate, roomy: Sequence[Estimate], *, stated: bool) -> list[Estimate]:
    """Ways that fit, the slowest last: those with room, else all.

    A format that was stated is kept where the parts of a pipeline can take turns, though it just fits.
    """
    kept: list[Estimate] = []
    if stated and any("offload" in one.request for one in found):
        kept = [one for one in found if one.result.weight_format == main.result.weight_format]
    if kept:
        kept += [one for one in roomy if one not in kept]
    return sorted(kept or roomy or found, key=streams)


def streams(one: Estimate) -> bool:
    """Whether it sends the weights through the card layer by layer, many times slower."""
    return one.request.get("offload") == "all"


def _of_pictures(one: Estimate) -> bool:
    try:
        return one.result.model is not None and model(one.result.model).kind in (*SEEN, "speech")
    except AdvisorError:
        return False

"""One card in two numbers side by side: which hold the work, how much faster the more are, what room they add."""

from dataclasses import replace

from assistant.answer import ToolCallRecord
from assistant.compose import names, numbers
from assistant.compose.arithmetic import arithmetic, workload
from assistant.compose.assume import assumed
from assistant.compose.caveats import caveats
from assistant.compose.material import Material
from assistant.compose.one_more import FASTER, LONGER
from assistant.compose.section import Section
from assistant.compose.sides import Side, line, pace, paced, rate_of, way_name
from assistant.plan import in_numbers as planned
from assistant.plan import one_more
from assistant.plan.amounts import model_kind
from assistant.plan.formats import bits
from assistant.plan.one_more import SERVED
from tools.need import GpuCount
from tools.what_fits_result import WhatFits


def in_numbers(material: Material) -> Section | None:
    """The verdict, a line for each number and the memory of both; None where it could not be worked out."""
    found = planned.weighed(material.need, material.understanding.text)
    if found is None:
        return None
    asked = material
    material = replace(material, understanding=material.understanding.model_copy(update={"need": found.need}))
    few, many = Side(material, found.few), Side(material, found.many)
    if few.estimate is None or many.estimate is None:
        return None
    gap = "" if material.say.language == "zh" else " "
    said = [_largest(material, few, many), *_verdict(material, few, many, shared=found.shared)]
    headline = gap.join(filter(None, said))
    section = Section("comparison" if many.way.fits else "does_not_fit", headline, settled=True)
    lines = [line(material, side, _context(material, side)) for side in (few, many)]
    further = None if many.way.fits else one_more.beyond(found.need, many.way)
    lines += [line(material, Side(material, further))] if further is not None else []
    section.body = ["\n".join(f"- {each}" for each in lines if each)]
    section.body.append(arithmetic(material, [few.estimate, many.estimate]))
    section.caveats = caveats(material, many.estimate)
    section.assumptions = assumed(asked, few.estimate if few.way.fits else many.estimate, told=("format",))
    if found.need.params and not (asked.need.params or asked.need.model):
        section.assumptions.append(material.say("in_numbers.usual", size=numbers.params(found.need.params)))
    at_once = found.need.concurrent_sequences
    if at_once and at_once != asked.need.concurrent_sequences:
        section.assumptions.append(material.say("in_numbers.at_once", count=at_once))
    return section


def _verdict(material: Material, few: Side, many: Side, *, shared: bool) -> list[str]:
    """Who holds it, how their paces stand, and what the more hold besides."""
    say = material.say
    values = {"few": few.cards, "many": many.cards, "least": way_name(material, few.estimate),
              "wider": way_name(material, many.estimate),
              "what": workload(material, many.estimate).strip() if many.estimate else ""}  # fmt: skip
    if not many.way.fits:
        return [say("in_numbers.neither", **values)]
    if not few.way.fits:
        speed = pace(material, many.record) if many.record else ""
        key = "opens" if material.need.weight_format is None else "opens_as_said"
        return [say(f"in_numbers.{key}", **values), say("in_numbers.at", there=speed) if speed else ""]
    if model_kind(material.need) not in ("llm", "vlm", None) and few.way.task == "inference":
        return [say("in_numbers.apart", **values)]
    told = _ratio(material, few, many, few.way.weight_format, "files" if shared else "plain")
    split = _ratio(material, few, many, SERVED, "shared") if shared else ""
    return [split, told, _room(material, few, many, values)]


def _largest(material: Material, few: Side, many: Side) -> str:
    """The largest models that each holds, where no model was named."""
    most = {}
    for result in map(WhatFits.model_validate, material.results("what_fits")):
        rows = [row for row in result.rows if row.max_params and row.task == "inference"]
        if rows:
            most[result.count] = max(rows, key=lambda row: row.max_params or 0)
    if len(most) < 2:
        return ""
    one, other = most[min(most)], most[max(most)]
    sizes = {"first": numbers.params(one.max_params or 0), "second": numbers.params(other.max_params or 0)}
    form = names.format_name(other.weight_format)
    return material.say("in_numbers.largest", few=few.cards, many=many.cards, form=form, **sizes)


def _ratio(material: Material, few: Side, many: Side, form: str | None, key: str) -> str:
    """How many times as fast the more cards are at the same."""
    here, there = paced(material, few.way.card, form), _alike(material, few, many.way.card, form)
    first, second = rate_of(material, here), rate_of(material, there)
    if not first or not second:
        return ""
    ratio = float(second[1]["value"]) / float(first[1]["value"])
    named = names.format_name(form or "") if key == "shared" else way_name(material, few.estimate)
    told = {"here": pace(material, here), "there": pace(material, there), "form": named}
    cards = {"few": few.cards, "many": many.cards, "ratio": numbers.figure(ratio)}
    return material.say(f"in_numbers.{key}_{_kind(ratio)}", **told, **cards)


def _kind(ratio: float) -> str:
    return "slower" if ratio <= 1 / FASTER else "faster" if ratio >= FASTER else "alike"


def _alike(material: Material, few: Side, card: GpuCount, form: str | None) -> ToolCallRecord | None:
    """The pace of so many cards at what the fewer do."""
    if few.way.task == "inference":
        return paced(material, card, form)
    found = (one for one in material.records("estimate_training_time") if one.request.get("gpu_count") == card.count)
    return next((one for one in found if one.result["task"] == few.way.task), None)


def _room(material: Material, few: Side, many: Side, values: dict[str, str]) -> str:
    """What the more cards hold that the fewer do not."""
    one, other = few.estimate, many.estimate
    if one is None or other is None:
        return ""
    if few.way.task != many.way.task or bits(other.result.weight_format) > bits(one.result.weight_format):
        return material.say("in_numbers.wider", **values)
    first, second = one.placed.max_context_tokens, other.placed.max_context_tokens
    if first and second and second >= LONGER * first:
        return material.say("in_numbers.longer", few=few.cards, many=many.cards,
                            first=numbers.tokens(first), second=numbers.tokens(second))  # fmt: skip
    return ""


def _context(material: Material, side: Side) -> str:
    most = side.estimate.placed.max_context_tokens if side.estimate is not None else None
    return material.say("more.context", tokens=numbers.tokens(most)) if most else ""

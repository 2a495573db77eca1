"""Which of several formats of a model is faster on the same cards, and what each takes of their memory."""

from assistant.answer import ToolCallRecord
from assistant.compose import names, numbers, pace, ranges
from assistant.compose.arithmetic import arithmetic, cite, subject, total
from assistant.compose.assume import assumed
from assistant.compose.caveats import caveats
from assistant.compose.material import Estimate, Material
from assistant.compose.section import Section
from assistant.plan import formats_raced as planned
from assistant.plan.formats import bits

EVEN = 1.1
"""Times another's pace below which two are as fast: the estimates are no finer."""
NARROW = 8
"""Bits a weight below which the narrower of two formats costs some quality."""


def formats_raced(material: Material) -> Section | None:
    """The faster first; who does not fit is said. None where fewer than two formats were worked out."""
    held = {one.result.weight_format: one for one in material.estimates if one.fit is not None}
    if len(held) < 2:
        return None
    say, first = material.say, next(iter(held.values()))
    paced = sorted((one for one in _paces(material) if held[one.result["weight_format"]].fits), key=_rate, reverse=True)
    missing = [one for one in held.values() if not one.fits]
    cards = planned.card_of(material.need)
    values = {"what": subject(material, first), "cards": names.cards(cards.gpu, cards.count or 1)}
    told = [_told(material, one) for one in paced]
    if len(paced) > 1:
        alike = _rate(paced[0]) < EVEN * _rate(paced[-1])
        key = "formats_raced.even" if alike else "formats_raced.faster"
        headline = say(key, **values, form=_form(paced[0]), ways=say.listed(told))
    elif paced:
        headline = say("formats_raced.only", **values, ways=told[0])
    else:
        headline = say("formats_raced.none", **values)
    headline += "".join(_unfit(material, one) for one in missing)
    section = Section("comparison" if paced else "does_not_fit", headline, settled=True)
    section.body = [arithmetic(material, list(held.values()))]
    section.assumptions = assumed(material, first, told=("format",))
    section.caveats = caveats(material, first)
    narrowest = min(held, key=bits)
    if paced and bits(narrowest) < NARROW:
        section.caveats.append(say("formats_raced.quality", form=names.format_name(narrowest)))
    return section


def _paces(material: Material) -> list[ToolCallRecord]:
    known = {one.result.weight_format for one in material.estimates if one.fit is not None}
    found = material.records("estimate_inference_speed")
    return [one for one in found if one.result.get("tokens_per_s_per_user") and one.result["weight_format"] in known]


def _rate(record: ToolCallRecord) -> float:
    return float(record.result["tokens_per_s_per_user"]["value"])


def _form(record: ToolCallRecord) -> str:
    return names.format_name(record.result["weight_format"])


def _told(material: Material, record: ToolCallRecord) -> str:
    shown = ranges.figures(material, record.result["tokens_per_s_per_user"])
    told = material.say("formats_raced.way", **shown, form=_form(record))
    return told + pace.cite_pace(material, record.tool, record.result)


def _unfit(material: Material, one: Estimate) -> str:
    usable = numbers.gib(one.fit.usable_bytes, digits=1) if one.fit else ""
    form = names.format_name(one.result.weight_format)
    return material.say("formats_raced.unfit", form=form, total=total(one), usable=usable) + cite(material, one)

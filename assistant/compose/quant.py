"""Which quantised file to take: the widest that leaves room, what the next would take, and all of them in a table."""

from assistant.compose import names, numbers, ranges
from assistant.compose.arithmetic import cite, subject, total
from assistant.compose.assume import assumed
from assistant.compose.material import Estimate, Material
from assistant.compose.pace import cite_pace
from assistant.compose.section import Section
from assistant.compose.table import table
from assistant.plan import quant as planned
from assistant.plan.formats import bits

FOUR = 4
"""Bits a weight below which answers get noticeably worse."""


def quant(material: Material) -> Section | None:
    """The file first; None where nothing was worked out."""
    tried = [one for one in material.estimates if (one.result.weight_format or "").startswith("gguf:")]
    if not tried:
        return None
    say = material.say
    held = [one for one in tried if _verdict(material, one) != "no"]
    best = _best(material, held) if held else tried[-1]
    wider = tried[tried.index(best) - 1] if best is not tried[0] else None
    values = {
        "format": names.format_name(best.result.weight_format), "what": subject(material, best),
        "total": total(best), "room": _room(material, best),
        "context": numbers.tokens(material.need.context_tokens or 4096),
    }  # fmt: skip
    key = {"yes": "best", "tight": "tight", "no": "none"}[_verdict(material, best)]
    text = say(f"quant.{key}", **values) + cite(material, best)
    if held and wider is not None:
        form = names.format_name(wider.result.weight_format)
        text += say("quant.wider", format=form, total=total(wider)) + cite(material, wider)
    section = Section("fits" if held else "does_not_fit", text + _speed(material, best), settled=True)
    rows = [
        [names.format_name(one.result.weight_format), total(one), say(f"mark.{_verdict(material, one)}")]
        for one in tried
    ]
    section.body = [table([say("worth.format"), say("table.gib", column=say("quant.each")), say("table.fits")], rows)]
    section.assumptions = assumed(material, best)[1:]
    return section


def _best(material: Material, held: list[Estimate]) -> Estimate:
    """The widest with room; one of four or three bits that only just fits before one of fewer, which answers worse."""
    sure = next((one for one in held if _verdict(material, one) == "yes"), held[0])
    few = bits(sure.result.weight_format)
    fuller = next((one for one in held if few < bits(one.result.weight_format) <= FOUR), None)
    return fuller if fuller is not None else sure


def _verdict(material: Material, one: Estimate) -> str:
    if one.fit is not None:
        return one.fit.verdict
    room = planned.room_bytes(material.understanding)
    needed = one.result.per_gpu
    return "yes" if needed.high_bytes <= room else "tight" if needed.total_bytes <= room else "no"


def _room(material: Material, one: Estimate) -> str:
    if one.fit is not None:
        usable = numbers.gib(one.fit.usable_bytes, digits=1)
        return material.say("quant.usable", usable=usable, cards=names.cards(one.fit.gpu, one.gpus))
    return f"{numbers.gib(planned.room_bytes(material.understanding))} GB"


def _speed(material: Material, best: Estimate) -> str:
    for record in material.records("estimate_inference_speed"):
        if record.result.get("tokens_per_s_per_user") and record.result["weight_format"] == best.result.weight_format:
            shown = ranges.figures(material, record.result["tokens_per_s_per_user"])
            return material.say("quant.pace", **shown) + cite_pace(material, record.tool, record.result)
    return ""

"""Whether an older card is still worth buying: does the work fit, what does as well cost, what software is left."""

from assistant.answer import ToolCallRecord
from assistant.compose import amounts, clarify, compatibility, names, numbers
from assistant.compose.arithmetic import cite, total
from assistant.compose.material import Estimate, Material
from assistant.compose.pace import cite_pace
from assistant.compose.section import Section
from assistant.compose.table import table
from assistant.plan import worth as planned
from kb.catalog import gpu
from tools.need import GpuCount

CLEARLY = 0.8
"""Share of the other card's price below which the older one is clearly the cheaper."""


def worth(material: Material) -> Section | None:
    """The verdict first, then both cards beside each other and what software leaves the older one out."""
    placed = [one for one in material.estimates if one.fit]
    if not placed:
        return None
    one, own = planned.card(material.need), [each for each in placed if each.gpu == placed[0].gpu]
    held = next((each for verdict in ("yes", "tight") for each in own if each.placed.verdict == verdict), None)
    other = next((each for each in placed if each.gpu != placed[0].gpu and each.fits), None)
    lines = [compatibility.line(material, each) for each in compatibility.findings(material) if each.verdict != "works"]
    section = Section("recommendation", "", settled=True)
    if held is None:
        section.verdict = "does_not_fit"
        section.headline = _too_large(material, min(own, key=lambda each: each.result.per_gpu.total_bytes))
    else:
        section.headline = _judged(material, one, held, other, ended=_ended(material, one))
        section.body.append(_table(material, [held, *([other] if other else [])]))
    section.caveats = lines
    section.assumptions = clarify.ambiguous_names(material)
    return section


def _too_large(material: Material, least: Estimate) -> str:
    text = material.say(
        "worth.no_room",
        cards=names.cards(least.gpu or "", least.gpus),
        format=names.format_name(least.result.weight_format),
        total=total(least),
        usable=numbers.gib(least.placed.usable_bytes, digits=1),
    )
    return text + cite(material, least)


def _ended(material: Material, one: GpuCount) -> bool:
    """Whether current software leaves the card out: PyTorch's own wheels are the measure.

    What they ask of a card of today is newer software, not older.
    """
    if float(gpu(one.gpu).compute_capability or 0) >= planned.CURRENT:
        return False
    found = compatibility.findings(material)
    return any(each.verdict != "works" for each in found if "pytorch" in each.asked.lower())


def _judged(material: Material, one: GpuCount, held: Estimate, other: Estimate | None, *, ended: bool) -> str:
    say, price = material.say, planned.priced(gpu(one.gpu))
    rival = planned.priced(gpu(other.gpu)) if other and other.gpu else None
    values = {"cards": names.cards(one.gpu, one.count or 1), "card": names.gpu_name(one.gpu)}
    if price:
        values |= {"price": numbers.usd(price.amount_usd), "date": price.as_of or ""}
    if rival and other and other.gpu:
        values |= {"rival": names.gpu_name(other.gpu), "rival_price": numbers.usd(rival.amount_usd)}
        values["rival_date"] = rival.as_of or ""
    if price and rival:
        cheap = float(price.amount_usd) * (one.count or 1) <= CLEARLY * float(rival.amount_usd)
        key = ("only" if ended else "yes") if cheap else "no"
    elif rival:
        key = "below_ended" if ended else "below"
    else:
        key = ("alone_ended" if ended else "alone") if price else "unpriced"
    fits = say(f"worth.fits_{held.placed.verdict}", format=names.format_name(held.result.weight_format), **values)
    return say(f"worth.{key}", **values) + ("" if say.language == "zh" else " ") + fits + cite(material, held)


def _table(material: Material, shown: list[Estimate]) -> str:
    say = material.say
    head = [say("worth.card"), say("worth.price"), say("worth.format"), say("worth.needed"), say("worth.pace")]
    rows = []
    for each in shown:
        price = planned.priced(gpu(each.gpu or ""))
        paid = f"{numbers.usd(price.amount_usd)} ({price.as_of})" if price else say("worth.not_read")
        room = f"{total(each)} GiB / {numbers.gib(each.placed.usable_bytes, digits=1)} GiB"
        rows.append([
            names.cards(each.gpu or "", each.gpus), paid, names.format_name(each.result.weight_format), room,
            _pace(material, each),
        ])  # fmt: skip
    return table(head, rows)


def _pace(material: Material, one: Estimate) -> str:
    record = next((each for each in material.records("estimate_inference_speed") if _of(each, one)), None)
    found = record.result.get("tokens_per_s_per_user") if record else None
    return amounts.figure_range(found) + cite_pace(material, record.tool, record.result) if record and found else "–"


def _of(record: ToolCallRecord, one: Estimate) -> bool:
    return bool(record.result.get("gpu") == one.gpu)

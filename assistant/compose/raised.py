"""What one setting takes when it is raised: the difference first, then whether it still fits."""

from assistant.compose import names, numbers
from assistant.compose.arithmetic import ROWS, cite, total, workload
from assistant.compose.assume import assumed
from assistant.compose.material import Estimate, Material
from assistant.compose.section import Section
from assistant.compose.table import table
from assistant.plan import raised as planned


def raised(material: Material) -> Section | None:
    """The difference of both, and the verdict on the later one; None where they could not be worked out."""
    change = planned.read(material.text)
    if change is None or len(material.estimates) < len(("before", "after")):
        return None
    say, (before, after, *lighter) = material.say, material.estimates
    low, high = (one.result.per_gpu.total_bytes for one in (before, after))
    more, less = (after, before) if high >= low else (before, after)
    figures = [numbers.gib(one.result.per_gpu.total_bytes, digits=1) for one in (more, less)]
    difference = float(figures[0].replace(",", "")) - float(figures[1].replace(",", ""))
    headline = say(
        "raised.more" if high >= low else "raised.less",
        what=workload(material, after), setting=say(f"raised.{change.field}"),
        before=numbers.count(change.before), after=numbers.count(change.after),
        larger=figures[0], smaller=figures[1], difference=f"{difference:,.1f}",
    ) + cite(material, before) + cite(material, after)  # fmt: skip
    section = Section("estimate", headline)
    if after.fit is not None:
        cards = names.cards(after.placed.gpu, after.gpus)
        usable = numbers.gib(after.placed.usable_bytes, digits=1)
        told = say(f"raised.{after.fit.verdict}", cards=cards, usable=usable)
        parts = [told, headline] if planned.FITS.search(material.text) else [headline, told]
        section.headline = ("" if say.language == "zh" else " ").join(parts)
        section.verdict = "does_not_fit" if after.fit.verdict == "no" else "fits"
        instead = next((one for one in lighter if one.fits), None)
        if instead is not None and after.fit.verdict != "yes":
            section.levers = [say("raised.instead", total=total(instead)) + cite(material, instead)]
    section.settled = True
    section.body = [_table(material, before, after, change)]
    section.assumptions = assumed(material, after)
    return section


def _table(material: Material, before: Estimate, after: Estimate, change: planned.Raise) -> str:
    """Part by part, before and after."""
    say, setting = material.say, material.say(f"raised.{change.field}")
    both = (before, after)
    head = [say("table.per_gpu")]
    head += [say("table.gib", column=f"{setting} {numbers.count(value)}") for value in (change.before, change.after)]
    rows = [
        [say(f"part.{label}"), *(numbers.gib(one.part(*parts), digits=1) for one in both)]
        for label, parts in ROWS
        if any(one.part(*parts) for one in both)
    ]
    totals = [numbers.gib(one.result.per_gpu.total_bytes, digits=1) for one in both]
    rows.append([f"**{say('table.total')}**", *(f"**{one}**" for one in totals)])
    if after.fit:
        rows.append([say("table.usable"), *(numbers.gib(one.placed.usable_bytes, digits=1) for one in both)])
    return table(head, rows)

"""What to put in the place of a card in hand: the cheapest step up, what it brings, and the steps beyond."""

from assistant.answer import ToolCallRecord
from assistant.compose import amounts, clarify, facts, names, numbers
from assistant.compose.arithmetic import total
from assistant.compose.aspects import BY_KEY
from assistant.compose.material import Estimate, Material
from assistant.compose.pace import cite_pace
from assistant.compose.section import Section
from assistant.compose.table import table
from assistant.plan import upgrade as planned
from assistant.plan.market import left_out
from tools.gpu_row import GpuRow
from tools.need import GpuCount, Need

MORE_POWER_W = 75
"""Board power over the old card's from which the supply has to be looked at."""
_TOLD = tuple(BY_KEY[key] for key in ("memory", "bandwidth", "power", "price"))

Rows = dict[str, GpuRow]


def upgrade(material: Material) -> Section | None:
    """The first choice with its price and what it gains; a table of the card in hand and of every choice."""
    say, rows = material.say, {one.id: one for one in facts.cards(material)}
    own = planned.in_place(material.need)
    wanted = planned.goal(material.understanding, material.need)
    choices = [one for one in planned.choices(wanted) if one.gpu in rows]
    if own is None or own.gpu not in rows:
        return None
    if not choices:
        return _keep(material, rows, own, planned.dearer(wanted))
    best = next((one for one in choices if one.gpu != own.gpu), choices[0])
    headline = _best(material, rows, own, best)
    for one in choices:
        key = "upgrade.second" if one.gpu == own.gpu else "upgrade.beyond"
        headline += say(key, **_values(material, rows[one.gpu], one, own)) if one is not best else ""
    section = Section("recommendation", headline, [_table(material, rows, [own, *choices])], settled=True)
    section.caveats = _caveats(material, rows, own, best)
    section.assumptions = _assumed(material, wanted)
    return section


def _keep(material: Material, rows: Rows, own: GpuCount, beyond: GpuCount | None) -> Section:
    """Nothing in the budget is better: keep what there is, with how the work runs on it and what a step would take."""
    say = material.say
    cards = names.cards(own.gpu, own.count or 1)
    if beyond is None or beyond.gpu not in rows:
        return Section("fact", say("upgrade.none", card=names.gpu_name(own.gpu)), settled=True)
    record, pace = _paced(material, own)
    runs = say("upgrade.runs", value=pace) + cite_pace(material, record.tool, record.result) if record else ""
    step = say("upgrade.step", **_values(material, rows[beyond.gpu], beyond, own))
    headline = say("upgrade.keep", cards=cards, runs=runs)
    section = Section("recommendation", headline + step, [_table(material, rows, [own, beyond])], settled=True)
    section.caveats = [say("unit_price.old")] if rows[beyond.gpu].price_stale else []
    section.assumptions = _assumed(material, material.need)
    return section


def _best(material: Material, rows: Rows, own: GpuCount, best: GpuCount) -> str:
    """The first choice in a sentence: the price, the gains, and how the work runs there."""
    say, old, new = material.say, rows[own.gpu], rows[best.gpu]
    if best.gpu == own.gpu:
        return say("upgrade.add", **_values(material, new, best, own)) + say("list.stop")
    told = {key: (BY_KEY[key].value(new), BY_KEY[key].value(old)) for key in ("memory", "bandwidth")}
    gains = [say(f"upgrade.{key}", new=now, old=then) for key, (now, then) in told.items() if now and then]
    text = say("upgrade.take", **_values(material, new, best, own), gains=say.listed(gains))
    if (work := _work(material, best)) is not None:
        used = names.format_name(work.result.weight_format)
        text += say(f"upgrade.holds_{work.placed.verdict}", format=used, needed=total(work))
    record, pace = _paced(material, best)
    if record is not None:
        text += say("upgrade.speed", value=pace) + cite_pace(material, record.tool, record.result)
    return text + say("list.stop")


def _values(material: Material, row: GpuRow, one: GpuCount, own: GpuCount) -> dict[str, str]:
    """The card with the price of what must be bought of it."""
    more = (one.count or 1) - (own.count or 1) if one.gpu == own.gpu else one.count or 1
    price = float(row.price.amount_usd) * more if row.price else 0.0
    date = (row.price.as_of if row.price else None) or material.say("cost.undated")
    memory = BY_KEY["memory"].value(row) or ""
    return {"card": names.gpu_name(row.id), "price": numbers.usd(price), "date": date, "memory": memory}


def _work(material: Material, one: GpuCount) -> Estimate | None:
    """The memory of the work there."""
    return next((each for each in material.estimates if each.gpu == one.gpu and each.gpus == (one.count or 1)), None)


def _paced(material: Material, one: GpuCount) -> tuple[ToolCallRecord | None, str]:
    """The speed of the work there; none where it was not worked out."""
    for record in material.records("estimate_inference_speed"):
        found = record.result.get("tokens_per_s_per_user")
        if found and (record.request.get("gpu"), record.request.get("gpu_count") or 1) == (one.gpu, one.count or 1):
            return record, amounts.figure_range(found)
    return None, ""


def _table(material: Material, rows: Rows, shown: list[GpuCount]) -> str:
    """One line for the card in hand and for each choice."""
    say, sized = material.say, bool(material.estimates)
    head = [say("table.card"), *(say(f"aspect.{aspect.key}") for aspect in _TOLD)]
    lines = []
    for index, one in enumerate(shown):
        row = rows[one.gpu]
        named = names.cards(one.gpu, one.count or 1) + (say("upgrade.now") if not index else "")
        values = [aspect.value(row) or "–" for aspect in _TOLD]
        paid = [*values[:-1], values[-1] if index else "–"]
        cells = [named + facts.cite_card(material, row, _TOLD), *paid]
        lines.append([*cells, *([_run(material, one)] if sized else [])])
    return table([*head, *([say("upgrade.work")] if sized else [])], lines)


def _run(material: Material, one: GpuCount) -> str:
    """Whether the work fits there, and how fast it is."""
    say, work, (record, pace) = material.say, _work(material, one), _paced(material, one)
    if work is None:
        return "–"
    if not work.fits:
        return say("upgrade.no_room", needed=total(work))
    return say("upgrade.pace", value=pace) if record else say("upgrade.room", needed=total(work))


def _caveats(material: Material, rows: Rows, own: GpuCount, best: GpuCount) -> list[str]:
    say, old, new = material.say, rows[own.gpu], rows[best.gpu]
    told = [say("upgrade.left_out", card=names.gpu_name(own.gpu))] if left_out(old) else []
    if new.tdp_w and old.tdp_w and new.tdp_w - old.tdp_w >= MORE_POWER_W:
        told.append(say("upgrade.power", new=f"{new.tdp_w} W", old=f"{old.tdp_w} W"))
    if new.status == "discontinued":
        told.append(say("upgrade.used", card=names.gpu_name(best.gpu)))
    if any(row.price_stale for row in rows.values() if row.price):
        told.append(say("unit_price.old"))
    return told


def _assumed(material: Material, wanted: Need) -> list[str]:
    """What was taken: the size aimed at where that is not the model named, else the names in doubt."""
    say = material.say
    if wanted is not material.need and wanted.params:
        return [say("upgrade.goal", size=numbers.params(wanted.params)), say("upgrade.not_sold")]
    return [say("upgrade.not_sold"), *clarify.ambiguous_names(material)]

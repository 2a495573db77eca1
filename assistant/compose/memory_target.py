"""So much memory for the least money: which cards, how many, and what they cost with and without a machine."""

from assistant.answer import ToolCallRecord
from assistant.compose import amounts, facts, names, numbers
from assistant.compose.aspects import BY_KEY
from assistant.compose.material import Material
from assistant.compose.pace import cite_pace
from assistant.compose.section import Section
from assistant.compose.table import table
from assistant.plan import memory_target as planned
from assistant.plan.market import ordinary
from tools.gpu_row import GpuRow


def memory_target(material: Material) -> Section | None:
    """The cheapest set of cards, the fewest cards, and a table of the next."""
    found, wanted = next(material.results("find_gpus"), None), planned.wanted_bytes(material.text)
    if found is None or wanted is None:
        return None
    rows = planned.ranked([GpuRow.model_validate(each) for each in found["gpus"]], material.text)
    say, size = material.say, numbers.gib(wanted, digits=0)
    if not rows:
        return Section("fact", say("memory_target.none", size=size), settled=True)
    best, shown = planned.lead(rows), _shown(rows)
    headline = say("memory_target.least", size=size, **_values(material, best)) + _whole(material, best)
    if rows[0] is not best:
        headline += say("memory_target.cheaper", **_values(material, rows[0]))
    fewest = min(filter(ordinary, rows), key=lambda one: (_count(one), one.together_price or 0), default=best)
    if _count(fewest) < _count(best):
        headline += say("memory_target.fewest", **_values(material, fewest))
    section = Section("recommendation", headline, [_table(material, shown)], settled=True)
    section.caveats = _caveats(material, best, shown)
    return section


def _values(material: Material, one: GpuRow) -> dict[str, str]:
    return {"cards": _cards(one), "price": numbers.usd(one.together_price or 0), "date": _date(material, one)}


def _shown(rows: list[GpuRow]) -> list[GpuRow]:
    """The cheapest of all, and each that takes fewer cards or runs more than those before it, by price."""
    best = planned.lead(rows)
    usual = [one for one in rows if ordinary(one)]
    fewer = [one for index, one in enumerate(usual) if all(_count(one) < _count(each) for each in usual[:index])]
    kept = {one.id for one in (rows[0], best, *fewer)}
    kept |= {one.id for one in [one for one in rows if one.id not in kept][: planned.SHOWN_MAX - len(kept)]}
    return [one for one in rows if one.id in kept]


def _count(one: GpuRow) -> int:
    return one.together_count or 0


def _cards(one: GpuRow) -> str:
    return names.cards(one.id, _count(one))


def _date(material: Material, one: GpuRow) -> str:
    return (one.price.as_of if one.price else None) or material.say("cost.undated")


def _machine(material: Material, one: GpuRow) -> ToolCallRecord | None:
    """The purchase with the machine around the cards, where that was worked out and its price is known."""
    priced = (record for record in material.records("estimate_cost") if record.result["gpu"] == one.id)
    return next((record for record in priced if (record.result["own"] or {}).get("complete")), None)


def _whole(material: Material, one: GpuRow) -> str:
    record = _machine(material, one)
    if record is None and one.market == planned.MACHINE:
        return material.say("list.stop")
    if record is None:
        return material.say("memory_target.alone")
    bought = amounts.amount(record.result["own"]["purchase_cost"], record.result["currency"])
    return material.say("memory_target.machine", price=bought) + cite_pace(material, "estimate_cost", record.result)


def _table(material: Material, rows: list[GpuRow]) -> str:
    say = material.say
    head = [say("table.card"), say("aspect.memory"), say("aspect.bandwidth"), say("aspect.power"), say("aspect.price"),
            say("memory_target.together")]  # fmt: skip
    told = [BY_KEY[key] for key in ("memory", "bandwidth", "power", "price")]
    lines = [
        [_cards(one) + facts.cite_card(material, one, told), *(aspect.value(one) or "–" for aspect in told),
         numbers.usd(one.together_price or 0)]
        for one in rows
    ]  # fmt: skip
    return table(head, lines)


def _caveats(material: Material, best: GpuRow, rows: list[GpuRow]) -> list[str]:
    say, told = material.say, []
    slow = [one for one in rows if one.vendor == "NVIDIA" and not ordinary(one)]
    told += [say("unit_price.slow", card=names.gpu_name(one.id)) for one in slow if not one.tensor_core_generation]
    if others := sorted({one.vendor for one in rows if one.vendor not in {"NVIDIA"}}):
        told.append(say("memory_target.software", makers=say.listed(others)))
    if _count(best) > 1:
        told.append(say("memory_target.split"))
    if any(_count(one) > planned.DESKTOP_CARDS for one in rows):
        told.append(say("memory_target.server", count=numbers.count(planned.DESKTOP_CARDS)))
    if any(one.price_stale for one in rows):
        told.append(say("unit_price.old"))
    return told

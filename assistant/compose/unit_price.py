"""Cards ranked by what a unit of memory, bandwidth or arithmetic costs."""

from assistant.compose import clarify, facts, names, numbers
from assistant.compose.aspects import BY_KEY
from assistant.compose.material import Material
from assistant.compose.section import Section
from assistant.compose.table import table
from assistant.plan.market import recent
from assistant.plan.unit_price import measure
from tools.gpu_row import GpuRow

_FIELDS = {"price_per_gib": "usd_per_gib", "price_per_tb_s": "usd_per_tb_s", "price_per_tflops": "usd_per_tflops"}
_ASPECTS = {"price_per_gib": "memory", "price_per_tb_s": "bandwidth", "price_per_tflops": "bf16"}


def unit_price(material: Material) -> Section | None:
    """The cheapest a unit, the next, and a table of all: figure, price with its date, price of the unit."""
    sort = measure(material.text)
    found = next(material.results("find_gpus"), None)
    if sort is None or found is None:
        return None
    every = [GpuRow.model_validate(one) for one in found["gpus"]]
    named = set(material.need.gpus_asked) | {card.gpu for card in material.need.gpus_owned}
    rows = [one for one in every if _of(one, sort) is not None and (one.id in named or recent(one.price))]
    say = material.say
    if not rows:
        return Section("fact", say("unit_price.none"), settled=True)
    first, unit = rows[0], say(f"unit_price.{sort}")
    told = [say("unit_price.other", card=names.gpu_name(one.id), value=_price(one, sort)) for one in rows[1:3]]
    values = {"card": names.gpu_name(first.id), "value": _price(first, sort), "unit": unit}
    values["price"] = BY_KEY["price"].value(first) or "–"
    key = "unit_price.least" if told else "unit_price.only"
    section = Section("comparison", say(key, **values, others=say.listed(told)), settled=True)
    section.body = [_table(material, rows, sort)]
    section.caveats = [*_missing(material, every, rows), *_lost(material, rows), *_old(material, rows)]
    section.assumptions = clarify.ambiguous_names(material)
    return section


def _of(one: GpuRow, sort: str) -> float | None:
    value: float | None = getattr(one, _FIELDS[sort])
    return value


def _price(one: GpuRow, sort: str) -> str:
    return numbers.usd(_of(one, sort) or 0, hourly=(_of(one, sort) or 0) < 100)


def _table(material: Material, rows: list[GpuRow], sort: str) -> str:
    say, aspect = material.say, BY_KEY[_ASPECTS[sort]]
    head = [say("table.card"), say(f"aspect.{aspect.key}"), say("aspect.price"), say(f"unit_price.{sort}_head")]
    lines = [
        [
            names.gpu_name(one.id) + facts.cite_card(material, one, [aspect, BY_KEY["price"]]),
            aspect.value(one) or "–", BY_KEY["price"].value(one) or "–", _price(one, sort),
        ]
        for one in rows
    ]  # fmt: skip
    return table(head, lines)


def _missing(material: Material, every: list[GpuRow], rows: list[GpuRow]) -> list[str]:
    """Cards that were named and have no price."""
    lacking = [names.gpu_name(one.id) for one in every if one not in rows and one.id in material.need.gpus_asked]
    return [material.say("unit_price.missing", cards=material.say.listed(lacking))] if lacking else []


def _lost(material: Material, rows: list[GpuRow]) -> list[str]:
    """The cheapest card of a generation without tensor cores is slow for its memory: that is said."""
    first = rows[0]
    old = first.vendor == "NVIDIA" and not first.tensor_core_generation
    return [material.say("unit_price.slow", card=names.gpu_name(first.id))] if old else []


def _old(material: Material, rows: list[GpuRow]) -> list[str]:
    return [material.say("unit_price.old")] if any(one.price_stale for one in rows) else []

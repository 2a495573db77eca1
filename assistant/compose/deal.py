"""Which of two purchases to make: more memory for the money first, then speed, and what would change it."""

import re

from assistant.compose import clarify, facts, names, numbers
from assistant.compose.aspects import BY_KEY
from assistant.compose.material import Material
from assistant.compose.section import Section
from assistant.compose.table import table
from assistant.plan import deal as planned
from assistant.plan.deal import Option
from kb.units import GIB
from tools.gpu_row import GpuRow

ALIKE, MORE, HARDLY_DEARER = 1.1, 1.25, 1.15
"""Times the memory up to which two are alike, from which one is clearly larger; times the price that is hardly more."""
_PICTURES = re.compile(
    r"comfyui|stable diffusion|sdxl|flux|image|video|gam(?:e|ing)|出图|跑图|绘图|画图|视频|游戏", re.I
)
_LANGUAGE = re.compile(
    r"(?<![a-z])(?:llms?|language models?|chat|inference|ollama)(?![a-z])|大模型|语言模型|推理|本地模型", re.I
)


def deal(material: Material) -> Section | None:
    """The purchase to make and why, against the other; both in a table."""
    options = planned.options(material.understanding)
    compared = next(material.results("compare_gpus"), None)
    if len(options) != 2 or compared is None:
        return None
    rows = {one.id: one for one in (GpuRow.model_validate(row) for row in compared["gpus"])}
    pictures = _PICTURES.search(material.text) is not None and not _LANGUAGE.search(material.text)
    best, other, key = _by_speed(*options) if pictures else _by_memory(*options)
    say = material.say
    values = _values(material, best, "") | _values(material, other, "other_")
    section = Section("comparison", say(f"deal.{key}", **values), settled=True)
    section.body = [_also(material, best, other, pictures=pictures), _table(material, rows, options)]
    section.caveats = _caveats(material, rows, options)
    section.assumptions = [
        say("deal.for_pictures" if pictures else "deal.for_language"),
        *clarify.ambiguous_names(material),
    ]
    return section


def _by_memory(one: Option, two: Option) -> tuple[Option, Option, str]:
    """For language models: what holds more for hardly more money, else what is faster for its price."""
    large, small = (one, two) if one.memory_bytes >= two.memory_bytes else (two, one)
    memory, price = large.memory_bytes / small.memory_bytes, large.total_usd / small.total_usd
    if memory >= MORE and price <= HARDLY_DEARER:
        return large, small, "roomier"
    if memory >= MORE:
        return (large, small, "room_pays") if price <= memory else (small, large, "cheaper")
    return _by_pace(
        one, two, one.bandwidth_bytes_per_s / two.bandwidth_bytes_per_s if two.bandwidth_bytes_per_s else 1.0
    )


def _by_speed(one: Option, two: Option) -> tuple[Option, Option, str]:
    """For pictures and games: what computes faster for its price."""
    return _by_pace(one, two, one.flops / two.flops if two.flops else 1.0)


def _by_pace(one: Option, two: Option, ratio: float) -> tuple[Option, Option, str]:
    fast, slow, ratio = (one, two, ratio) if ratio >= 1 else (two, one, 1 / ratio)
    price = fast.total_usd / slow.total_usd
    if price <= 1:
        return fast, slow, "both"
    return (fast, slow, "faster") if ratio >= ALIKE and ratio >= price else (slow, fast, "cheaper_as_good")


def _values(material: Material, one: Option, prefix: str) -> dict[str, str]:
    figures = {
        "cards": names.cards(one.card.gpu, one.count), "memory": f"{one.memory_bytes / GIB:,.0f} GB",
        "price": _paid(one), "bandwidth": numbers.rate(one.bandwidth_bytes_per_s, "B/s"),
    }  # fmt: skip
    return {prefix + name: value for name, value in figures.items()}


def _paid(one: Option) -> str:
    return numbers.money(one.total, one.currency)


def _also(material: Material, best: Option, other: Option, *, pictures: bool) -> str:
    """Where the other one is better after all."""
    if not pictures and other.flops > ALIKE * best.flops:
        return material.say("deal.pictures", cards=names.gpu_name(other.card.gpu))
    if pictures and other.memory_bytes > ALIKE * best.memory_bytes:
        return material.say(
            "deal.memory", cards=names.gpu_name(other.card.gpu), memory=f"{other.memory_bytes / GIB:,.0f} GB"
        )
    if best.count < other.count:
        return material.say("deal.single", cards=names.gpu_name(best.card.gpu))
    return ""


def _table(material: Material, rows: dict[str, GpuRow], options: list[Option]) -> str:
    say, told = material.say, [BY_KEY[key] for key in ("memory", "bandwidth", "bf16", "power")]
    head = [
        say("table.card"),
        *(say(f"aspect.{aspect.key}") for aspect in told),
        say("deal.memory_together"),
        say("deal.paid"),
    ]
    lines = []
    for one in options:
        row = rows[one.card.gpu]
        read = say("deal.as_said") if one.said else (row.price.as_of if row.price else None) or say("cost.undated")
        cells = [aspect.value(row) or "–" for aspect in told]
        lines.append([
            names.cards(one.card.gpu, one.count) + facts.cite_card(material, row, told), *cells,
            f"{one.memory_bytes / GIB:,.0f} GB", f"{_paid(one)} ({read})",
        ])  # fmt: skip
    return table(head, lines)


def _caveats(material: Material, rows: dict[str, GpuRow], options: list[Option]) -> list[str]:
    say = material.say
    told = [say("memory_target.split")] if any(one.count > 1 for one in options) else []
    used = [one.card.gpu for one in options if rows[one.card.gpu].status == "discontinued"]
    told += [say("upgrade.used", card=names.gpu_name(card)) for card in used]
    return [*told, *([] if all(one.said for one in options) else [say("unit_price.old")])]

"""Whether a model that only reads needs a card: what it takes without one, and the least that is enough."""

import re
from collections.abc import Sequence

from assistant.compose import names, numbers, orders
from assistant.compose.arithmetic import arithmetic, cite, column_name, subject, total
from assistant.compose.citations import joined
from assistant.compose.levers import smallest
from assistant.compose.material import Estimate, Material
from assistant.compose.section import Section
from assistant.plan import cardless as planned
from kb.catalog import usable_reserves
from kb.units import GIB

LIGHT = 600_000_000
"""Parameters up to which the guidance on embeddings has the processor do."""
SIZES_GIB = (4, 6, 8, 12, 16, 24, 32, 48, 80, 96)
"""Memory that cards are sold with."""


def cardless(material: Material) -> Section | None:
    """No for a small model, not strictly for a large one; None without an estimate."""
    if not material.estimates:
        return None
    one, say = material.estimates[0], material.say
    least = _least(one)
    key = "light" if one.result.params <= LIGHT else "heavy"
    key = key if planned.needed(material.text) else f"{key}_without"
    told = say(
        f"cardless.{key}", what=subject(material, one), size=numbers.params(one.result.params), total=total(one),
        weights=numbers.gib(next(part.bytes for part in one.result.per_gpu.parts if part.name == "weights")),
        format=names.format_name(one.result.weight_format), least=least,
    )  # fmt: skip
    section = Section("fact", told + cite(material, one) + _cite_size(material, one, least), settled=True)
    section.body = [arithmetic(material, material.estimates[:1])]
    section.caveats = [say("cardless.bulk"), *_smallest(material)]
    return section


_SMALLEST = re.compile(
    r"(?:最低|至少|最少|起码|最小)[^,，。?？]{0,6}(?:显卡|卡|gpu|配置)|(?:买|选|要|配)多大的?显存|多大显存的"
    r"|\b(?:minimum|smallest|least|lowest)\b[^,.?!]{0,12}\b(?:gpu|card)\b"
    r"|\bhow (?:much|big)\b[^.?!]{0,24}\bshould i (?:buy|get)\b",
    re.I,
)
"""Words of who asks for the smallest card, not for a figure."""


def least_card(material: Material, estimates: Sequence[Estimate]) -> str:
    """The size of the smallest card that holds the smallest of the ways told; empty where that is not asked."""
    whole = [one for one in estimates if one.gpus == 1 and one.fit is None and one.task == "inference"]
    if not whole or not _SMALLEST.search(material.text):
        return ""
    one = min(whole, key=_needed_bytes)
    if _needed_bytes(one) > SIZES_GIB[-1] * GIB * _usable():
        return ""
    told = material.say("cardless.least", least=_least(one), how=names.format_name(one.result.weight_format))
    return told + _cite_size(material, one, _least(one))


def _needed_bytes(one: Estimate) -> int:
    return one.result.per_gpu.high_bytes


def on_one_card(material: Material, estimates: Sequence[Estimate]) -> str:
    """The smallest single card for each way told, where one card is spoken of and none named; empty elsewhere."""
    if material.need.gpu_count != 1 or any(one.fit is not None for one in estimates):
        return ""
    say = material.say
    single: dict[str, list[str]] = {}
    for one in estimates:
        for row in smallest(one)[:1]:
            if row.count == 1:
                single.setdefault(row.gpu, []).append(column_name(material, one, estimates))
    ways = [
        say("fit.one_card_way", cards=names.cards(name, 1), how=say.listed(formats, conjunction="or"))
        for name, formats in single.items()
    ]
    return say("fit.one_card", ways=say.listed(ways)) if ways else say("fit.no_one_card")


def _least(one: Estimate) -> int:
    """The smallest card sold that surely holds it, GiB; the largest where none does."""
    return next((size for size in SIZES_GIB if size * GIB * _usable() >= _needed_bytes(one)), SIZES_GIB[-1])


def _usable() -> float:
    """Share of its memory that an ordinary card leaves."""
    return usable_reserves()["gddr"].usable_ratio


def _cite_size(material: Material, one: Estimate, least: int) -> str:
    quote = f"{numbers.gib(_needed_bytes(one))} GiB / {_usable():g} <= {least} GB"
    return joined([material.cites.cite("calculation", material.say("cardless.size"), "card memory", quote)])


def _smallest(material: Material) -> list[str]:
    """The cheapest purchase of a card for it."""
    bought = [one for one in material.configurations if one.acquisition == "buy"]
    if not bought:
        return []
    one = orders.cheapest(bought)
    told = names.cards(one.gpu, one.gpu_count) + material.say("order.at_price", price=orders.price(material, one))
    return [material.say("cardless.smallest", order=told)]

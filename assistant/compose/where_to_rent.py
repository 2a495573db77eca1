"""Where a card is rented: the cheapest cloud first, the cheapest of the others, and what would change the price."""

from collections.abc import Sequence
from decimal import Decimal

from assistant.answer import ToolCallRecord
from assistant.compose import clarify, names, numbers
from assistant.compose.citations import joined
from assistant.compose.material import Material
from assistant.compose.offers import cite
from assistant.compose.section import Section
from assistant.plan import requests
from assistant.plan.where_to_rent import OTHER_WAYS
from tools.find_offers import OfferRow, OfferSearch

OTHERS_MAX = 4
"""Clouds told beside the cheapest."""


def where_to_rent(material: Material) -> Section:
    """The cloud, the instance, its price an hour and when that was read, before everything else."""
    say, card = material.say, requests.cards(material.need)[0].gpu
    found = _read(material, card)
    rows = found.get("asked") or found.get("like") or found.get("elsewhere")
    if not rows:
        told = say("where.none", card=names.gpu_name(card))
        return Section("fact", told, settled=True, assumptions=clarify.ambiguous_names(material))
    best, *others = rows
    dated = "dated" if _undated_below(best, others) else "cheapest"
    key = dated if "asked" in found else "unlet" if "like" in found else "unmet"
    told = say(f"where.{key}", card=names.gpu_name(card), offer=offer(material, best))
    section = Section("recommendation", told, settled=True)
    section.body = [_others(material, others), changes(material, best.usd_per_gpu_hour, _at_home(found, best))]
    section.assumptions = clarify.ambiguous_names(material)
    return section


def _at_home(found: dict[str, list[OfferRow]], best: OfferRow) -> OfferRow | None:
    """The cheapest in the asker's own country, where the cheapest of all stands elsewhere."""
    nearest = next(iter(found.get("here", [])), None)
    return nearest if nearest and nearest.id != best.id else None


def offer(material: Material, row: OfferRow) -> str:
    """One offer: the cloud, the cards, the instance, and its price."""
    cards = f"{float(row.gpu_count):g}×{names.gpu_name(row.gpu) if row.gpu else row.gpu_text}"
    instance = " ".join(filter(None, (row.instance, row.region)))
    return material.say("where.offer", cloud=row.provider, cards=cards, instance=instance, price=price(material, row))


def price(material: Material, row: OfferRow) -> str:
    """The price an hour with its date, in the money of who asks."""
    say = material.say
    text = say("price.hour", amount=numbers.money(row.per_hour, row.currency, hourly=True))
    if row.currency != "USD":
        text += say("price.read_as", price=numbers.usd(row.usd_per_hour, hourly=True))
    if row.gpu_count > 1:
        text += say("where.each", price=numbers.usd(row.usd_per_gpu_hour, hourly=True))
    if row.as_of:
        text += say("price.as_of_old" if row.stale else "price.as_of", date=row.as_of)
    else:
        text += say("price.undated")
    return text + joined([cite(material, row)])


def _read(material: Material, card: str) -> dict[str, list[OfferRow]]:
    """The cheapest of each cloud by the hour: as asked, of the card in its place, at home, and without conditions."""
    found: dict[str, list[OfferRow]] = {}
    records = [one for one in material.records("find_offers") if not _other_way(one)]
    for record in records:
        here = record.request.get("country") != records[0].request.get("country") and record.request.get("country")
        like = record.request["gpu"] != card
        kind = "asked" if record is records[0] else "here" if here else "like" if like else "elsewhere"
        if rows := _of_each_cloud(record):
            found.setdefault(kind, rows)
    return found


def _of_each_cloud(record: ToolCallRecord) -> list[OfferRow]:
    """The cheapest of each cloud, those with a date before those without."""
    rows = sorted(OfferSearch.model_validate(record.result).offers, key=lambda row: (row.undated, row.usd_per_hour))
    first: dict[str, OfferRow] = {}
    for row in rows:
        first.setdefault(row.provider, row)
    return list(first.values())


def _undated_below(best: OfferRow, others: Sequence[OfferRow]) -> bool:
    """Whether something without a date was read for less."""
    return any(one.undated and one.usd_per_hour < best.usd_per_hour for one in others)


def _others(material: Material, others: Sequence[OfferRow]) -> str:
    """The clouds next in price; of those without a date only what costs less than the dearest told."""
    told = list(others[:OTHERS_MAX])
    dearest = max((row.usd_per_gpu_hour for row in told), default=0)
    told += [row for row in others[OTHERS_MAX:] if row.undated and row.usd_per_gpu_hour < dearest][:1]
    lines = [f"- {offer(material, row)}" for row in told]
    return "\n".join([f"**{material.say('where.others')}**", "", *lines]) if lines else ""


def changes(material: Material, usd_per_gpu_hour: Decimal, here: OfferRow | None = None) -> str:
    """What a price turns on beside the cloud: to be taken away, to be bound for a year, where the machine stands.

    Empty where no other way to pay was looked up.
    """
    say, ways = material.say, [record for record in material.records("find_offers") if _other_way(record)]
    if not ways:
        return ""
    found = {record.request["purchase"]: row for record in ways if (row := _below(record, usd_per_gpu_hour))}
    lines = [say(f"where.{way}", offer=offer(material, row)) for way, row in found.items()]
    lacking = [way for way in OTHER_WAYS if way not in found]
    lines += (
        [say("where.neither" if len(lacking) == len(OTHER_WAYS) else f"where.{lacking[0]}_none")] if lacking else []
    )
    lines.append(say("where.here", offer=offer(material, here)) if here else say("where.region"))
    return "\n".join([f"**{say('where.changes')}**", "", *(f"- {line}" for line in lines)])


def _other_way(record: ToolCallRecord) -> bool:
    return record.request.get("purchase") in OTHER_WAYS


def _below(record: ToolCallRecord, usd_per_gpu_hour: Decimal) -> OfferRow | None:
    """The cheapest that is paid so, where a card costs less than by the hour."""
    return next((row for row in _of_each_cloud(record) if row.usd_per_gpu_hour < usd_per_gpu_hour), None)

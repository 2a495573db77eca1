"""Rental offers as they were read: provider, instance, price an hour, date."""

from assistant.compose import names, numbers
from assistant.compose.citations import joined
from assistant.compose.material import Material
from tools.find_offers import OfferRow, OfferSearch

SHOWN_MAX = 4


def offers(material: Material) -> str:
    """The cheapest offers found, under their heading; empty when none were looked up or found."""
    lines = []
    for result in material.results("find_offers"):
        found = OfferSearch.model_validate(result)
        lines += [_line(material, row) for row in found.offers[:SHOWN_MAX]]
    return "\n".join([f"**{material.say('heading.offers')}**", "", *dict.fromkeys(lines)]) if lines else ""


def _line(material: Material, row: OfferRow) -> str:
    say = material.say
    gpu = names.gpu_name(row.gpu) if row.gpu else row.gpu_text
    price = say("price.hour", amount=numbers.usd(row.usd_per_hour, hourly=True))
    if row.as_of:
        price += say("price.as_of_old" if row.stale else "price.as_of", date=row.as_of)
    else:
        price += say("price.undated")
    where = " ".join(filter(None, (row.provider, row.instance, row.region)))
    offer = say("order.offer", cards=f"{row.gpu_count:g}×{gpu}", where=where, price=price)
    return "- " + offer + joined([_cite(material, row)])


def _cite(material: Material, row: OfferRow) -> str:
    source = material.sources.get(row.source)
    quote = f"{row.provider} {row.instance}: {row.gpu_count:g} × {row.gpu_text}, ${row.usd_per_hour}/hour"
    return material.cites.cite(
        "catalog",
        source.title if source else row.source,
        f"offers · {row.id}",
        quote,
        url=source.url if source else None,
        date=row.as_of,
    )

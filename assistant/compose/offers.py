"""Rental offers as they were read: provider, instance, price an hour, date."""

from assistant.compose import facts, names, numbers
from assistant.compose.aspects import BY_KEY
from assistant.compose.citations import joined
from assistant.compose.material import Material
from assistant.compose.orders import break_even
from assistant.compose.section import Section
from tools.find_offers import OfferRow, OfferSearch

SHOWN_MAX = 4


def offers(material: Material) -> str:
    """The cheapest offers found, under their heading; empty when none were looked up or found."""
    lines = ["- " + offer(material, row) for row in found(material)[:SHOWN_MAX]]
    return "\n".join([f"**{material.say('heading.offers')}**", "", *dict.fromkeys(lines)]) if lines else ""


def cheapest(material: Material) -> Section:
    """The answer when renting was asked about without a workload: the lowest price read."""
    rows = found(material)
    if not rows:
        return Section("clarification", material.say("offers.none"))
    section = Section("fact", material.say("offers.cheapest", offer=offer(material, rows[0])))
    card = next((card for card in facts.cards(material) if card.id == rows[0].gpu and card.price), None)
    if card and card.price:
        section.verdict = "recommendation"
        name, price = names.gpu_name(card.id), BY_KEY["price"]
        bought = material.say("offers.card", card=name, price=price.value(card)) + facts.cite_card(
            material, card, [price]
        )
        per_card = rows[0].usd_per_gpu_hour
        section.body = [
            bought,
            break_even(material, card.price.amount_usd, per_card),
            material.say("shop.rent_or_buy_rule"),
        ]
        section.caveats = facts.old_prices(material, [card])
    return section


def found(material: Material) -> list[OfferRow]:
    """The offers looked up, cheapest first, those with a date before those without."""
    rows = [row for result in material.results("find_offers") for row in OfferSearch.model_validate(result).offers]
    return sorted(rows, key=lambda row: row.undated)


def offer(material: Material, row: OfferRow) -> str:
    """One offer: where, what, the price and its date."""
    say = material.say
    gpu = names.gpu_name(row.gpu) if row.gpu else row.gpu_text
    price = say("price.hour", amount=numbers.usd(row.usd_per_hour, hourly=True))
    if row.as_of:
        price += say("price.as_of_old" if row.stale else "price.as_of", date=row.as_of)
    else:
        price += say("price.undated")
    where = " ".join(filter(None, (row.provider, row.instance, row.region)))
    text = say("order.offer", cards=f"{float(row.gpu_count):g}×{gpu}", where=where, price=price)
    return text + joined([cite(material, row)])


def cite(material: Material, row: OfferRow) -> str:
    """The marker of an offer."""
    source = material.sources.get(row.source)
    quote = f"{row.provider} {row.instance}: {float(row.gpu_count):g} × {row.gpu_text}, ${row.usd_per_hour}/hour"
    return material.cites.cite(
        "catalog",
        source.title if source else row.source,
        f"offers · {row.id}",
        quote,
        url=source.url if source else None,
        date=row.as_of,
    )

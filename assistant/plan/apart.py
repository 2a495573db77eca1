"""One card to rent against another to buy: "rent an A100 or buy a 4090", 「租 H100 还是买 5090」."""

import re
from decimal import Decimal

from kb.catalog import conventional, gpus
from kb.market.rates import convert
from kb.naming.names import gpu_names
from tools.find_offers import OfferQuery, OfferRow, find_offers
from tools.need import Need

HIRED = 12
"""Characters behind the card within which it is said to be hired."""
_HIRED = re.compile(r"\s?(?:一个月|按月|一年)?\s?(?:包月|包年|月租|租)", re.I)
REACH = 24
"""Characters between the verb and the card it is about."""
_RENT = re.compile(
    r"租|包月|包年|(?:/|per |a )(?:month|hour|mo|h)(?: for| on)? an?|(?<![a-z])(?:rent|hir|leas)\w{0,3}(?![a-z])", re.I
)
_BUY = re.compile(r"买|购|入手|(?<![a-z])(?:buy|purchas)\w{0,3}(?![a-z])", re.I)


def rented_and_bought(text: str) -> tuple[str, str] | None:
    """The card to rent and the card to buy, where they differ; None where one verb is about both."""
    lowered = text.lower()
    found: dict[str, str] = {}
    for mention in gpu_names().scan(lowered):
        before = lowered[max(0, mention.start - REACH) : mention.start]
        after = lowered[mention.end : mention.end + HIRED]
        verbs = [
            (match.end(), way) for way, rule in (("rent", _RENT), ("buy", _BUY)) for match in rule.finditer(before)
        ]
        verbs = verbs or ([(0, "rent")] if _HIRED.match(after) else [])
        if verbs:
            way = max(verbs)[1]
            found.setdefault(way, conventional(mention.ids) if len(mention.ids) > 1 else mention.ids[0])
    rent, buy = found.get("rent"), found.get("buy")
    return (rent, buy) if rent and buy and rent != buy else None


def cheapest_offer(card: str, provider: str | None) -> OfferRow | None:
    """The cheapest offer of one such card, or of the fewest that are let together; dated ones before others."""
    rows = [row for row in find_offers(OfferQuery(gpu=card, provider=provider, limit=100)).offers if row.gpu == card]
    rows = [row for row in rows if not row.undated] or rows
    return min(rows, key=lambda row: (float(row.gpu_count), row.usd_per_hour), default=None) if card in gpus() else None


def rent_of(card: str, provider: str | None, currency: str) -> float | None:
    """What that offer asks an hour, in the asker's currency."""
    row = cheapest_offer(card, provider)
    return None if row is None else round(float(convert(Decimal(row.usd_per_hour), "USD", currency)), 4)


def rent_hired(card: str, need: Need, currency: str) -> float | None:
    """The same for as many of the card as are to be hired, where their number was said."""
    row, asked = cheapest_offer(card, need.provider), rent_of(card, need.provider, currency)
    count = next((one.count for one in need.gpus_proposed if one.gpu == card), None)
    if row is None or asked is None or not count:
        return asked
    return round(asked * count / float(row.gpu_count or 1), 4)

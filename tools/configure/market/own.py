"""Prices, rents and a tariff of the person's own: they beat the catalog's, and change only what rests on them."""

import math
from collections.abc import Callable
from decimal import Decimal
from typing import Any, NamedTuple

from kb.base import BadInput
from kb.catalog import gpus
from kb.lexicon import CardCount, Price, Rent, read_cards, read_money, read_price, read_rent
from kb.lexicon.text import plain
from kb.market.offers import CENT_OF_A_CENT, current_offers
from kb.market.rates import convert, usd
from kb.market.tariffs import dearest_tariff_usd
from kb.naming.names import gpu_names
from kb.units import HOURS_PER_MONTH
from tools.base import GivenRow
from tools.configure.request import ConfigureRequest
from tools.prices import card_price

HOURS = {"hour": 1.0, "day": 24.0, "month": HOURS_PER_MONTH, "year": 12 * HOURS_PER_MONTH}
CENT = Decimal("0.01")
DEAREST_TIMES = 10
"""So many times the dearest price of electricity known is none."""


class Own(NamedTuple):
    """What the person gave for one card, in dollars."""

    card_usd: Decimal | None = None
    """Of each."""
    machines: tuple[tuple[int, Decimal], ...] = ()
    """(cards in it, price of a machine with them)."""
    rents: tuple[tuple[int, Decimal, bool], ...] = ()
    """(cards that are let together, dollars an hour for all of them, whether they can be taken away)."""

    @property
    def to_buy(self) -> bool:
        """Whether it can be bought at such a price."""
        return self.card_usd is not None or bool(self.machines)


NOTHING = Own()
GIVEN = "given"
"""Source of what the person said."""


class Given(NamedTuple):
    """The person's own figures."""

    by_card: dict[str, Own]
    tariff_per_kwh: float | None = None
    """In the currency that prices are told in."""
    rows: tuple[GivenRow, ...] = ()
    assumptions: tuple[str, ...] = ()


def read_own(request: ConfigureRequest, currency: str) -> Given:
    """The prices, rents and tariff of a request; amounts without a currency are in `currency`.

    Raises:
        BadInput: words that name no card or several, that hold no price, or a machine without its cards.
        UnknownName: a card that the catalog does not have.
    """
    found: dict[str, Own] = {}
    rows: list[GivenRow] = []
    said: list[str] = []
    for words in request.prices:
        card, price = _of_card(words, "prices", currency, read_price)
        _price(found, card, price, words)
        rows.append(GivenRow(field="prices", said=words, value=price.amount, unit=price.currency.lower()))
        said += [*card.assumptions, *price.assumptions]
    for words in request.rents:
        card, rent = _of_card(words, "rents", currency, read_rent)
        _rent(found, card, rent, words)
        unit = f"{rent.currency.lower()}_per_{rent.per}"
        rows.append(GivenRow(field="rents", said=words, value=rent.amount, unit=unit))
        said += [*card.assumptions, *rent.assumptions]
    tariff = _tariff(request.tariff, currency)
    if tariff is not None and request.tariff is not None:
        rows.append(GivenRow(field="tariff", said=request.tariff, value=tariff, unit=f"{currency.lower()}_per_kwh"))
    return Given(found, tariff, tuple(rows), tuple(dict.fromkeys(said)))


def _of_card(said: str, field: str, currency: str, read: Callable[..., Any]) -> tuple[CardCount, Any]:
    """The one card that is named, and the price beside it: its name holds numbers that are no money."""
    words = plain(said)
    mentions = list(gpu_names().scan(words))
    if not mentions:
        remedy = 'Give the card with its price, e.g. "RTX 3090 $700", "8x H20 server ¥1.18M".'
        raise BadInput(field, f"“{said[:60]}” names no card.", remedy)
    first, last = mentions[0], mentions[-1]
    try:
        cards = read_cards(words[: last.end], field)
    except BadInput:  # the price stands before it
        cards = read_cards(words[first.start : last.end], field)
    if len(cards) != 1 or cards[0].gpu is None:
        raise BadInput(field, f"“{said[:60]}” is of several cards.", "Give each card's price by itself.")
    try:
        return cards[0], read(words, field, currency)
    except BadInput:
        return cards[0], read(f"{words[: first.start]} {words[last.end :]}", field, currency)


def _price(found: dict[str, Own], card: CardCount, price: Price, said: str) -> None:
    name, amount = str(card.gpu), usd(Decimal(str(price.amount)), price.currency).quantize(CENT)
    if amount <= 0 or price.of == "chassis":
        remedy = "Give the price of a card, or of a machine with its cards."
        raise BadInput("prices", f"“{said[:60]}” is of a machine without its cards, or of nothing.", remedy)
    own = found.get(name, NOTHING)
    known = card_price(gpus()[name])
    usual = known.amount_usd if known else None
    if price.of in {"machine", "all"} or (price.of is None and not _each(card.count, amount, usual)):
        found[name] = own._replace(machines=(*own.machines, (card.count, amount)))
    else:
        found[name] = own._replace(card_usd=amount)


def _rent(found: dict[str, Own], card: CardCount, rent: Rent, said: str) -> None:
    name = str(card.gpu)
    hourly = (usd(Decimal(str(rent.amount)), rent.currency) / Decimal(str(HOURS[rent.per]))).quantize(CENT_OF_A_CENT)
    if hourly <= 0 or rent.of == "chassis":
        raise BadInput("rents", f"“{said[:60]}” is no rent of cards.", 'Give e.g. "H100 $2.10 per GPU and hour".')
    own = found.get(name, NOTHING)
    offers = [one for one in current_offers() if one.gpu == name and one.on_demand_usd_per_hour and one.gpu_count]
    usual = min(((one.on_demand_usd_per_hour or 0) / one.gpu_count for one in offers), default=None)
    by_hour = rent.per in {"hour", "day"}  # by the month whole machines are let
    each = rent.of == "card" or card.count == 1 or (rent.of is None and by_hour and _each(card.count, hourly, usual))
    sizes = sorted({1, 2, 4, 8, card.count}) if each else [card.count]
    let = tuple((size, hourly * (size if each else 1), rent.way == "spot") for size in sizes)
    found[name] = own._replace(rents=(*own.rents, *let))


def _each(count: int, amount: Decimal, usual: Decimal | None) -> bool:
    """Whether an amount beside so many cards is of each: the nearer of the two to what one usually costs."""
    return count == 1 or (usual is not None and float(amount) < float(usual) * math.sqrt(count))


def _tariff(said: str | None, currency: str) -> float | None:
    if said is None:
        return None
    one = read_money(said, "tariff", currency)
    amount = float(convert(one.amount, one.currency, currency))
    if one.per not in {None, "kwh"} or float(usd(one.amount, one.currency)) > DEAREST_TIMES * dearest_tariff_usd():
        remedy = 'Give the price of a kilowatt-hour, e.g. "¥0.8/kWh".'
        raise BadInput("tariff", f"“{said[:60]}” is no price of electricity.", remedy)
    return amount

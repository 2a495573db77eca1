"""What is paid to buy: the person's own prices, else those of the catalog; a machine's price holds its cards."""

import math
from collections.abc import Iterable
from decimal import Decimal
from statistics import median
from typing import Literal

from kb.base import BadInput
from kb.catalog import servers
from kb.machines.power import WHOLE
from kb.market.rates import convert, usd
from tools.configure.bills.bill import machines_alone
from tools.configure.market.purchases import host_memory
from tools.configure.market.sold import CHINA
from tools.cost.result import PriceRead
from tools.cost.setting import Setting, exactly
from tools.power.energy import scaled
from tools.prices import card_price, is_stale, price_band
from tools.speed.result import Interval


def prices_of(setting: Setting) -> Iterable[PriceRead]:
    """Everything bought, each line once.

    Raises:
        BadInput: prices that count the same hardware twice.
    """
    request, machine = setting.request, setting.machine
    if setting.given.prices:
        yield from given_prices(setting)
        return
    if request.purchase_price is not None:
        if request.machine_price is not None:
            raise BadInput("machine_price", "stands beside purchase_price.", "Give one of them.")
        yield PriceRead(what="as given", count=1, unit_cost=exactly(request.purchase_price), as_of=None, stale=False,
                        source=None)  # fmt: skip
        return
    whole = _systems(setting) if request.machine_price is None and request.buys != "cards" else None
    if whole is not None:
        yield whole
        return
    yield from cards_alone(setting)
    if machine.kind in WHOLE or request.buys == "cards":
        return
    if request.machine_price is None:
        yield _machines(setting)
    else:
        yield yours("machine", 1, request.machine_price)


def cards_alone(setting: Setting) -> Iterable[PriceRead]:
    """The cards at prices of the catalog."""
    for gpu, count in setting.machine.cards:
        price, band = card_price(gpu), price_band(gpu)
        cost = _card(setting, *band) if band else None
        as_of = price.as_of if price else None
        yield PriceRead(
            what=gpu.name, count=count, unit_cost=cost, as_of=as_of, stale=is_stale(as_of, setting.request.today),
            source=price.source if price else None,
        )  # fmt: skip


def yours(what: str, count: int, amount: float) -> PriceRead:
    """A price of the person's own."""
    return PriceRead(what=what, count=count, unit_cost=exactly(amount), as_of=None, stale=False, source=None)


def given_prices(setting: Setting) -> Iterable[PriceRead]:
    """The person's own prices: a machine's holds its cards; what has none of theirs is at that of the catalog.

    Raises:
        BadInput: two prices of the same, or one of a card beside one of everything.
    """
    machine, request, kinds = setting.machine, setting.request, dict[str, float]()
    for one in setting.given.prices:
        of = one.of or likely(setting, one.amount)
        if of in kinds or (kinds and "all" in {of, *kinds}) or {of, *kinds} >= {"machine", "card"}:
            remedy = "Give the price of the machines with their cards, or that of each card and of the rest."
            raise BadInput("prices", "count the same hardware twice.", remedy)
        kinds[of] = one.amount
    if "all" in kinds:
        yield yours("everything, as you gave it", 1, kinds["all"])
        return
    if "machine" in kinds:
        yield yours("machine with its cards, as you gave it", machine.nodes, kinds["machine"])
        return
    if "card" in kinds and len(machine.cards) > 1:
        raise BadInput("prices", "say not of which card.", "Give the price of everything together.")
    if "card" in kinds:
        yield yours(f"{machine.cards[0][0].name}, as you gave it", machine.gpus, kinds["card"])
    else:
        yield from cards_alone(setting)
    if "chassis" in kinds:
        yield yours("machine without its cards, as you gave it", machine.nodes, kinds["chassis"])
    elif request.machine_price is not None:
        yield yours("machine", 1, request.machine_price)
    elif machine.kind not in WHOLE and request.buys != "cards":
        yield _machines(setting)


def likely(setting: Setting, amount: float) -> Literal["card", "all"]:
    """What a price is of where that is not said: each card or everything, by which is nearer to the catalog's."""
    count = setting.machine.gpus
    known = [one.unit_cost.value for one in cards_alone(setting) if one.unit_cost is not None]
    if len(known) != 1 or (count == 1 and setting.request.buys != "machine"):
        return "card" if count == 1 else "all"
    return "card" if amount < known[0] * math.sqrt(count) else "all"


def _machines(setting: Setting) -> PriceRead:
    """The machines around the cards, put together from parts: for the hungriest card, if there are several kinds."""
    machine, request = setting.machine, setting.request
    gpu = max((gpu for gpu, _ in machine.cards), key=lambda gpu: (gpu.tdp_w or 0, gpu.id))
    cards = -(-machine.gpus // machine.nodes)
    memory = max(host_memory(gpu, cards), request.machine_memory_bytes or 0)
    found = machines_alone(gpu.id, cards, machine.nodes, memory, domestic=(request.country or "").upper() in CHINA)
    if found is None or found.host is None or found.amount is None:
        return PriceRead(what="machine", count=machine.nodes, unit_cost=None, as_of=None, stale=False, source=None)
    low, high = found.low or found.amount, found.high or found.amount
    each = Interval(value=float(found.amount), low=float(low), high=float(high))
    lacking = [item.product for item in found.items if item.subtotal is None]
    without = f", without {', '.join(lacking)}, of unknown price" if lacking else ""
    return PriceRead(
        what=f"machine ({found.host.name}{without})", count=machine.nodes,
        unit_cost=_local(setting, scaled(each, 1 / machine.nodes)), as_of=found.as_of,
        stale=is_stale(found.as_of, request.today),
        source=next((item.source for item in found.items if item.source), None),
    )  # fmt: skip


def _card(setting: Setting, low: Decimal, high: Decimal) -> Interval:
    """Street prices from lowest to highest; the middle is budgeted."""
    least, most = float(low), float(high)
    return _local(setting, Interval(value=(least + most) / 2, low=least, high=most))


def _local(setting: Setting, usd: Interval) -> Interval:
    return scaled(usd, float(convert(1, "USD", setting.energy.currency)))


def _systems(setting: Setting) -> PriceRead | None:
    """Whole systems with these cards, when the cards come in no other way and somebody read a price."""
    machine = setting.machine
    if len(machine.cards) != 1 or not (machine.server or machine.on_board):
        return None
    gpu = machine.cards[0][0].id
    held = [machine.server] if machine.server else [one for one in servers().values() if one.takes(gpu) == 8]
    read = [(one, price) for one in held if (price := one.system_price(gpu)) is not None]
    read = [(one, price) for one, price in read if not one.discontinued] or read
    if not read or machine.gpus % (machine.nodes * read[0][0].takes(gpu)):
        return None
    lows, middles, highs = (
        [float(usd(getattr(price, end), price.currency)) for _, price in read] for end in ("low", "amount", "high")
    )
    oldest = min((price for _, price in read), key=lambda price: price.observed_on or "")
    return PriceRead(
        what=", ".join(one.name for one, _ in read[:3]), count=machine.nodes,
        unit_cost=_local(setting, Interval(value=median(middles), low=min(lows), high=max(highs))),
        as_of=oldest.observed_on, stale=is_stale(oldest.observed_on, setting.request.today), source=oldest.source,
    )  # fmt: skip

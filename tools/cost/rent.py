"""Renting the same cards: on demand, spot with its interruptions, reserved; each from the offers read."""

import math
from collections.abc import Sequence
from statistics import median

from kb.catalog import providers
from kb.market.rates import convert
from kb.market.tariffs import tariff_facts
from kb.units import HOUR_S, HOURS_PER_MONTH
from tools.cost.given_rent import given_rents
from tools.cost.result import Purchase, Renting, Which
from tools.cost.setting import Setting, exactly
from tools.find_offers import OfferQuery, OfferRow, find_offers
from tools.power.energy import interval, scaled
from tools.speed.result import Interval

WAYS: tuple[Purchase, ...] = ("on_demand", "spot", "reserved", "reserved_3y")
EVERY_OFFER = 1000
MANY = 2
"""Offers beyond which the middle one is another than the first and the last."""


def renting(setting: Setting) -> tuple[tuple[Renting, ...], tuple[OfferRow, ...]]:
    """The ways to rent, and the offers they rest on. Several kinds of card together are rented by nobody."""
    if setting.given.rents:
        return given_rents(setting, _median_offer(setting), _lost(setting)), ()
    if setting.request.rent_per_hour is not None:
        return (_way(setting, "on_demand", "given", exactly(setting.request.rent_per_hour)),), ()
    if len(setting.machine.cards) != 1:
        return (), ()
    read = {way: _offers(setting, way) for way in WAYS}
    first = _from_offers(setting, "on_demand", read["on_demand"]) if read["on_demand"] else None
    found = [first] if first else []
    found += [_from_offers(setting, way, read[way], first, read) for way in WAYS[1:] if read[way]]
    if first and not read["spot"]:
        found.append(_derived(setting, first))
    said = tuple(one.model_copy(update=_saving(setting, one, read)) for one in found)
    return said, tuple(row for rows in read.values() for row in rows[:3])


def several(setting: Setting) -> tuple[tuple[Which, Renting], ...]:
    """The rents that owning is held against: one price alone would decide it by which offer was read.

    The cheapest of all, the cheapest of a cloud that has its own machines, the middle, the dearest, and the cheapest
    spot with its lost hours; each once. The person's own rents in their place.
    """
    if setting.given.rents or setting.request.rent_per_hour is not None:
        return tuple(("given", one) for one in renting(setting)[0])
    if len(setting.machine.cards) != 1:
        return ()
    rows, spot = _offers(setting, "on_demand"), _offers(setting, "spot")
    peers = {name for one in providers().values() for name in one.peers}
    own = [row for row in rows if row.provider not in peers]
    chosen: list[tuple[Which, OfferRow | None]] = [
        ("cheapest", rows[0] if rows else None),
        ("cheapest of a cloud", own[0] if own else None),
        ("typical", rows[len(rows) // 2] if len(rows) > MANY else None),
        ("dearest", rows[-1] if len(rows) > 1 else None),
        ("cheapest spot", spot[0] if spot else None),
    ]
    found: dict[str, tuple[Which, Renting]] = {}
    for which, row in chosen:
        if row is not None and (key := f"{row.id} {row.purchase}") not in found:
            found[key] = which, _one(setting, row)
    return tuple(found.values())


def _one(setting: Setting, row: OfferRow) -> Renting:
    """One offer."""
    made = _way(setting, row.purchase, "offers", exactly(_hourly(setting, row)))
    return made.model_copy(
        update={
            "offers": 1, "gpu": row.gpu, "instance_gpus": int(row.gpu_count), "as_of": row.as_of, "stale": row.stale,
            "cheapest": " ".join(filter(None, (row.provider, row.instance, row.region))),
        }
    )  # fmt: skip


def _median_offer(setting: Setting) -> float | None:
    """The middle of the offers on demand, all cards together, to tell of what a rent is where that is not said."""
    rows = _offers(setting, "on_demand") if len(setting.machine.cards) == 1 else []
    return median(_hourly(setting, row) for row in rows) if rows else None


def _offers(setting: Setting, way: Purchase) -> list[OfferRow]:
    """Offers of the card, by what all cards together cost; dated ones when there are any, whole cards only.

    An instance of more cards than are wanted is rented by nobody who finds smaller ones.
    """
    gpu = setting.machine.cards[0][0].id
    query = OfferQuery(gpu=gpu, provider=setting.request.provider, purchase=way, limit=EVERY_OFFER,
                       today=setting.request.today)  # fmt: skip
    rows = [row for row in find_offers(query).offers if row.gpu == gpu and row.gpu_count == int(row.gpu_count)]
    rows = [row for row in rows if not row.undated] or rows
    rows = [row for row in rows if row.gpu_count <= setting.machine.gpus] or rows
    return sorted(rows, key=lambda row: (_hourly(setting, row), row.id))


def _hourly(setting: Setting, row: OfferRow) -> float:
    """All cards together: whole instances, in the currency asked for."""
    instances = math.ceil(setting.machine.gpus / int(row.gpu_count))
    return float(row.usd_per_hour) * instances * float(convert(1, "USD", setting.energy.currency))


def _from_offers(
    setting: Setting,
    way: Purchase,
    rows: Sequence[OfferRow],
    on_demand: Renting | None = None,
    read: dict[Purchase, list[OfferRow]] | None = None,
) -> Renting:
    """The offers' spread around their median; beside on demand, that of the same providers.

    Spot and reserved instances are mostly let by the dearer clouds: their own median would stand above the median of
    all that is let on demand. So the middle is what is paid on demand, less what the instances let both ways save.
    """
    hourly = [_hourly(setting, row) for row in rows]
    middle = median(hourly)
    if on_demand and read:
        saved = [1 - mine / theirs for mine, theirs in _let_both_ways(way, read)]
        middle = min(middle, on_demand.hourly_cost.value * (1 - max(0.0, median(saved) if saved else 0.0)))
    spread = Interval(value=middle, low=min(middle, hourly[0]), high=hourly[-1])
    best = rows[0]
    made = _way(setting, way, "offers", spread)
    return made.model_copy(
        update={
            "offers": len(rows), "gpu": best.gpu, "instance_gpus": int(best.gpu_count),
            "as_of": best.as_of, "stale": best.stale,
            "cheapest": " ".join(filter(None, (best.provider, best.instance, best.region))),
        }
    )  # fmt: skip


def _way(setting: Setting, way: Purchase, basis: str, hourly: Interval) -> Renting:
    useful = hourly
    if way == "spot":
        lost = _lost(setting)
        useful = Interval(value=hourly.value / (1 - lost.value), low=hourly.low / (1 - lost.low),
                          high=hourly.high / (1 - lost.high))  # fmt: skip
    monthly = scaled(useful, setting.rented_hours)
    term = setting.request.term_s
    return Renting.model_validate(
        {
            "purchase": way, "basis": basis, "hourly_cost": hourly,
            "gpu_hourly_cost": scaled(hourly, 1 / setting.machine.gpus), "useful_hourly_cost": useful,
            "monthly_cost": monthly, "total_cost": scaled(monthly, setting.months),
            "term_s": term,
            "term_months": term / HOUR_S / HOURS_PER_MONTH if term else None,
            "term_cost": scaled(useful, term / HOUR_S) if term else None, "offers": 0, "cheapest": None,
            "as_of": None, "stale": False,
        }
    )  # fmt: skip


def _lost(setting: Setting) -> Interval:
    given = setting.request.spot_lost_ratio
    return exactly(given) if given is not None else interval(tariff_facts().ownership.spot_lost_ratio)


def _derived(setting: Setting, on_demand: Renting) -> Renting:
    """Spot where no such offer was read: on demand less the usual discount."""
    off, price, lost = tariff_facts().ownership.spot_discount, on_demand.hourly_cost, _lost(setting).value
    hourly = Interval(value=price.value * (1 - off.value), low=price.low * (1 - off.high),
                      high=price.high * (1 - off.low))  # fmt: skip
    made = _way(setting, "spot", "derived", hourly)
    left = (1 - off.value, 1 - off.high, 1 - off.low)
    saved = Interval(
        value=1 - left[0] / (1 - lost), low=max(0.0, 1 - left[2] / (1 - lost)), high=1 - left[1] / (1 - lost)
    )
    return made.model_copy(update={"saving_ratio": saved, "as_of": on_demand.as_of, "stale": on_demand.stale})


def _saving(setting: Setting, one: Renting, read: dict[Purchase, list[OfferRow]]) -> dict[str, Interval]:
    """Saved over on demand by the instances that are let both ways, lost hours counted; the usual where none is."""
    if one.purchase == "on_demand" or one.basis != "offers":
        return {}
    lost = _lost(setting).value if one.purchase == "spot" else 0.0
    saved = [max(0.0, 1 - mine / (1 - lost) / theirs) for mine, theirs in _let_both_ways(one.purchase, read)]
    if not saved:
        return {}
    return {"saving_ratio": Interval(value=median(saved), low=min(saved), high=max(saved))}


def _let_both_ways(way: Purchase, read: dict[Purchase, list[OfferRow]]) -> list[tuple[float, float]]:
    """Dollars an hour this way and on demand, of each instance that is let both ways."""
    full = {row.id: float(row.usd_per_hour) for row in read["on_demand"]}
    return [(float(row.usd_per_hour), full[row.id]) for row in read[way] if row.id in full]

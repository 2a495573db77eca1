"""How old the catalog is: prices by table and country, releases, the newest model and card."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import date

from kb.base import Frozen
from kb.catalog import gpus
from kb.market.components import components
from kb.market.offers import bundled_offers
from kb.models import models
from kb.programs.releases import releases

LIMITS_DAYS = (30, 90, 365)
FIRST_OF = "-01"


class Age(Frozen):
    """How old the readings of one table are."""

    table: str
    rows: int
    """Readings, with and without a date."""
    undated: int
    older: tuple[int, ...]
    """Dated readings older than each of the limits."""
    newest: str | None
    """ISO date, month or year of the latest."""

    def told(self) -> str:
        """One line: shares of all readings."""
        parts = [f"{count / self.rows:4.0%} > {days} d" for count, days in zip(self.older, LIMITS_DAYS, strict=True)]
        return f"{self.table:<26}{self.rows:>6}  {', '.join(parts)}, {self.undated} undated, newest {self.newest}"


def ages(today: date) -> list[Age]:
    """Every table of prices, rents by the country of the machine."""
    rents: dict[str, list[str | None]] = defaultdict(list)
    for offer in bundled_offers():
        if offer.on_demand_usd_per_hour is not None or offer.spot_usd_per_hour is not None:
            rents[f"rents, {offer.country or 'country not told'}"].append(offer.as_of)
    every: list[str | None] = [one for dates in rents.values() for one in dates]
    tables: dict[str, list[str | None]] = {"rents": every}
    tables |= dict(sorted(rents.items(), key=lambda row: -len(row[1])))
    tables["cards, street price"] = [card.price_as_of for card in gpus().values() if card.price_low_usd is not None]
    tables["cards, price in yuan"] = [card.price_cny_as_of for card in gpus().values() if card.price_cny is not None]
    tables["parts"] = [price.observed_on for part in components().values() for price in part.prices]
    return [age(name, dates, today) for name, dates in tables.items() if dates]


def age(table: str, dates: Iterable[str | None], today: date) -> Age:
    """Of one table. A month or a year counts from its first day: a price of a year is as old as it may be."""
    held = list(dates)
    known = sorted(one for one in held if one)
    days = [(today - earliest(one)).days for one in known]
    older = tuple(sum(one > limit for one in days) for limit in LIMITS_DAYS)
    newest = max(known, key=earliest, default=None)
    return Age(table=table, rows=len(held), undated=len(held) - len(known), older=older, newest=newest)


def earliest(when: str) -> date:
    """The first day that a date, a month or a year may mean."""
    return date.fromisoformat(when + FIRST_OF * (2 - when.count("-")))


def newest_releases(index: Mapping[str, str] | None = None) -> list[str]:
    """A line a package: the newest release that is held, and the index's where it was asked."""
    lines = []
    for package, held in releases().items():
        last = held[-1].label
        now = (index or {}).get(package)
        ahead = "" if now is None else f", the index has {now}" if _minor(now) != last else ", as the index"
        lines.append(f"{package:<26}newest release held {last}{ahead}")
    return lines


def _minor(release: str) -> str:
    return ".".join(release.split(".")[:2])


def newest_rows() -> list[str]:
    """The models and cards that were released last."""
    dated = [row for row in models().values() if row.released]
    model = max(dated, key=lambda row: (row.released or "", row.id))
    sold = [card for card in gpus().values() if card.year and card.status != "announced"]
    card = max(sold, key=lambda card: (card.year or 0, card.id))
    return [
        f"newest model               {model.id}, {model.released} ({len(models())} models)",
        f"newest card                {card.name}, {card.year} ({len(gpus())} cards)",
    ]

"""Live offers through gpuhunt: fetched when a person asks, kept until they ask again."""

import logging
import re
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ingest.catalog_download import download
from kb import clock
from kb.base import AdvisorError, BadInput, PricesUnavailable
from kb.catalog import FACTS, conventional, gpu_ids, gpus, load_yaml
from kb.market.live_prices import Fetched, keep
from kb.records.offer import Offer
from kb.settings import settings
from kb.units import GIB

if TYPE_CHECKING:
    from gpuhunt import CatalogItem  # type: ignore[import-untyped]

LIMIT_S = 120.0
SOURCE = "gpuhunt-live"
PER_GPU_MIN, PER_GPU_MAX = Decimal("0.01"), Decimal(60)
"""Dollars a GPU-hour outside of which a listing is a slip, not a price."""
MEMORY_SLACK = 0.07
"""Clouds round the memory of a card; beyond this share it is another card."""
_FORM = (
    (re.compile(r"pcie|standard_nc\d", re.IGNORECASE), re.compile("PCIe")),
    (re.compile(r"nvl(?!ink)", re.IGNORECASE), re.compile("NVL|PCIe")),
    (re.compile(r"sxm|hbm3|standard_nd\d|^a[23]-|^p[3-6]|hgx", re.IGNORECASE), re.compile("SXM")),
)
"""What an instance's name tells of the form of its cards."""


@dataclass(frozen=True)
class Refreshed:
    """What one refresh brought, provider by provider."""

    fetched: dict[str, int]
    """Offers kept, by gpuhunt's name of the provider."""
    failed: dict[str, str]
    """Why a provider brought none."""
    observed_at: str


def known_providers() -> tuple[str, ...]:
    """The providers whose catalogs gpuhunt publishes."""
    return tuple(_words()["providers"])


def refresh(providers: Sequence[str] = (), limit_s: float = LIMIT_S) -> Refreshed:
    """Fetch the offers of `providers` (none = all) and keep them beside those of the catalog.

    A provider that cannot be fetched keeps what was fetched of it before.

    Raises:
        BadInput: no such provider.
        PricesUnavailable: none of them could be fetched.
    """
    wanted = tuple(dict.fromkeys(providers)) or known_providers()
    for name in wanted:
        if name not in known_providers():
            raise BadInput(
                "provider", f"“{name}” has no published catalog.", f"One of: {', '.join(known_providers())}."
            )
    now = clock.now().replace(microsecond=0)
    observed_at = now.isoformat().replace("+00:00", "Z")
    with tempfile.TemporaryDirectory(prefix="gpu-advisor-prices-") as place:
        came = download(wanted, settings().prices_url, Path(place), limit_s)
        failed = {one.provider: one.problem for one in came if one.problem is not None}
        fetched = []
        for one in came:
            if one.version is None:
                continue
            found = offers(one.provider, Path(place), _day(one.version) or now.date().isoformat())
            if found:
                fetched.append(
                    Fetched(provider=one.provider, observed_at=observed_at, catalog_version=one.version, offers=found)
                )
            else:
                failed[one.provider] = "its catalog lists no GPU"
    if not fetched:
        raise PricesUnavailable(f"{_reasons(failed)}. Is the network reachable?")
    keep(fetched)
    return Refreshed({one.provider: len(one.offers) for one in fetched}, failed, observed_at)


def _reasons(failed: dict[str, str]) -> str:
    """Why each failed, those that failed alike together."""
    alike: dict[str, list[str]] = {}
    for name, why in failed.items():
        alike.setdefault(why, []).append(name)
    return "; ".join(f"{', '.join(names)}: {why}" for why, names in alike.items())


def offers(provider: str, folder: Path, as_of: str) -> tuple[Offer, ...]:
    """The GPU offers of a provider's catalog: of each instance in each country the cheapest region."""
    best: dict[tuple[str, str, str | None], Offer] = {}
    for one in _paired(provider, _items(provider, folder), as_of):
        key = (one.instance, one.gpu or one.gpu_text, one.country or one.region)
        held = best.get(key)
        if held is None or _cost(one) < _cost(held):
            best[key] = one
    return tuple(best.values())


def _items(provider: str, folder: Path) -> list["CatalogItem"]:
    """What gpuhunt reads from the catalog; rows it cannot read it leaves out, and its word on them is not repeated.

    Its own query would read the file too, but leaves it open.
    """
    from gpuhunt._internal import storage  # type: ignore[import-untyped]

    logger = logging.getLogger("gpuhunt")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with (folder / f"{provider}.csv").open(encoding="utf-8", newline="") as file:
            return list(storage.load(file, provider=provider))
    finally:
        logger.setLevel(level)


def _paired(provider: str, items: list["CatalogItem"], as_of: str) -> Iterator[Offer]:
    """On-demand and spot listings of one instance in one region as one offer."""
    cloud = _words()["providers"][provider]
    pairs: dict[tuple[Any, ...], dict[bool, CatalogItem]] = {}
    for item in items:
        price = Decimal(str(item.price))
        if item.gpu_name and item.gpu_count and PER_GPU_MIN <= price / item.gpu_count <= PER_GPU_MAX:
            key = (item.instance_name, item.location, item.gpu_name, item.gpu_memory, item.gpu_count)
            held = pairs.setdefault(key, {}).get(item.spot)
            if held is None or item.price < held.price:
                pairs[key][item.spot] = item
    for pair in pairs.values():
        yield _offer(cloud, provider, pair, as_of)


def _offer(cloud: str, provider: str, pair: dict[bool, "CatalogItem"], as_of: str) -> Offer:
    item = pair.get(False) or pair[True]
    memory = f" {item.gpu_memory:g}GB" if item.gpu_memory else ""
    price = {spot: Decimal(str(one.price)).quantize(Decimal("0.0001")) for spot, one in pair.items()}
    return Offer(
        id=f"live/{provider}/{item.instance_name}/{item.gpu_name}/{item.location}".lower().replace(" ", "-"),
        provider=cloud,
        instance=item.instance_name,
        gpu=card(item.gpu_name or "", item.gpu_memory, item.instance_name),
        gpu_text=f"{item.gpu_name}{memory}",
        gpu_count=Decimal(item.gpu_count),
        vcpus=item.cpu or None,
        host_memory_bytes=round(item.memory * GIB) or None,
        region=item.location,
        country=_country(provider, item.location),
        on_demand_usd_per_hour=price.get(False),
        spot_usd_per_hour=price.get(True),
        listed_per_hour=price.get(False),
        as_of=as_of,
        live=True,
        source=SOURCE,
    )


@lru_cache(maxsize=4096)
def card(name: str, memory_gib: float | None, instance: str) -> str | None:
    """Catalog id of a card by gpuhunt's name for it, its memory and what the instance's name tells of its form."""
    spelled = re.sub(r"(?<=[a-z0-9])(?=(?:Ti|SUPER|Ada|NVL)\b)|(?<=RTX)(?=\d|PRO)|(?<=PRO)(?=\d)", " ", name)
    try:
        found = gpu_ids(spelled)
    except AdvisorError:
        return None
    sized = [key for key in found if memory_gib is None or _is_near(gpus()[key].memory_bytes / GIB, memory_gib)]
    for told, form in _FORM:
        of_form = [key for key in sized if form.search(gpus()[key].form_factor) or form.search(gpus()[key].name)]
        if told.search(instance) and of_form:
            return conventional(of_form)
    return conventional(sized) if sized else None


def _is_near(stated_gib: float, listed_gib: float) -> bool:
    return abs(stated_gib - listed_gib) <= MEMORY_SLACK * stated_gib


def _cost(one: Offer) -> Decimal:
    return one.on_demand_usd_per_hour or one.spot_usd_per_hour or Decimal(0)


def _country(provider: str, region: str) -> str | None:
    rules = _words()["countries"].get(provider, ())
    return next((country for pattern, country in rules if re.search(pattern, region)), None)


def _day(version: str) -> str | None:
    """The day a catalog was published, by its version `20261120-1234`."""
    try:
        return datetime.strptime(version[:8], "%Y%m%d").date().isoformat()  # noqa: DTZ007 - a day has no zone
    except ValueError:
        return None


@lru_cache(maxsize=1)
def _words() -> dict[str, Any]:
    words: dict[str, Any] = load_yaml(FACTS / "gpuhunt.yaml")
    return words

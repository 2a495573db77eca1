"""Claims about what clouds rent out, and whether a thing exists at all."""

import re

from judging.ruling import COUNT, NUMBER, Ruling

from kb.catalog import gpus
from tools.find_offers import OfferQuery, OfferSearch, find_offers
from tools.lookup import look_up

AROUND = 0.1
"""How far outside the prices of the catalog a price may lie and still be called about right."""


def by_existence(subject: str, attribute: str, value: str, claim: str) -> Ruling | None:
    if "existence" not in attribute and "availab" not in attribute:
        return None
    counted = COUNT.match(subject)
    if counted:
        number, card = counted[1] or counted[4], counted[2] or counted[3]
        found = find_offers(OfferQuery(gpu=card, min_gpus=int(number), max_gpus=int(number)))
        return Ruling("holds" if found.total or found.unpriced else "contradicted", f"{found.total} offers")
    names = re.split(r"\s*/\s*", subject)
    meanings = [
        look_up(re.sub(r"^(?:Alibaba ECS|AWS|Azure|GCP)\s+", "", value if "ecs." in value else one)) for one in names
    ]
    if any(one.kind is None for one in meanings):
        return Ruling("contradicted", "; ".join(f"{one.name}: nearest {', '.join(one.nearest)}" for one in meanings))
    if any(one.kind == "closed model" for one in meanings):
        return Ruling("unsupported", "runs only as a service")
    if re.search(r"phased out|停产|withdrawn", value):
        rented = find_offers(OfferQuery(gpu=subject)).total
        return Ruling("partly" if rented else "holds", f"{rented} offers rent it")
    if "rent" in value:
        return Ruling("partly", "rented by some clouds only")
    return Ruling("holds", ", ".join(one.ids[0] for one in meanings))


def by_instance(subject: str, attribute: str, value: str, claim: str) -> Ruling | None:
    """Instance types: their cards, shape and price."""
    plain = re.sub(r"^Alibaba ECS\s+", "", subject)
    if attribute == "instance type":
        kind = look_up(value).kind
        return Ruling("holds" if kind == "instance" else "contradicted", f"{value}: {look_up(value).nearest}")
    bare = re.sub(r"^(?:AWS|Azure|GCP|OCI)\s+", "", plain)
    cloud = plain.split()[0] if bare != plain else None
    name = next((one for one in (plain, bare) if look_up(one).kind == "instance"), None)
    name = name or (bare if cloud and look_up(f"{cloud} {bare}").kind == "instance" else None)
    if name is None:
        return _by_shape(subject, attribute, value)
    found = find_offers(OfferQuery(instance=name, limit=500))
    offered = [*found.offers, *found.unpriced]
    if attribute in ("gpu", "gpus", "gpu count"):
        counted = COUNT.match(value)
        number = int(counted[1] or counted[4]) if counted else None
        wanted = {
            key
            for one in re.split(r"[/,]", (counted[2] or counted[3]) if counted else value)
            for key in look_up(one).ids
        }
        every = {one.gpu for one in offered}
        if every == {None} and not wanted:
            return Ruling("unknown", f"the accelerators of {name} are no catalog row")
        right = bool(every & wanted) and (number is None or any(one.gpu_count == number for one in offered))
        strangers = [
            one for one in re.split(r"[/,]", value) if not set(look_up(one.split("x")[-1].strip()).ids) & every
        ]
        return Ruling("contradicted" if not right or (strangers and not counted) else "holds", f"{every}")
    numbers = {"vcpus": "vcpus", "host memory": "host_memory_bytes", "network": "network_bits_per_s"}
    if attribute in numbers:
        said = (
            float(NUMBER.search(value)[1].replace(",", ""))
            * {"vcpus": 1, "host memory": 2**30, "network": 1e9}[attribute]
        )  # type: ignore[index]
        held = {getattr(one, numbers[attribute]) for one in offered}
        return Ruling(
            "holds" if any(one and abs(one - said) <= 0.02 * one for one in held) else "contradicted", f"{held}"
        )
    if attribute in ("gpu memory", "vram", "memory"):
        counts = {1, *(one.gpu_count for one in offered)}
        held = {gpus()[one.gpu].memory_bytes / 2**30 * float(count) for one in offered for count in counts}
        return Ruling("holds" if float(NUMBER.search(value)[1]) in held else "contradicted", f"{held}")  # type: ignore[index]
    if attribute == "price":
        return _priced(found, value)
    return None


def _by_shape(subject: str, attribute: str, value: str) -> Ruling | None:
    """`4x A100 80GB`, `2x T4`: any instance of that many cards."""
    counted = COUNT.match(value if attribute == "shape" else subject)
    if counted is None or attribute not in ("shape", "price"):
        return None
    number, card = int(counted[1] or counted[4]), (counted[2] or counted[3]).split(",")[0]
    found = find_offers(OfferQuery(gpu=card, min_gpus=number, max_gpus=number, limit=500))
    if attribute == "price":
        return _priced(found, value)
    vcpus = re.search(r"(\d+)\s*vCPU", value)
    fits = [one for one in (*found.offers, *found.unpriced) if vcpus is None or one.vcpus == int(vcpus[1])]
    return Ruling(
        "holds" if fits else "partly", f"{found.total} offers of {number} x {card}, {len(fits)} of that shape"
    )


def _priced(found: OfferSearch, value: str) -> Ruling:
    said = float(NUMBER.search(value)[1].replace(",", ""))  # type: ignore[index]
    prices = [float(one.usd_per_hour) for one in found.offers]
    if not prices:
        return Ruling("unknown", "no price read")
    inside = min(prices) * (1 - AROUND) <= said <= max(prices) * (1 + AROUND)
    return Ruling("holds" if inside else "outdated", f"${min(prices):g} to ${max(prices):g}")

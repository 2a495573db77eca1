"""Renting: every offer that holds a candidate, priced for the instances it takes."""

from collections.abc import Iterator
from decimal import Decimal

from kb.catalog import offers
from kb.records.offer import Offer
from tools.base import Step
from tools.configuration import Configuration, Item, MemoryFit, Price
from tools.configure.fitting import Candidate
from tools.prices import is_stale


def rentals(candidates: list[Candidate], provider: str | None) -> Iterator[tuple[Configuration, Step]]:
    """One configuration for each candidate and each offer of its card that can hold it.

    An offer with fewer GPUs than a node's worth of the layout is passed over: tensor parallelism does not cross
    machines.
    """
    by_gpu: dict[str, list[Offer]] = {}
    for offer in offers():
        whole = offer.gpu_count == int(offer.gpu_count)
        if offer.gpu and offer.on_demand_usd_per_hour and whole and provider in {None, offer.provider}:
            by_gpu.setdefault(offer.gpu, []).append(offer)
    for candidate in candidates:
        needed = candidate.held.layout.gpus
        for offer in by_gpu.get(candidate.gpu.id, ()):
            count = int(offer.gpu_count)
            if count < min(needed, 8):
                continue
            yield rental(candidate, offer, -(-needed // count))


def rental(candidate: Candidate, offer: Offer, instances: int) -> tuple[Configuration, Step]:
    """`instances` of an offer, holding a candidate."""
    gpu, held = candidate.gpu, candidate.held
    hourly = offer.on_demand_usd_per_hour or Decimal(0)
    price = hourly * instances
    rented = int(offer.gpu_count) * instances
    spare = rented - held.layout.gpus
    configuration = Configuration(
        rank=1,
        title=f"{instances} × {offer.provider} {offer.instance} ({rented} × {gpu.name})",
        acquisition="rent",
        gpu=gpu.id,
        gpu_name=gpu.name,
        gpu_count=rented,
        nodes=instances,
        tensor_parallel=held.layout.tensor_parallel,
        pipeline_parallel=held.layout.pipeline_parallel,
        data_parallel=held.layout.data_parallel,
        sharding=held.layout.sharding,
        weight_format=held.weight_format,
        engine=held.estimate.engine,
        memory=memory_fit(candidate),
        items=(
            Item(
                part="instance",
                product=f"{offer.provider} {offer.instance}",
                count=instances,
                unit_price=hourly,
                subtotal=price,
                source=offer.source,
                price_date=offer.as_of,
            ),
        ),
        price=Price(amount=price, currency="USD", period="hour", as_of=offer.as_of, complete=True),
        power_w=None,
        why=f"{held.layout.gpus} × {gpu.name} hold it in {held.weight_format}.",
        trade_offs=(f"{spare} of the {rented} GPUs stay free.",) if spare else (),
        availability=availability(offer),
        provider=offer.provider,
        instance=offer.instance,
        region=offer.region,
    )
    step = Step(
        label=configuration.title,
        formula="instances · on_demand_usd_per_hour",
        inputs={"instances": instances, "on_demand_usd_per_hour": float(hourly)},
        value=float(price),
        unit="usd_per_hour",
        source=offer.source,
    )
    return configuration, step


def memory_fit(candidate: Candidate) -> MemoryFit:
    """What each GPU is asked for against what it has."""
    return MemoryFit(
        needed_bytes_per_gpu=candidate.held.estimate.per_gpu.total_bytes,
        usable_bytes_per_gpu=candidate.gpu.usable_bytes,
        verdict=candidate.verdict,
    )


def availability(offer: Offer) -> str:
    """Where, and how old the price is."""
    place = f"{offer.region}; " if offer.region else ""
    if offer.as_of is None:
        return f"{place}price undated"
    return f"{place}price read {offer.as_of}" + (" (older than 30 days)" if is_stale(offer.as_of) else "")

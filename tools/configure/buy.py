"""Buying: the cards, and the machine that takes them where its price is known."""

from collections.abc import Iterator
from decimal import Decimal

from kb.catalog import servers
from kb.records.gpu import Gpu
from kb.records.server import Server
from tools.base import Step
from tools.configuration import Configuration, Item, Price
from tools.configure.fitting import Candidate
from tools.configure.rent import memory_fit
from tools.configure.suitable import ordered_together, sold_in_systems
from tools.prices import CardPrice, card_price, is_stale

ORDERABLE = {"available", "export_variant"}


def purchases(
    candidates: list[Candidate], owned: dict[str, int], asked: frozenset[str]
) -> Iterator[tuple[Configuration, Step]]:
    """One configuration for each candidate that can be ordered new, or is owned or asked about."""
    for candidate in candidates:
        gpu = candidate.gpu
        if gpu.market == "cloud_only" or gpu.status == "announced":
            continue
        if gpu.status in ORDERABLE or gpu.id in owned or gpu.id in asked:
            yield purchase(candidate, min(owned.get(gpu.id, 0), candidate.held.layout.gpus))


def purchase(candidate: Candidate, owned: int) -> tuple[Configuration, Step]:
    """The bill for one candidate, less what is owned already."""
    gpu, held = candidate.gpu, candidate.held
    together = 1 if owned >= held.layout.gpus else ordered_together(gpu)
    count = max(owned, -(-held.layout.gpus // together) * together)
    missing = count - owned
    host = chassis(gpu, count)
    lines = _system(gpu, count, owned, host) or [*_cards(gpu, missing), *_machine(gpu, count, host, owned)]
    known = [item.subtotal for item in lines if item.subtotal is not None]
    amount = sum(known, Decimal(0)) if known or not missing else None
    dates = sorted(item.price_date or "" for item in lines if item.subtotal is not None)
    price = Price(
        amount=amount,
        low=_total(gpu.price_low_usd, missing, lines),
        high=_total(gpu.price_high_usd, missing, lines),
        as_of=dates[0] or None if dates else None,
        complete=all(item.subtotal is not None for item in lines),
    )
    configuration = Configuration(
        rank=1,
        title=f"{count} × {gpu.name}" + (f" ({owned} owned)" if owned else ""),
        acquisition="buy",
        gpu=gpu.id,
        gpu_name=gpu.name,
        gpu_count=count,
        nodes=host_count(count, host),
        tensor_parallel=held.layout.tensor_parallel,
        pipeline_parallel=held.layout.pipeline_parallel,
        data_parallel=held.layout.data_parallel,
        sharding=held.layout.sharding,
        weight_format=held.weight_format,
        engine=held.estimate.engine,
        memory=memory_fit(candidate),
        items=tuple(lines),
        price=price,
        power_w=gpu.tdp_w * count if gpu.tdp_w else None,
        why=f"{held.layout.gpus} × {gpu.name} hold it in {held.weight_format}.",
        trade_offs=(*_spare(held.layout.gpus, count, together), *_trade_offs(gpu, count)),
        availability=_availability(gpu, price),
        owned_count=owned,
    )
    step = Step(
        label=configuration.title,
        formula="Σ count · unit_price over the parts with a known price",
        inputs={f"{item.part}: {item.product}": float(item.subtotal) for item in lines if item.subtotal is not None},
        value=None if amount is None else float(amount),
        unit="usd",
        source=gpu.price_source,
    )
    return configuration, step


def unit_price(gpu: Gpu, price: CardPrice | None) -> Decimal | None:
    """What to budget for one card: the middle of the street prices read, else the launch list price."""
    if gpu.price_low_usd is not None and gpu.price_high_usd is not None:
        return (gpu.price_low_usd + gpu.price_high_usd) / 2
    return price.amount_usd if price else None


def chassis(gpu: Gpu, count: int) -> Server | None:
    """The machine to put them in: one that takes all, priced if there is one, else the largest."""
    fitting = [server for server in servers().values() if gpu.id in server.gpus and not server.discontinued]
    if not fitting:
        return None
    whole = [server for server in fitting if server.max_gpus >= min(count, 8)]
    return min(whole or fitting, key=lambda server: (server.price_usd is None, server.max_gpus, server.id))


def host_count(count: int, host: Server | None) -> int:
    """Machines that `count` cards take."""
    return -(-count // (host.max_gpus if host else 8))


def _system(gpu: Gpu, count: int, owned: int, host: Server | None) -> list[Item]:
    """Machines sold whole, when one has a price and holds exactly this many."""
    if owned or host is None or host.price_usd is None or count % host.max_gpus:
        return []
    if not sold_in_systems(gpu):
        return []
    number = count // host.max_gpus
    return [
        Item(
            part="system",
            product=f"{host.vendor} {host.name} with {host.max_gpus} × {gpu.name}",
            count=number,
            unit_price=host.price_usd,
            subtotal=host.price_usd * number,
            source=next((name for name, fields in host.sources.items() if "price_usd" in fields), None),
            price_date=host.price_as_of,
        )
    ]


def _cards(gpu: Gpu, missing: int) -> list[Item]:
    if not missing:
        return []
    price = card_price(gpu)
    unit = unit_price(gpu, price)
    return [
        Item(
            part="gpu",
            product=gpu.name,
            count=missing,
            unit_price=unit,
            subtotal=None if unit is None else unit * missing,
            source=price.source if price else None,
            price_date=price.as_of if price else None,
        )
    ]


def _machine(gpu: Gpu, count: int, host: Server | None, owned: int) -> list[Item]:
    if owned and owned == count:
        return []
    if host is None and gpu.market in {"module", "apu"}:
        return []
    return [
        Item(
            part="server" if host else "host",
            product=f"{host.vendor} {host.name}" if host else "workstation or server with enough slots and power",
            count=host_count(count, host),
            unit_price=None,
            subtotal=None,
            source=next(iter(host.sources), None) if host else None,
            price_date=None,
        )
    ]


def _total(unit: Decimal | None, missing: int, lines: list[Item]) -> Decimal | None:
    if unit is None or any(item.part == "system" for item in lines):
        return None
    return unit * missing + sum((i.subtotal for i in lines if i.part != "gpu" and i.subtotal), Decimal(0))


def _spare(used: int, count: int, together: int) -> tuple[str, ...]:
    if count == used:
        return ()
    return (f"Sold {together} at a time: {count - used} of the {count} GPUs stay free.",)


def _trade_offs(gpu: Gpu, count: int) -> tuple[str, ...]:
    said = []
    if count > 1 and gpu.nvlink_bytes_per_s is None:
        said.append("No NVLink: the cards talk over PCIe.")
    if gpu.ecc is False:
        said.append("No ECC memory.")
    if gpu.vendor == "AMD":
        said.append("Runs on ROCm: check that every library you need supports it.")
    if gpu.market == "consumer" and count > 2:
        said.append(
            "Consumer cards: power, cooling and slots for this many need planning, and the warranty may exclude it."
        )
    return tuple(said)


def _availability(gpu: Gpu, price: Price) -> str:
    said = [gpu.export_note] if gpu.export_note else []
    if gpu.status not in ORDERABLE:
        said.append(f"status: {gpu.status}")
    if price.amount is not None and price.as_of is None:
        said.append("card price undated")
    elif price.amount is not None and is_stale(price.as_of):
        said.append(f"card price as of {price.as_of} (older than 30 days)")
    return "; ".join(said)

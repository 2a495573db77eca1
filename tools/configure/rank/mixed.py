"""Cards of several kinds that one has: llama.cpp deals the layers out to them; nothing else uses them together."""

from decimal import Decimal

from kb.catalog import gpus
from kb.constants.speed_constants import constants
from kb.records.gpu import Gpu
from tools.base import Step
from tools.configuration import CardsHeld, Configuration, MemoryFit, Price
from tools.configure.load.served import told
from tools.configure.load.workload import Workload
from tools.configure.tell.reasons import reason, texts
from tools.ways_to_run.search import search
from tools.ways_to_run.space.formats import FILES
from tools.ways_to_run.space.machine import Card, Host, Machine
from tools.ways_to_run.weigh.worth import Weighed

MOST_CARDS = 16
"""Beyond so many nobody deals layers out."""


def together(load: Workload, owned: dict[str, int]) -> tuple[Configuration, Step] | None:
    """One model over cards of several kinds; null when they are of one kind, or do not hold it even so.

    Serving language models only: training needs equal ranks, and images, speech and vision whole copies. The way is
    that of `find_ways_to_run`: the best over some or all of them.
    """
    cards = tuple(gpus()[name] for name, count in sorted(owned.items()) for _ in range(count))
    if load.serving is None or len(owned) < 2 or len(cards) > MOST_CARDS:
        return None
    asked = load.serving.load
    if asked.engine not in (None, FILES):
        return None
    host = Host(None, None, constants().host.bandwidth_bytes_per_s)
    machine = Machine(tuple(Card(gpu, gpu.usable_bytes) for gpu in cards), 1, host, ())
    ways = search(machine, asked._replace(engine=FILES)).ways
    unlike = [one for one in ways if one.candidate.unlike]
    sure = next((one for one in unlike if one.candidate.held.surety == "yes"), None)
    best = sure or next(iter(unlike), None)
    return _configuration(best) if best is not None else None


def _configuration(best: Weighed) -> tuple[Configuration, Step]:
    candidate, held = best.candidate, best.candidate.held
    cards = [card.gpu for card in candidate.cards]
    kinds = list(dict.fromkeys(gpu.id for gpu in cards))
    shown = tuple(
        CardsHeld(
            gpu=kind,
            count=sum(gpu.id == kind for gpu in cards),
            layers=sum(layers for gpu, layers in zip(cards, held.layers, strict=True) if gpu.id == kind),
        )
        for kind in kinds
    )
    names = " + ".join(f"{one.count} × {gpus()[one.gpu].name}" for one in shown)
    largest = max(cards, key=lambda gpu: (gpu.usable_bytes, gpu.id))
    reasons = (
        reason("why", "split_by_memory", cards=names, format=candidate.form),
        reason("trade_off", "unlike_cards", slowest=min(cards, key=_bandwidth).name),
    )
    found = Configuration(
        rank=1, title=f"{names} (owned)", acquisition="buy", gpu=largest.id, gpu_name=names, gpu_count=len(cards),
        nodes=1, pipeline_parallel=len(cards), weight_format=candidate.form, kv_format=candidate.kv, engine=FILES,
        memory=MemoryFit(
            needed_bytes_per_gpu=round(held.needed), usable_bytes_per_gpu=held.usable, verdict=held.surety or "tight"
        ),
        speed=told(best.speed) if best.speed else None, price=Price(amount=Decimal(0), complete=True),
        power_w=sum(gpu.tdp_w or 0 for gpu in cards) or None, why=" ".join(texts(reasons, "why")),
        trade_offs=texts(reasons, "trade_off"), owned_count=len(cards), cards=shown, reasons=reasons,
    )  # fmt: skip
    return found, Step(
        label=found.title, formula="layers dealt out by room_i = usable_i - fixed",
        inputs={f"layers {one.gpu}": one.layers for one in found.cards}, value=round(held.needed), unit="bytes",
        source="calibration",
    )  # fmt: skip


def _bandwidth(gpu: Gpu) -> float:
    return float(gpu.bandwidth_bytes_per_s or 0)

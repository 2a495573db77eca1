"""The search done naively: nested loops over cards, numbers and offers; what is served, by `find_ways_to_run`."""

import math
import random
from collections.abc import Iterator
from decimal import Decimal
from functools import cache
from typing import NamedTuple

from kb.base import AdvisorError
from kb.catalog import gpus, model
from kb.market.offers import current_offers
from kb.programs.software import features
from tools.configure import configure
from tools.configure.bills.bill import bill
from tools.configure.market.purchases import host_memory
from tools.configure.market.suitable import machine_sizes, sold_in_systems
from tools.configure.request import ConfigureRequest
from tools.memory import estimate_memory
from tools.memory.fit import verdict_of
from tools.memory.request import MemoryRequest
from tools.memory.result import Verdict
from tools.prices import age_days
from tools.training_time import estimate_training_time
from tools.training_time.request import TrainingTimeRequest
from tools.ways_to_run.request import WaysToRunRequest
from tools.ways_to_run.search import search
from tools.ways_to_run.space.load import load_of
from tools.ways_to_run.space.machine import machine_of
from tools.ways_to_run.weigh.worth import Weighed

Row = tuple[str, Decimal, float, Decimal, int, int]
"""(card, price, speed of all cards together, price as it ranks, cards, cards in one machine)."""
UNDATED = Decimal("1.3")
"""What a rent, or a purchase by its cards, that is undated or older than a year is charged in the ranking."""
COUNTS = (1, 2, 3, 4, 6, 8)
LINKED = ("a100-sxm-80gb", "h100-sxm-80gb", "h200-sxm-141gb", "b200-sxm-180gb")
"""Cards of which every one is linked to every other in its machine."""


class Point(NamedTuple):
    """One way of the solver of ways on cards that are to be had."""

    card: str
    price: Decimal
    total: float
    felt: Decimal
    count: int
    machine: int
    user: float
    loss: int
    surety: Verdict
    percent: float
    """Quality that weights and cache lose."""

    @property
    def row(self) -> Row:
        return self[:6]


CLASSES = (("bf16", "fp16"), ("fp8", "int8"), ("awq", "gptq", "nvfp4"))
"""Formats by the precision they lose: of each the first that a card reads without conditions."""
LOSS = (0, 1, 4)


@cache
def _ways(name: str, context: int | None, sequences: int, card: str, machine: int, nodes: int) -> tuple[Weighed, ...]:
    """Every way of `find_ways_to_run` that uses all of these cards."""
    fields = {"model": name, "context_tokens": context, "concurrent_sequences": sequences, "engine": "vllm"}
    given = {key: value for key, value in fields.items() if value is not None}
    request = WaysToRunRequest.model_validate({**given, "cards": [{"gpu": card, "count": machine}], "nodes": nodes})
    load, found = load_of(request), machine_of(request)
    return tuple(one for one in search(found, load).ways if one.candidate.used == machine * nodes)


def _class_of(card: str, form: str) -> int | None:
    """Which class a format stands for on a card; null where another of its size is read before it."""
    for place, names in enumerate(CLASSES):
        if form in names:
            rules = [(features()[name].rule(gpus()[card], "vllm") if name in features() else None) for name in names]
            reads = [
                name
                for name, rule in zip(names, rules, strict=True)
                if (rule is None or rule.verdict != "does_not") and (name != "nvfp4" or gpus()[card].fp4_flops)
            ]
            plain = [name for name, rule in zip(names, rules, strict=True) if name in reads
                     and (rule is None or rule.verdict == "works")]  # fmt: skip
            return place if place == 0 or form == (plain or reads)[0] else None
    return None


def _arranged(one: Weighed, card: str, count: int, machine: int) -> bool:
    """Linked cards share layers instead of taking turns; over several machines only whole copies or linked ones."""
    spread, linked = one.candidate.spread, card in LINKED
    if spread.attention_copies:
        return linked and machine >= 4 and spread.ep == 8
    copy = spread.tp * spread.pp
    if linked and spread.pp > 1 and copy <= machine:
        return False
    inside = machine == count or (copy <= machine and machine % copy == 0)
    return inside or (linked and machine >= 4 and spread.tp <= machine and machine % spread.tp == 0)


@cache
def _points_on(
    name: str, context: int | None, sequences: int, card: str, count: int, machine: int
) -> tuple[tuple[float, float, int, Verdict, float], ...]:
    """(rate of all, of a user, loss, surety, quality lost) of every way.

    A narrow cache only where the wide one does not surely fit.
    """
    found = [one for one in _ways(name, context, sequences, card, machine, count // machine)
             if _arranged(one, card, count, machine) and _class_of(card, one.candidate.form) is not None]  # fmt: skip
    roomy = {one.candidate.form for one in found if one.candidate.kv != "fp8" and one.candidate.held.surety == "yes"}
    kept = [one for one in found if one.candidate.kv != "fp8" or one.candidate.form not in roomy]
    return tuple(
        (one.speed.total.value, one.rate, LOSS[_class_of(card, one.candidate.form) or 0],
         one.candidate.held.surety or "no", one.loss_percent)
        for one in kept if one.speed
    )  # fmt: skip


def serving_points(request: ConfigureRequest, cards: tuple[str, ...], way: str) -> Iterator[Point]:
    """Every way on up to eight cards that answers fast enough."""
    sequences = request.concurrent_sequences or 1
    floor = request.target_tokens_per_s or (10.0 if sequences > 1 else 5.0)
    for card in cards:
        for count in COUNTS:
            for price, felt, machine in _prices(card, count, way):
                for total, user, loss, surety, percent in _points_on(
                    request.model or "", request.context_tokens, sequences, card, count, machine
                ):
                    if user >= floor:
                        yield Point(card, price, total, felt, count, machine, user, loss, surety, percent)


def serving_rows(
    request: ConfigureRequest, cards: tuple[str, ...], way: str, loss: int = 0, fit: Verdict = "yes"
) -> Iterator[Row]:
    """Those of one precision and surety."""
    points = serving_points(request, cards, way)
    return (one.row for one in points if one.loss == loss and one.surety == fit)


def training_rows(request: ConfigureRequest, cards: tuple[str, ...], way: str, fit: Verdict = "yes") -> Iterator[Row]:
    """The same for training; over several machines only between linked cards."""
    for card in cards:
        linked = card in LINKED
        for count in COUNTS:
            for price, felt, machine in _prices(card, count, way):
                if machine < count and not (linked and machine >= 4):
                    continue
                for layout in _training_layouts(request, count):
                    if machine % layout[1] == 0 or machine == count:
                        total = _trained(
                            str(request.task), request.model or "", request.sequence_tokens, card, count, layout, fit
                        )
                        if total is not None:
                            yield card, price, total, felt, count, machine


def undominated(rows: list[Row]) -> list[tuple[Decimal, float]]:
    """(price, speed) of those that none beats, by comparing each with each."""
    points = {(price, speed) for _, price, speed, *_ in rows}
    return sorted(
        one for one in points if not any(other != one and other[0] <= one[0] and other[1] >= one[1] for other in points)
    )


def _prices(card: str, count: int, way: str) -> Iterator[tuple[Decimal, Decimal, int]]:
    """(price, price as it ranks, cards in one machine) of every way to get so many of a card."""
    if way == "rent":
        for offer in current_offers():
            if offer.gpu != card or not offer.on_demand_usd_per_hour or offer.gpu_count != int(offer.gpu_count):
                continue
            if count % int(offer.gpu_count) == 0:
                instances = count // int(offer.gpu_count)
                price, age = offer.on_demand_usd_per_hour * instances, age_days(offer.as_of)
                yield price, price * (UNDATED if age is None or age > 365 else 1), int(offer.gpu_count)
        return
    gpu = gpus()[card]
    sizes = machine_sizes(gpu)
    if count > sizes[-1] or (sold_in_systems(gpu) and count not in sizes):
        return
    found = bill(card, count, 1, 0, host_memory(gpu, count), domestic=False)
    if found.complete and found.amount:
        dates = [age_days(item.price_date) for item in found.items if item.part in {"gpu", "system"}]
        aged = any(age is None or age > 365 for age in dates)
        yield found.amount, found.amount * (UNDATED if aged else 1), count


def _training_layouts(request: ConfigureRequest, count: int) -> Iterator[tuple[str | None, int, int, int]]:
    """(sharding, tensor, stages, ranks)."""
    if count == 1:
        yield None, 1, 1, 1
        return
    four_bits = request.task == "qlora" and request.engine != "deepspeed"
    for sharding in ("ddp", "fsdp") if four_bits else ("ddp", "zero2", "zero3"):
        if sharding != "zero2" or request.task != "qlora":
            yield sharding, 1, 1, count
    heads = model(request.model or "").heads or 8
    for tensor in (1, 2, 4, 8):
        for stages in (1, 2, 4, 8):
            whole = tensor * stages > 1 and count % (tensor * stages) == 0 and heads % tensor == 0
            if request.task == "full_finetune" and whole:
                yield "zero1", tensor, stages, count // (tensor * stages)


@cache
def _trained(
    task: str,
    name: str,
    sequence: int | None,
    card: str,
    count: int,
    layout: tuple[str | None, int, int, int],
    fit: Verdict,
) -> float | None:
    sharding, tensor, stages, ranks = layout
    engine = "megatron" if sharding == "zero1" else None
    shape = {"tensor_parallel": tensor, "pipeline_parallel": stages, "data_parallel": ranks, "sharding": sharding,
             "engine": engine, "gradient_checkpointing": "full", "sequence_tokens": sequence}  # fmt: skip
    given = {key: value for key, value in shape.items() if value is not None}
    try:
        held = estimate_memory(MemoryRequest(task=task, model=name, **given))
        if verdict_of(held.per_gpu.total_bytes, held.per_gpu.high_bytes, gpus()[card].usable_bytes) != fit:
            return None
        frozen = {"weight_format": held.weight_format} if task in {"lora", "qlora"} else {}
        speed = estimate_training_time(
            TrainingTimeRequest(task=task, model=name, gpu=card, gpu_count=count, **given, **frozen)
        )
    except AdvisorError:
        return None
    return speed.tokens_per_s_total.value if speed.tokens_per_s_total else None


SERVED_MODELS = ("Llama-3.2-3B", "Llama-3.1-8B", "Qwen2.5-32B", "Qwen2.5-72B", "Mixtral-8x7B-v0.1", "Qwen3-30B-A3B")
TRAINED_MODELS = ("Llama-3.1-8B", "Llama-3.2-3B", "Llama-2-13B", "Qwen2.5-32B")
CARDS = (
    "rtx-5060-ti-16gb", "rtx-5080-16gb", "rtx-5090-32gb", "rtx-pro-5000-bw-48gb", "rtx-pro-6000-bw-ws-96gb",
    "rtx-6000-ada-48gb", "l4-24gb", "l40s-48gb", "a100-sxm-80gb", "h100-sxm-80gb", "h100-nvl-94gb", "h200-sxm-141gb",
    "b200-sxm-180gb", "rtx-3060-12gb", "rtx-3090-24gb", "rtx-4080-16gb", "rtx-4090-24gb",
)  # fmt: skip


def random_need(chance: random.Random) -> ConfigureRequest:
    """A need over a few cards of the catalog: serving or training, buying or renting."""
    cards = tuple(chance.sample(CARDS, 4))
    way = chance.choice(["buy", "rent"])
    if chance.random() < 0.6:
        return ConfigureRequest.model_validate(
            {
                "task": "inference", "model": chance.choice(SERVED_MODELS), "acquisition": way, "gpus_asked": cards,
                "context_tokens": chance.choice([2048, 4096, 8192, 16384]), "max_gpus": 8, "max_results": 50,
                "concurrent_sequences": chance.choice([1, 4, 16, 64]),
                "target_tokens_per_s": chance.choice([None, 15.0, 30.0]),
            }
        )  # fmt: skip
    return ConfigureRequest.model_validate(
        {
            "task": chance.choice(["full_finetune", "lora", "qlora"]), "model": chance.choice(TRAINED_MODELS),
            "acquisition": way, "gpus_asked": cards, "max_gpus": 8, "max_results": 50,
            "sequence_tokens": chance.choice([1024, 4096]),
        }
    )  # fmt: skip


def rows_of(request: ConfigureRequest) -> list[Row]:
    """Every way to meet a random need, by brute force."""
    rows = serving_rows if request.task == "inference" else training_rows
    return list(rows(request, request.gpus_asked, request.acquisition or "buy"))


def tight_rows(request: ConfigureRequest) -> list[Row]:
    """The same for tight fits, in the first of the precisions that has any."""
    way = request.acquisition or "buy"
    if request.task != "inference":
        return list(training_rows(request, request.gpus_asked, way, "tight"))
    found = (list(serving_rows(request, request.gpus_asked, way, loss, "tight")) for loss in LOSS)
    return next((rows for rows in found if rows), [])


def least_price(request: ConfigureRequest, rows: list[Row]) -> Decimal | None:
    """The lowest price in any precision that is tried: as published, in 8 bits and in 4."""
    if request.task == "inference":
        way = request.acquisition or "buy"
        reduced = (row for loss in LOSS[1:] for row in serving_rows(request, request.gpus_asked, way, loss))
        rows = [*rows, *reduced]
    return min((row[1] for row in rows), default=None)


def disagreement(request: ConfigureRequest) -> str | None:
    """What the search says otherwise than brute force: the cheapest price, or a point of the frontier."""
    rows = rows_of(request)
    result = configure(request)
    native = next(iter(result.configurations), None)
    sure = [one for one in result.configurations if one.memory.verdict == "yes" and one.price.complete]
    shown = {one.price.amount for one in sure if one.price.amount}
    expected = min((row[1] for row in rows), default=None)
    if expected is not None and expected not in shown:  # the same order may stand there in another format
        return f"cheapest {expected} is not among {shown} ({native.title if native else 'nothing'})"
    if expected is None and any(one.weight_format == _native(request) for one in sure):
        return f"{native.title if native else 'nothing'} in a precision that nothing holds"
    whole = [one.price.amount for one in result.configurations if one.memory.verdict == "yes" and one.price.complete]
    least, amounts = least_price(request, rows), [amount for amount in whole if amount]
    if min(amounts, default=None) != least:
        return f"least {min(amounts, default=None)} instead of {least} in any precision"
    first = _first(request)
    if first and (native is None or (native.gpu, native.price.amount) != (first.card, first.price)):
        return f"{native.title if native else 'nothing'} leads instead of {first}"
    if not first and rows and native and native.price.amount != (leading := _leading(request, rows))[1]:
        return f"{native.title} at {native.price.amount} leads instead of {leading}"
    points = [(point.price, point.speed) for point in result.frontier if point.weight_format == _native(request)]
    if least is None:  # nothing fits for sure: the frontier is that of tight fits, in the best precision to be had
        points, rows = [(point.price, point.speed) for point in result.frontier], tight_rows(request)
    wanted = undominated(rows)
    if [price for price, _ in points] != [price for price, _ in wanted]:
        return f"frontier {points} instead of {wanted}"
    if any(abs(one[1] / other[1] - 1) > 1e-9 for one, other in zip(points, wanted, strict=True)):
        return f"speeds {points} instead of {wanted}"
    return None


def _first(request: ConfigureRequest) -> Point | None:
    """What leads of served models: the least money for speed with head-room, precision, few cards and being new."""
    if request.task != "inference":
        return None
    shared, target = (request.concurrent_sequences or 1) > 1, request.target_tokens_per_s
    least = 1.1 * target if target else 15.0 if shared else 10.0
    much = 1.5 * least if target or shared else max(1.5 * least, 30.0)
    way = request.acquisition or "buy"
    points = [one for one in serving_points(request, request.gpus_asked, way) if one.surety == "yes"]
    found = [one for slowest in (least, 0.0) for loss in LOSS for one in _of_each(points, loss, slowest)]

    def cost(one: Point) -> tuple[Decimal, bool, Decimal, int]:
        used = way == "buy" and _second_hand(request, one.card)
        lacks = 1.06**one.percent / min(one.user / much, 1.0) * (1.5 if one.user < least else 1.0)
        lacks *= 1.3 ** (math.log2(one.count) + math.log2(one.count // one.machine))
        return one.felt * Decimal(repr(lacks * (2.0 if used else 1.0))), used, one.felt, one.count

    return min(found, key=cost, default=None)


def _of_each(points: list[Point], loss: int, slowest: float) -> Iterator[Point]:
    """Of one precision each card at its cheapest number that is fast enough, with its fastest layout."""
    each: dict[tuple[str, bool], Point] = {}
    for one in sorted(points, key=lambda one: (one.felt, one.count, one.count // one.machine, -one.total)):
        if one.loss == loss and one.user >= slowest:
            each.setdefault((one.card, one.felt != one.price), one)
    yield from each.values()


def _leading(request: ConfigureRequest, rows: list[Row]) -> Row:
    """What leads: the cheapest as it ranks, but usual numbers up to 15 % dearer, but half as fast again for 10 %."""

    def key(row: Row) -> tuple[bool, Decimal, int, int, float]:
        return _second_hand(request, row[0]), row[3], row[4], row[4] // row[5], -row[2]

    first = min(rows, key=key)
    usual = [row for row in rows if row[4] in {1, 2, 4, 8} and key(row)[0] == key(first)[0]]
    near = [row for row in usual if row[3] <= first[3] * Decimal("1.15")]
    if first[4] not in {1, 2, 4, 8} and near:
        first = min(near, key=key)
    each = {(row[0], row[1] != row[3] and request.acquisition == "rent") for row in usual}
    alike = [
        min((row for row in usual if (row[0], row[1] != row[3] and request.acquisition == "rent") == kind), key=key)
        for kind in each
    ]
    faster = [row for row in alike if row[3] <= first[3] * Decimal("1.1") and row[2] >= 1.5 * first[2]]
    return max(faster, key=lambda row: (row[2], [-part for part in key(row)[1:4]]), default=first)


def second_to(request: ConfigureRequest, rows: list[Row]) -> bool:
    """Whether something dearer leads before the cheapest as it ranks."""
    return _leading(request, rows)[3] > min((_second_hand(request, row[0]), row[3]) for row in rows)[1]


def _second_hand(request: ConfigureRequest, card: str) -> bool:
    """Whether it is bought used, which ranks behind everything new."""
    return request.acquisition == "buy" and gpus()[card].status in {"discontinued", "modified"}


def _native(request: ConfigureRequest) -> str:
    return "nf4_dq" if request.task == "qlora" else "bf16"

"""The search done naively: nested loops over cards, numbers, offers and layouts, asking the estimators each time."""

import random
from collections.abc import Iterator
from decimal import Decimal
from functools import cache

from kb.base import AdvisorError
from kb.catalog import gpus, model
from kb.offers import current_offers
from tools.configure import configure
from tools.configure.bill import bill
from tools.configure.purchases import host_memory
from tools.configure.request import ConfigureRequest
from tools.configure.suitable import machine_sizes, sold_in_systems
from tools.memory import estimate_memory
from tools.memory.fit import verdict_of
from tools.memory.request import MemoryRequest
from tools.memory.result import Verdict
from tools.prices import age_days
from tools.speed import estimate_inference_speed
from tools.speed.request import InferenceSpeedRequest
from tools.training_time import estimate_training_time
from tools.training_time.request import TrainingTimeRequest

Row = tuple[str, Decimal, float, Decimal, int, int]
"""(card, price, speed of all cards together, price as it ranks, cards, cards in one machine)."""
UNDATED = Decimal("1.3")
"""What a rent, or a purchase by its cards, that is undated or older than a year is charged in the ranking."""
COUNTS = (1, 2, 3, 4, 6, 8)
LINKED = ("a100-sxm-80gb", "h100-sxm-80gb", "h200-sxm-141gb", "b200-sxm-180gb")
"""Cards of which every one is linked to every other in its machine."""


def serving_rows(
    request: ConfigureRequest, cards: tuple[str, ...], way: str, form: str | None = None, fit: Verdict = "yes"
) -> Iterator[Row]:
    """Every fit in one format (null = as published) on up to eight cards that answers fast enough."""
    sequences = request.concurrent_sequences or 1
    floor = request.target_tokens_per_s or (10.0 if sequences > 1 else 5.0)
    for card in cards:
        if form == "fp8" and gpus()[card].fp8_flops is None:
            continue
        linked = card in LINKED
        for count in COUNTS:
            for price, felt, machine in _prices(card, count, way):
                for tensor in (1, 2, 4, 8):
                    for stages in range(1, count + 1):
                        copy = tensor * stages
                        if count % copy or (linked and stages > 1 and copy <= machine):
                            continue  # linked cards share layers instead of taking turns
                        inside = machine == count or (copy <= machine and machine % copy == 0)
                        across = linked and machine >= 4 and tensor <= machine and machine % tensor == 0
                        if inside or across:
                            found = _served(
                                request.model or "",
                                request.context_tokens,
                                sequences,
                                card,
                                count,
                                tensor,
                                stages,
                                form,
                                fit,
                            )
                            if found is not None and found[0] >= floor:
                                yield card, price, found[1], felt, count, machine
                if linked and machine >= 4 and count == 8:  # attention on every card, experts shared by all eight
                    found = _shared(request.model or "", request.context_tokens, sequences, card, form, fit)
                    if found is not None and found[0] >= floor:
                        yield card, price, found[1], felt, count, machine


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


@cache
def _served(
    name: str,
    context: int | None,
    sequences: int,
    card: str,
    count: int,
    tensor: int,
    stages: int,
    form: str | None = None,
    fit: Verdict = "yes",
) -> tuple[float, float] | None:
    """(tokens a second of a user, of all) when it fits for sure; null otherwise."""
    gpu, copies = gpus()[card], count // (tensor * stages)
    if (model(name).heads or 8) % tensor or copies > sequences:
        return None
    try:
        held = estimate_memory(
            MemoryRequest(
                model=name, context_tokens=context, concurrent_sequences=-(-sequences // copies),
                tensor_parallel=tensor, pipeline_parallel=stages, gpu=card, weight_format=form,
            )
        )  # fmt: skip
        if verdict_of(held.per_gpu.total_bytes, held.per_gpu.high_bytes, gpu.usable_bytes) != fit:
            return None
        speed = estimate_inference_speed(
            InferenceSpeedRequest(
                model=name, gpu=card, gpu_count=count, tensor_parallel=tensor, pipeline_parallel=stages,
                weight_format=held.weight_format, concurrent_sequences=sequences, context_tokens=context,
                engine="vllm",
            )
        )  # fmt: skip
    except AdvisorError:
        return None
    return speed.tokens_per_s_per_user.value, speed.tokens_per_s_total.value


@cache
def _shared(
    name: str, context: int | None, sequences: int, card: str, form: str | None, fit: Verdict
) -> tuple[float, float] | None:
    """The same for a mixture with its experts over eight cards."""
    gpu, experts = gpus()[card], model(name).experts
    if experts is None or experts.experts % 8 or sequences < 8:
        return None
    try:
        held = estimate_memory(
            MemoryRequest(
                model=name, context_tokens=context, concurrent_sequences=-(-sequences // 8), gpu=card,
                tensor_parallel=1, pipeline_parallel=1, expert_parallel=8, weight_format=form,
            )
        )  # fmt: skip
        if verdict_of(held.per_gpu.total_bytes, held.per_gpu.high_bytes, gpu.usable_bytes) != fit:
            return None
        speed = estimate_inference_speed(
            InferenceSpeedRequest(
                model=name, gpu=card, gpu_count=8, expert_parallel=8, weight_format=held.weight_format,
                concurrent_sequences=sequences, context_tokens=context, engine="vllm",
            )
        )  # fmt: skip
    except AdvisorError:
        return None
    return speed.tokens_per_s_per_user.value, speed.tokens_per_s_total.value


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
    search = serving_rows if request.task == "inference" else training_rows
    return list(search(request, request.gpus_asked, request.acquisition or "buy"))


def tight_rows(request: ConfigureRequest) -> list[Row]:
    """The same for tight fits, in the first of the precisions that has any."""
    way = request.acquisition or "buy"
    if request.task != "inference":
        return list(training_rows(request, request.gpus_asked, way, "tight"))
    found = (list(serving_rows(request, request.gpus_asked, way, form, "tight")) for form in (None, "fp8", "awq"))
    return next((rows for rows in found if rows), [])


def least_price(request: ConfigureRequest, rows: list[Row]) -> Decimal | None:
    """The lowest price in any precision that is tried: as published, in 8 bits and in 4."""
    if request.task == "inference":
        way = request.acquisition or "buy"
        reduced = (row for form in ("fp8", "awq") for row in serving_rows(request, request.gpus_asked, way, form))
        rows = [*rows, *reduced]
    return min((row[1] for row in rows), default=None)


def disagreement(request: ConfigureRequest) -> str | None:
    """What the search says otherwise than brute force: the cheapest price, or a point of the frontier."""
    rows = rows_of(request)
    result = configure(request)
    native = next(iter(result.configurations), None)
    sure = [
        one for one in result.configurations if one.memory.verdict == "yes" and one.weight_format == _native(request)
    ]
    cheapest = min((one.price.amount for one in sure if one.price.amount and one.price.complete), default=None)
    expected = min((row[1] for row in rows), default=None)
    if cheapest != expected:
        return f"cheapest {cheapest} instead of {expected} ({native.title if native else 'nothing'})"
    whole = [one.price.amount for one in result.configurations if one.memory.verdict == "yes" and one.price.complete]
    least, amounts = least_price(request, rows), [amount for amount in whole if amount]
    if min(amounts, default=None) != least:
        return f"least {min(amounts, default=None)} instead of {least} in any precision"
    if rows and native and native.price.amount != (leading := _leading(request, rows))[1]:
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

"""The search: every format × layout × card × offer, under the need's limits."""

from decimal import Decimal

from kb.base import UnknownName
from kb.catalog import gpu as find_gpu
from kb.catalog import gpus, offers
from kb.names import close_names
from kb.rates import usd
from kb.records.gpu import Gpu
from kb.units import format_bytes
from tools.base import Step
from tools.configuration import Configuration
from tools.configure.buy import purchases
from tools.configure.fitting import Candidate, Held, candidates, nearest_miss, table
from tools.configure.pace import READING_TOKENS_PER_S, Pace
from tools.configure.rank import ceiling, choices, frontier
from tools.configure.rent import rentals
from tools.configure.request import ConfigureRequest
from tools.configure.result import ConfigureResult, Rejected
from tools.configure.sources import cited
from tools.configure.suitable import CUDA_ONLY, proposed
from tools.configure.workload import Workload, workload

MACHINE_SHARE = Decimal("0.2")
"""Part of a purchase budget kept for the machine when its price is unknown."""


def configure(request: ConfigureRequest) -> ConfigureResult:
    """Find the smallest and cheapest hardware that meets a need, to buy or to rent, within a budget.

    Examines every catalog card in every layout and format worth trying, keeps what holds the workload on usable
    memory, prices it (cards and machines to buy, instances to rent) and ranks it: sure fits first, published precision
    first, then price. Cards already owned come before anything else. Near misses are returned with the cheapest change
    that would admit them.

    Raises:
        UnknownName, AmbiguousName: for a model, GPU or provider that the catalog does not have.
    """
    provider = known_provider(request.provider)
    owned = {find_gpu(item.gpu).id: item.count or 1 for item in request.gpus_owned}
    asked = frozenset(find_gpu(name).id for name in request.gpus_asked)
    load = workload(request)
    pool = _pool(owned, asked, training=load.training)
    rows = table(load, max(gpu.usable_bytes for gpu in pool), request.max_gpus)
    fitting = candidates(rows, pool)
    native = next((held.weight_format for held in rows if held.variant.loss == 0), None)
    found, steps = _priced(request, fitting, owned, asked, provider)
    kept = [item for item in found if _within(item, request)]
    pace = Pace(request, load)
    shown = [pace.with_speed(item) for item in choices(kept, request, native, pace.enough)]
    titles = {item.title for item in shown}
    derivation = (*_memory_steps(shown, fitting), *(steps[item.title] for item in shown if item.title in steps))
    return ConfigureResult(
        configurations=tuple(shown),
        frontier=tuple(frontier(kept)),
        rejected=tuple(_rejected(request, rows, found, titles, owned, asked)),
        model=load.model,
        budget_usd=_budget_usd(request),
        combinations=len(rows) * len(pool),
        derivation=derivation,
        assumptions=tuple(
            dict.fromkeys(
                (
                    *load.assumptions,
                    *_kept_back(shown, request),
                    *_shared(rows),
                    *_floor(request, load),
                    *(() if asked else (CUDA_ONLY,)),
                )
            )
        ),
        warnings=tuple(_warnings(shown, some_fit=bool(kept))),
        sources=cited(shown),
    )


def known_provider(name: str | None) -> str | None:
    """The provider as the offers write it.

    Raises:
        UnknownName: none of the offers is theirs.
    """
    if name is None:
        return None
    every = sorted({offer.provider for offer in offers()})
    exact = next((provider for provider in every if provider.lower() == name.lower()), None)
    if exact is None:
        exact = next((provider for provider in every if provider.lower().startswith(name.lower())), None)
    if exact is None:
        raise UnknownName("provider", name, close_names(name, every))
    return exact


def _pool(owned: dict[str, int], asked: frozenset[str], *, training: bool) -> list[Gpu]:
    """The cards considered: those asked about, else everything worth proposing; owned ones always."""
    every = gpus()
    if asked:
        return [every[name] for name in sorted(asked | set(owned))]
    return [gpu for gpu in every.values() if gpu.id in owned or proposed(gpu, training=training)]


def _priced(
    request: ConfigureRequest,
    fitting: list[Candidate],
    owned: dict[str, int],
    asked: frozenset[str],
    provider: str | None,
) -> tuple[list[Configuration], dict[str, Step]]:
    way = request.acquisition or (request.budget.mode if request.budget else None) or ("rent" if provider else None)
    found: list[Configuration] = []
    steps: dict[str, Step] = {}
    if way != "rent":
        for configuration, step in purchases(fitting, owned, asked):
            found.append(configuration)
            steps[configuration.title] = step
    if way != "buy":
        for configuration, step in rentals(fitting, provider):
            found.append(configuration)
            steps[configuration.title] = step
    return found, steps


def _within(item: Configuration, request: ConfigureRequest) -> bool:
    limit = ceiling(request.budget, item.acquisition)
    if limit is not None and not item.price.complete:
        limit *= 1 - MACHINE_SHARE
    if limit is not None and (item.price.amount is None or item.price.amount > limit):
        return False
    return request.max_power_w is None or (item.power_w or 0) <= request.max_power_w


def _rejected(
    request: ConfigureRequest,
    rows: list[Held],
    found: list[Configuration],
    shown: set[str],
    owned: dict[str, int],
    asked: frozenset[str],
) -> list[Rejected]:
    """Owned cards that do not hold it, and the cheapest that the budget leaves out."""
    misses: list[Rejected] = []
    held = {item.gpu for item in found if item.owned_count >= item.gpu_count}
    for name, count in owned.items():
        near = nearest_miss(rows, gpus()[name], count)
        if name not in held and near is not None:
            misses.append(_too_small(gpus()[name], count, near, found))
    beyond = [item for item in found if item.title not in shown and not _within(item, request) and item.price.amount]
    for way in ("buy", "rent"):
        cheap = min(
            (i for i in beyond if i.acquisition == way), key=lambda i: (i.price.amount or 0, i.title), default=None
        )
        limit = ceiling(request.budget, way)
        if cheap is not None and limit is not None and cheap.price.amount is not None and cheap.price.amount > limit:
            misses.append(_too_dear(cheap, cheap.price.amount - limit))
    return misses


def _too_small(gpu: Gpu, count: int, near: Held, found: list[Configuration]) -> Rejected:
    more = sorted((i for i in found if i.gpu == gpu.id and i.gpu_count > count), key=lambda i: i.gpu_count)
    needed = near.estimate.per_gpu.total_bytes
    return Rejected(
        title=f"{count} × {gpu.name}",
        gpu=gpu.id,
        gpu_count=count,
        reason=f"Even in {near.weight_format} each GPU needs {format_bytes(needed)} of "
        f"{format_bytes(gpu.usable_bytes)} usable.",
        change=f"Use {more[0].gpu_count} of them." if more else "Use cards with more memory.",
        needed_bytes_per_gpu=needed,
        usable_bytes_per_gpu=gpu.usable_bytes,
    )


def _too_dear(item: Configuration, excess: Decimal) -> Rejected:
    per = " per hour" if item.price.period == "hour" else ""
    return Rejected(
        title=item.title,
        gpu=item.gpu,
        gpu_count=item.gpu_count,
        reason=f"Costs {excess:,.2f} USD{per} more than the budget.",
        change=f"Raise the budget by {excess:,.2f} USD{per}.",
        price_usd=item.price.amount,
    )


def _budget_usd(request: ConfigureRequest) -> Decimal | None:
    return usd(request.budget.amount, request.budget.currency) if request.budget else None


def _memory_steps(shown: list[Configuration], fitting: list[Candidate]) -> list[Step]:
    """For each memory figure shown, the step that states it."""
    steps: dict[str, Step] = {}
    by_key = {(c.gpu.id, c.held.weight_format, c.held.layout.gpus): c for c in fitting}
    for item in shown:
        gpus_used = item.tensor_parallel * item.pipeline_parallel * item.data_parallel
        candidate = by_key.get((item.gpu, item.weight_format or "", gpus_used))
        if candidate is None:
            continue
        label = f"{candidate.held.weight_format} over {gpus_used} GPUs"
        per_gpu = candidate.held.estimate.per_gpu
        steps[label] = Step(
            label=label,
            formula=" + ".join(part.name for part in per_gpu.parts),
            inputs={part.name: part.bytes for part in per_gpu.parts},
            value=per_gpu.total_bytes,
            unit="bytes",
            source="calibration",
        )
    return list(steps.values())


def _kept_back(shown: list[Configuration], request: ConfigureRequest) -> tuple[str, ...]:
    if ceiling(request.budget, "buy") is None or all(i.price.complete for i in shown if i.acquisition == "buy"):
        return ()
    return (f"{MACHINE_SHARE:.0%} of the budget is kept for the machine wherever its price is unknown.",)


def _floor(request: ConfigureRequest, load: Workload) -> tuple[str, ...]:
    if load.training or request.target_tokens_per_s:
        return ()
    return (f"Configurations that answer a user with fewer than {READING_TOKENS_PER_S:g} tokens/s are left out.",)


def _shared(rows: list[Held]) -> tuple[str, ...]:
    return rows[0].estimate.assumptions if rows else ()


def _warnings(shown: list[Configuration], *, some_fit: bool) -> list[str]:
    said = []
    if any("older than 30 days" in item.availability for item in shown):
        said.append("Some prices were read more than 30 days ago; check them before you order.")
    if any(not item.price.complete for item in shown if item.acquisition == "buy"):
        said.append("Purchase prices marked incomplete leave out parts with no dated price, such as the machine.")
    if not shown and some_fit:
        said.append("What fits in memory and budget is slower than asked for.")
    elif not shown:
        said.append("Nothing in the catalog meets every limit; the near misses say what would.")
    return said

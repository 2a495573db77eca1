"""Order, budget and frontier: what comes first, what is too dear, what nothing beats."""

from collections.abc import Callable, Iterable
from decimal import Decimal

from kb.catalog import gpus
from kb.rates import usd
from kb.units import HOURS_PER_MONTH
from tools.configuration import Configuration
from tools.configure.request import ConfigureRequest
from tools.configure.result import FrontierPoint
from tools.configure.suitable import MAINSTREAM
from tools.need import Budget

HOURS = {"hour": 1, "month": HOURS_PER_MONTH, "year": 12 * HOURS_PER_MONTH, None: HOURS_PER_MONTH}
"""Hours a rental budget covers; a rent without a period is taken as monthly."""
FAR = Decimal(10) ** 15
LEAVING_CUDA = Decimal("1.3")
"""What a purchase outside CUDA is charged in the ranking, not in the price: a judgement, for porting and support."""
LOSS = {"bf16": 0, "fp16": 0, "fp32": 0, "fp8": 1, "int8": 1}


def ceiling(budget: Budget | None, acquisition: str) -> Decimal | None:
    """The most a configuration may cost, in dollars: in all for a purchase, per hour for rent; None = no limit."""
    if budget is None or (budget.mode is not None and budget.mode != acquisition):
        return None
    amount = usd(budget.amount, budget.currency)
    if acquisition == "buy":
        return amount if budget.period is None else None
    if budget.period is None and budget.mode is None:
        return None
    return amount / HOURS[budget.period]


def ordered(configurations: Iterable[Configuration], native: str | None) -> list[Configuration]:
    """Sure fits before tight ones, published precision before reduced, known prices before unknown, cheap first."""

    def key(item: Configuration) -> tuple[object, ...]:
        return (
            item.memory.verdict != "yes",
            precision_lost(item.weight_format, native),
            item.price.amount is None,
            _felt(item),
            item.gpu_count,
            item.title,
        )

    return sorted(configurations, key=key)


def _felt(item: Configuration) -> Decimal:
    """The price as it ranks: bought cards of another make must be cheaper by the work of leaving CUDA."""
    if item.price.amount is None:
        return FAR
    foreign = item.acquisition == "buy" and gpus()[item.gpu].vendor != MAINSTREAM
    return item.price.amount * (LEAVING_CUDA if foreign else 1)


def precision_lost(weight_format: str | None, native: str | None) -> int:
    """0 for the published format (or 16 bit and wider), 1 for 8 bit, 2 for less."""
    if weight_format is None or weight_format == native:
        return 0
    return LOSS.get(weight_format, 2)


def varied(
    configurations: list[Configuration], limit: int, accept: Callable[[Configuration], bool] = lambda item: True
) -> list[Configuration]:
    """The best `limit` that `accept` lets through, each card and precision once: choices, not one choice often."""
    kept: list[Configuration] = []
    seen: set[tuple[str, str | None, bool]] = set()
    for item in configurations:
        mark = (item.gpu, item.weight_format, item.acquisition == "rent")
        if mark not in seen and accept(item):
            seen.add(mark)
            kept.append(item)
        if len(kept) == limit:
            break
    return kept


def choices(
    found: list[Configuration],
    request: ConfigureRequest,
    native: str | None,
    accept: Callable[[Configuration], bool] = lambda item: True,
) -> list[Configuration]:
    """What is shown: owned cards first, then the best purchases and rentals in turn, ranked from 1.

    `accept` decides whether a configuration is fast enough; it is asked only of those that would be shown.
    """
    ranked = ordered(found, native)
    owned = [item for item in ranked if item.owned_count]
    owned.sort(key=lambda item: (item.owned_count < item.gpu_count, item.memory.verdict != "yes"))
    rest = [item for item in ranked if not item.owned_count]
    buy, rent = ([item for item in rest if item.acquisition == way] for way in ("buy", "rent"))
    half = request.max_results if not (buy and rent) else -(-request.max_results // 2)
    buy, rent = varied(buy, half, accept), varied(rent, half, accept)
    cheap = cheapest(rest, lambda item: item.acquisition == "rent", accept)
    if cheap and rent and cheap.title not in {item.title for item in rent}:
        rent = [*rent[: half - 1], cheap]
    mixed = varied(owned, 2)
    for place in range(max(len(buy), len(rent))):
        mixed += [row[place] for row in (rent, buy) if place < len(row)]
    return [item.model_copy(update={"rank": rank}) for rank, item in enumerate(mixed[: request.max_results], 1)]


def cheapest(
    found: Iterable[Configuration],
    wanted: Callable[[Configuration], bool],
    accept: Callable[[Configuration], bool] = lambda item: True,
) -> Configuration | None:
    """The cheapest sure fit of a kind, whatever its precision."""
    priced = [i for i in found if wanted(i) and i.price.amount is not None and i.memory.verdict == "yes"]
    return next((i for i in sorted(priced, key=lambda item: (item.price.amount or FAR, item.title)) if accept(i)), None)


def frontier(found: Iterable[Configuration]) -> list[FrontierPoint]:
    """Per way of acquiring: the configurations that none beats on price and aggregate bandwidth together."""
    points: list[FrontierPoint] = []
    found = list(found)
    for way in ("buy", "rent"):
        priced = [
            (item, item.price.amount, (gpus()[item.gpu].bandwidth_bytes_per_s or 0) * item.gpu_count)
            for item in found
            if item.acquisition == way and item.price.amount and item.memory.verdict == "yes"
        ]
        best = -1
        for item, price, bandwidth in sorted(priced, key=lambda row: (row[1], -row[2], row[0].title)):
            if bandwidth > best:
                best = bandwidth
                points.append(
                    FrontierPoint(
                        title=item.title,
                        acquisition=way,
                        price=price,
                        period=item.price.period,
                        bandwidth_bytes_per_s=bandwidth,
                    )
                )
    return points

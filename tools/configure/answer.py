"""The answer: one search, with the cards in hand together, near misses, and what is said beside."""

from collections.abc import Iterator
from decimal import Decimal

from kb.catalog import gpus
from kb.market.rates import usd
from kb.purposes import PurposeName, models_for, purposes
from tools.configuration import Configuration, Price
from tools.configure.asked import Asked, pool, read
from tools.configure.load.fitting import Table
from tools.configure.load.workload import SMALLEST_FILES
from tools.configure.market.suitable import FILE_ENGINE
from tools.configure.pace.quickest import unreachable
from tools.configure.rank.isolated import isolated
from tools.configure.rank.mixed import together
from tools.configure.rank.ranking import Found
from tools.configure.request import ConfigureRequest
from tools.configure.result import ConfigureResult, FrontierPoint, Rejected
from tools.configure.search import Search
from tools.configure.tell.account import assumptions, memory_steps, rejected, warnings
from tools.configure.tell.configured import title
from tools.configure.tell.reasons import in_currency, text
from tools.configure.tell.sources import cited
from tools.memory.formats import held_in
from tools.need import SERVED


def configure(request: ConfigureRequest) -> ConfigureResult:
    """Find the smallest and cheapest hardware that meets a need, to buy or to rent, within a budget.

    Examines every catalog card in every number, layout and format worth trying, keeps what holds the workload on usable
    memory and is fast enough, prices the whole bill (cards, machines, network, racks) or the instances, and ranks it:
    sure fits first, published precision first, then price; where a budget is to be spent well, speed. Cards already
    owned come before anything else. Near misses are returned with the cheapest change that would admit them.

    Raises:
        UnknownName, AmbiguousName: for a model, GPU or provider that the catalog does not have.
    """
    if request.purpose and request.model is None and request.params is None and request.task in SERVED:
        return _for_purpose(request, request.purpose)
    found = _configure(request)
    return found if found.configurations or found.least_first_s else _squeezed(request, found)


def _squeezed(request: ConfigureRequest, found: ConfigureResult) -> ConfigureResult:
    """The same in files of fewer than four bits, where nothing else fits and files are what is read."""
    if request.weight_format is None and _reads_files(read(request)):
        for form in SMALLEST_FILES:
            other = _configure(request.model_copy(update={"weight_format": form}))
            if other.configurations:
                return other
    return found


def _reads_files(asked: Asked) -> bool:
    """Whether files are what is read: llama.cpp was asked for, or a card named is served by nothing else."""
    if asked.load.serving is None:
        return False
    cards = [gpus()[name] for name in asked.cards | set(asked.owned)]
    offered = [asked.load.offered(gpu) for gpu in cards]
    return asked.request.engine == FILE_ENGINE or any(own and all(one.file for one in own) for own in offered)


def _for_purpose(request: ConfigureRequest, purpose: PurposeName) -> ConfigureResult:
    """The same for the largest model published for the purpose that the limits admit; said in the assumptions.

    With neither a budget nor cards in hand nothing limits the model, so a middling one is taken.
    """
    fitting = models_for(purpose)
    limited = request.budget is not None or bool(request.gpus_owned) or bool(request.gpus_asked)
    lump = request.budget is not None and request.budget.period is None and request.budget.mode != "rent"
    if lump and request.acquisition is None:  # a sum is to be spent once: an hour of anything costs less
        request = request.model_copy(update={"acquisition": "buy"})
    for model in fitting if limited else fitting[len(fitting) // 2 :]:
        found = _configure(request.model_copy(update={"model": model.id}))
        if found.configurations:
            break
    size = "the largest" if limited else "a middling one"
    said = f"No model was named; {model.name} stands in: {size} of the models published for {purpose} that fits."
    return found.model_copy(
        update={
            "assumptions": (said, *found.assumptions),
            "sources": (*found.sources, purposes()[purpose].source),
        }
    )


def _configure(request: ConfigureRequest) -> ConfigureResult:
    asked = read(request)
    if (sooner := unreachable(request, asked.load, Table(asked.load), pool(asked))) is not None:
        return sooner
    search = Search(asked)
    currency = search.asked.currency
    drawn = search.asked.ways if request.with_frontier and not request.instances else ()
    points = {way: search.ranking.frontier(way, search.wanted) for way in drawn}
    made = isolated(search, request.instances) if request.instances else search.shown()
    shown = [configuration for configuration, _, _ in made]
    own = {} if request.instances or "buy" not in search.asked.ways else search.asked.owned
    mixed = together(search.asked.load, own)
    if mixed is not None:
        shown = _with_mixed(shown, mixed[0])[: request.max_results]
    return ConfigureResult(
        configurations=tuple(shown),
        frontier=tuple(_point(found, search.pace.measure, currency) for way in drawn for found in points[way]),
        rejected=() if request.instances else tuple(_near_misses(search, shown, [found for _, _, found in made])),
        model=search.asked.load.model,
        budget_usd=usd(request.budget.amount, request.budget.currency) if request.budget else None,
        country=search.asked.country,
        given=search.asked.given.rows,
        combinations=search.table.examined * len(search.pool),
        derivation=(*memory_steps(made), *(step for _, step, _ in made), *(mixed[1:] if mixed else ())),
        assumptions=assumptions(search, made),
        warnings=tuple(warnings(search, shown)),
        sources=cited(shown),
    )


def _near_misses(search: Search, shown: list[Configuration], made: list[Found]) -> Iterator[Rejected]:
    """Near misses with their price in the asker's currency, too, and what of it is beyond the budget."""
    budget, buys = search.asked.request.budget, search.asked.ways == ("buy",)
    for one in rejected(search, shown, made):
        price = Price(amount=one.price_usd, complete=True)
        price = price.within(budget) if budget and buys else price.also_in(search.asked.currency)
        told = [in_currency(each, search.asked.currency) for each in one.reasons[:2]]
        said = {"reason": text(told[0]), "change": text(told[1])} if len(told) == 2 else {}
        yield one.model_copy(update={"asked_price": price.asked_price, "beyond": price.beyond, **said})


def _with_mixed(shown: list[Configuration], mixed: Configuration) -> list[Configuration]:
    """Unlike cards that hold it together come after equal ones that do by themselves, and before anything bought."""
    alone = [item for item in shown if item.owned_count and item.owned_count >= item.gpu_count]
    others = [item for item in shown if item not in alone]
    return [item.model_copy(update={"rank": rank}) for rank, item in enumerate([*alone, mixed, *others], 1)]


def _point(found: Found, measure: str, currency: str) -> FrontierPoint:
    choice = found.option.choice
    price = Price(amount=choice.amount or Decimal(0), complete=choice.complete)
    return FrontierPoint(
        title=title(choice), acquisition=choice.acquisition, gpu=choice.gpu.id, gpu_count=choice.count,
        weight_format=held_in(found.paced.held.weight_format, choice.gpu), price=choice.amount or Decimal(0),
        asked_price=price.also_in(currency).asked_price,
        period="hour" if choice.acquisition == "rent" else None, speed=found.paced.rate, measure=measure,
        bandwidth_bytes_per_s=(choice.gpu.bandwidth_bytes_per_s or 0) * choice.count,
    )  # fmt: skip

"""The request with its names resolved, and the cards it is about."""

from dataclasses import dataclass, replace
from functools import lru_cache

from kb.base import UnknownName
from kb.catalog import gpus, offers
from kb.catalog import provider as find_provider
from kb.market.rates import rate
from kb.naming.names import close_names
from kb.records.gpu import Gpu
from tools.configure.load.workload import Workload, workload
from tools.configure.market.conditions import meets
from tools.configure.market.own import Given, read_own
from tools.configure.market.suitable import proposed
from tools.configure.request import ConfigureRequest
from tools.named import read_card
from tools.need import Condition

CHINA = "CN"


@dataclass(frozen=True, slots=True)
class Asked:
    """A request read."""

    request: ConfigureRequest
    load: Workload
    provider: str | None
    owned: dict[str, int]
    cards: frozenset[str]
    country: str | None
    ways: tuple[str, ...]
    given: Given
    currency: str = "USD"
    """What prices are told in besides dollars: that of the budget, else the one asked for where its rate is known."""


def read(request: ConfigureRequest) -> Asked:
    """The request with every name looked up.

    Raises:
        UnknownName: for a model, GPU or provider that the catalog does not have.
        AmbiguousName: for a model.
        BadInput: for prices that cannot be read.
    """
    budget = request.budget
    provider = known_provider(request.provider)
    way = request.acquisition or (budget.mode if budget else None) or ("rent" if provider else None)
    owned: dict[str, int] = {}
    said: list[str] = []
    for item in request.gpus_owned:
        card, assumed = read_card(item.gpu)
        name = card.id
        said += assumed
        owned[name] = owned.get(name, 0) + (item.count or 1)
    named = [read_card(name) for name in (*request.gpus_asked, *(one.gpu for one in request.gpus_proposed))]
    cards = frozenset(card.id for card, _ in named)
    said += [line for _, assumed in named for line in assumed]
    currency = budget.currency if budget else _told_in(request.currency)
    given = read_own(request, currency)
    load = workload(request, [gpus()[name] for name in cards | set(owned)], others=not cards)
    return Asked(
        request=request,
        load=replace(load, assumptions=(*load.assumptions, *dict.fromkeys(said), *given.assumptions)),
        provider=provider,
        owned=owned,
        cards=cards,
        country=request.country or (CHINA if budget is not None and budget.currency == "CNY" else None),
        ways=(way,) if way else ("buy", "rent"),
        given=given,
        currency=currency,
    )


def _told_in(currency: str | None) -> str:
    try:
        return rate(currency).currency if currency else "USD"
    except UnknownName:
        return "USD"


def known_provider(name: str | None) -> str | None:
    """The provider as the offers write it, asked for by its id, its name or an alias: "alibaba-cloud", 「阿里云」.

    Raises:
        UnknownName: none of the offers is theirs.
    """
    if name is None:
        return None
    every = sorted({offer.provider for offer in offers()})
    wanted = [known_cloud(name), name.lower()]
    exact = next((cloud for one in wanted for cloud in every if cloud.lower() == one), None)
    if exact is None:
        exact = next((cloud for one in wanted for cloud in every if one and cloud.lower().startswith(one)), None)
    if exact is None:
        raise UnknownName("provider", name, close_names(name, every))
    return exact


def known_cloud(name: str) -> str:
    """The name of the cloud with this id, name or alias, in small letters; empty where there is none."""
    try:
        return find_provider(name).name.lower()
    except UnknownName:
        return ""


def pool(asked: Asked) -> list[Gpu]:
    """The cards considered: those asked about, else everything worth proposing; owned ones always."""
    every = gpus()
    if asked.cards:
        return [every[name] for name in sorted(asked.cards | set(asked.owned))]
    load = asked.load
    conditions = asked.request.conditions
    others = bool({"not_nvidia", "amd", "chinese"} & set(conditions))
    country = asked.country or ("CN" if "chinese" in conditions else None)
    cuda_only = (load.one_gpu or asked.request.task == "qlora") and not others
    worth = _worth_proposing(conditions, load.training, country, cuda_only, others)
    held = {name for name in worth if _of_size(every[name], asked.request)}
    return [every[name] for name in sorted(held | set(asked.owned) | set(asked.given.by_card))]


def _of_size(gpu: Gpu, request: ConfigureRequest) -> bool:
    """Whether the card has the memory that cards were said to need."""
    least, most = request.card_memory_least_bytes or 0, request.card_memory_most_bytes
    return least <= gpu.memory_bytes and (most is None or gpu.memory_bytes <= most)


@lru_cache(maxsize=256)
def _worth_proposing(
    conditions: tuple[Condition, ...], training: bool, country: str | None, cuda_only: bool, others: bool
) -> frozenset[str]:
    """Cards that nobody named, by what is asked of them: the same for every work of a kind."""
    return frozenset(
        name
        for name, gpu in gpus().items()
        if meets(gpu, conditions)
        and proposed(gpu, training=training, country=country, cuda_only=cuda_only, others=others)
    )

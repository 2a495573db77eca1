"""What a name means in the catalog, whatever kind of thing it is."""

from collections.abc import Callable

from kb.base import AmbiguousName, Frozen, UnknownName
from kb.catalog import gpu_ids, provider, server
from kb.market.components import components_named
from kb.market.offers import current_offers
from kb.models import model
from kb.naming.name_index import Names, close_names
from kb.naming.names import closed_names, gpu_names
from tools.offer_match import instances

KINDS = ("gpu", "instance", "server", "model", "closed model", "software", "component", "provider")


class Meaning(Frozen):
    """What a name stands for, or what real thing is nearest."""

    name: str
    kind: str | None
    """One of `KINDS`; null when nothing bears the name."""
    ids: tuple[str, ...] = ()
    """Catalog ids it may mean; several when it leaves a variant open."""
    nearest: tuple[str, ...] = ()
    """Real names like it, when nothing bears it."""


def look_up(name: str) -> Meaning:
    """The thing called `name`: the first kind that holds it, else the nearest names of every kind.

    An exact kind wins over an ambiguous one ("A2" the card, not the Google family).
    """
    nearest: dict[str, list[str]] = {}
    for kind, find in _FINDERS:
        try:
            return Meaning(name=name, kind=kind, ids=tuple(find(name)))
        except UnknownName as unknown:
            nearest[kind] = unknown.close
    every = [one for close in nearest.values() for one in close]
    if gpu_names().scan(name):  # a card's name with something that it never came with: "H100 120GB"
        every = nearest["gpu"]
    alike = close_names(name, dict.fromkeys(every), 3)
    return Meaning(name=name, kind=None, nearest=tuple(alike or every[:3]))


def _models(name: str) -> tuple[str, ...]:
    try:
        return (model(name).id,)
    except AmbiguousName as several:
        return tuple(several.candidates)


def _several(names: Names) -> Callable[[str], tuple[str, ...]]:
    def find(name: str) -> tuple[str, ...]:
        try:
            return (names.resolve(name),)
        except AmbiguousName as several:
            return tuple(several.candidates)

    return find


def _software(name: str) -> tuple[str, ...]:
    from tools.check_compatibility import feature_names

    return _several(feature_names())(name)


_FINDERS: tuple[tuple[str, Callable[[str], tuple[str, ...]]], ...] = (
    ("gpu", gpu_ids),
    ("instance", lambda name: tuple(sorted(instances(name, current_offers())))),
    ("server", lambda name: (server(name).id,)),
    ("closed model", lambda name: _several(closed_names())(name)),
    ("model", _models),
    ("software", _software),
    ("component", lambda name: tuple(one.id for one in components_named(name))),
    ("provider", lambda name: (provider(name).id,)),
)

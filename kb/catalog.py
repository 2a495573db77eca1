"""The catalog: GPUs, offers, servers and sources as typed records, each kind loaded once on first use."""

import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any

from kb.base import AmbiguousName, Frozen, UnknownName
from kb.records.gpu import Gpu
from kb.records.model import Model
from kb.records.offer import Offer
from kb.records.server import Server
from kb.records.source import Source
from kb.snapshot import load_yaml
from kb.units import GB, GIB, MIB, TB

__all__ = [
    "FACTS", "Provider", "Reserve", "conventional", "gpu", "gpu_ids", "gpus", "load_yaml", "maker", "model", "models",
    "offers", "provider", "providers", "quantity", "server", "servers", "sources", "usable_reserves",
]  # fmt: skip

FACTS = Path(__file__).parent / "facts"
_UNITS = {"GiB": GIB, "MiB": MIB, "GB": GB, "TB": TB, "T": TB}
_QUANTITY = re.compile(rf"([0-9.]+) ({'|'.join(_UNITS)})")
_QUANTITY_SUFFIXES = ("_bytes", "_bytes_per_s", "_flops", "_ops")
_MEMORY_SIZE = re.compile(r"\d\s?Gi?B?\b", re.IGNORECASE)
_STATED_MEMORY = re.compile(r"(?<![\w.])(\d{1,4})\s?Gi?B?\b", re.IGNORECASE)
_FORM_FACTOR = re.compile(r"(.+?)[ -](SXM\d?|PCIe|NVL|OAM)", re.IGNORECASE)
_MACHINE_MAKERS = {
    "Dell PowerEdge", "PowerEdge", "HPE ProLiant", "ProLiant", "浪潮", "戴尔", "超微", "联想", "新华三", "宁畅", "华为",
    "惠普",
}  # fmt: skip
_FAMILY_LETTERS = 6
"""Shortest beginning of a machine's name that is taken for it when no other begins so."""


class Reserve(Frozen):
    """How much of the stated capacity a class of card leaves to programs."""

    usable_ratio: float
    """Usable over stated bytes."""
    source: str
    """Source id."""
    note: str


class Provider(Frozen):
    """A cloud that rents GPUs, with or without prices in the catalog."""

    id: str
    name: str
    """Name that offers carry; an offer's provider may add a tier (`RunPod Secure`)."""
    country: str | None = None
    """ISO 3166 code of the head office."""
    aliases: tuple[str, ...] = ()
    url: str | None = None
    peers: tuple[str, ...] = ()
    """Names in offers under which it lets machines of other people: cheaper, with nobody who answers for them."""


@lru_cache(maxsize=1)
def gpus() -> dict[str, Gpu]:
    """Every GPU by catalog id."""
    rows = [row for path in sorted((FACTS / "gpus").glob("*.yaml")) for row in load_yaml(path)]
    return {row["id"]: _gpu(row) for row in rows}


def offers() -> tuple[Offer, ...]:
    """Every rental offer, those of the file first, then those fetched live; see `kb.market.offers`."""
    from kb.market.offers import offers as load

    return load()


@lru_cache(maxsize=1)
def servers() -> dict[str, Server]:
    """Every server by catalog id."""
    return {row["id"]: Server.model_validate(row) for row in load_yaml(FACTS / "servers.yaml")}


@lru_cache(maxsize=1)
def sources() -> dict[str, Source]:
    """Every source by id, those of the models' facts included."""
    from kb.models import model_sources

    rows = {**load_yaml(FACTS / "price_sources.yaml"), **load_yaml(FACTS / "sources.yaml")}
    return {**model_sources(), **{key: Source(id=key, **row) for key, row in rows.items()}}


@lru_cache(maxsize=1)
def providers() -> dict[str, Provider]:
    """Every cloud provider by id."""
    return {row["id"]: Provider.model_validate(row) for row in load_yaml(FACTS / "providers.yaml")}


@lru_cache(maxsize=64)
def maker(name: str) -> str:
    """The maker of cards called `name`, in Chinese or English, as the catalog writes it.

    Raises:
        UnknownName: with the closest names.
    """
    known = {card.vendor: card.vendor for card in gpus().values()}
    for vendor, others in load_yaml(FACTS / "makers.yaml").items():
        known |= dict.fromkeys(others, vendor)
    try:
        return known[_find("vendor", name, {label: label for label in known})]
    except UnknownName as unknown:
        raise UnknownName("vendor", name, list(dict.fromkeys(known[label] for label in unknown.close))) from None


@lru_cache(maxsize=1)
def usable_reserves() -> dict[str, Reserve]:
    """Share of the stated memory that is usable, by class of card."""
    return {key: Reserve.model_validate(row) for key, row in load_yaml(FACTS / "reserves.yaml").items()}


def models() -> dict[str, Model]:
    """Every model by catalog id; see `kb.models`."""
    from kb.models import models as load

    return load()


def model(name: str) -> Model:
    """The model called `name`; see `kb.models`."""
    from kb.models import model as find

    return find(name)


def gpu(name: str) -> Gpu:
    """The GPU with this id, vendor name or alias.

    Raises:
        UnknownName: with the closest names.
        AmbiguousName: several cards that differ in memory or form factor bear the name.
    """
    found = gpus().get(name) or _without_memory("-".join(name.lower().split()))
    if found is not None:
        return found
    from kb.naming.card_spellings import bare_name, spellings
    from kb.naming.names import gpu_names

    for spelling in spellings(name):
        ids = gpu_names().bearers(spelling)
        if len(ids) > 1:
            raise AmbiguousName("gpu", name, ids)
        if ids:
            return gpus()[ids[0]]
    raise UnknownName("gpu", name, _close_gpus(bare_name(name)))


def _without_memory(name: str) -> Gpu | None:
    """The only card whose id is `name` and its memory: ids once came without it, and are still written so."""
    found = [key for key in gpus() if key.startswith(name) and re.fullmatch(r"(?:-?\d+)?gb", key[len(name) :])]
    return gpus()[found[0]] if len(found) == 1 else None


def gpu_ids(name: str) -> tuple[str, ...]:
    """Ids of every GPU that bears `name`: one, or all variants of an ambiguous name.

    Raises:
        UnknownName: with the closest names.
    """
    try:
        return (gpu(name).id,)
    except AmbiguousName as several:
        return tuple(several.candidates)


def conventional(ids: Iterable[str]) -> str:
    """The variant people usually mean among GPUs that share a name ("A100" → the 80 GB SXM4 card).

    The catalog flags the conventional variants; among several flagged (or none), the largest memory wins.
    """
    return min(ids, key=lambda key: (not gpus()[key].conventional, -gpus()[key].memory_bytes, key))


def server(name: str) -> Server:
    """The server with this id, model name or alias.

    Raises:
        UnknownName: with the closest names.
    """
    labels = {label: row.id for row in servers().values() for label in (row.id, row.name, *row.aliases)}
    makers = {row.vendor for row in servers().values()} | _MACHINE_MAKERS
    return servers()[_find("server", name, labels, makers)]


def provider(name: str) -> Provider:
    """The cloud provider with this id, name or alias, in Chinese or English.

    Raises:
        UnknownName: with the closest names.
    """
    labels = {label: row.id for row in providers().values() for label in (row.id, row.name, *row.aliases)}
    return providers()[_find("provider", name, labels)]


def _close_gpus(name: str, limit: int = 3) -> list[str]:
    """Ids of the cards nearest to `name`.

    First those it would name with another memory ("H100 120GB"), then those with a name or alias most like it:
    "A6000 Ada" is like both RTX A6000 and RTX 6000 Ada.
    """
    from kb.naming.names import close_names

    labels = {label: row.id for row in gpus().values() for label in (row.id, row.name, *row.aliases)}
    alike = (labels[label] for label in close_names(name, labels, limit * 8))
    return list(dict.fromkeys((*_with_another_memory(name), *alike)))[:limit]


def _with_another_memory(name: str) -> list[str]:
    """Ids of the cards that `name` without its memory means, the nearest memory first."""
    size = _STATED_MEMORY.search(name)
    if size is None:
        return []
    try:
        ids = gpu_ids(f"{name[: size.start()]} {name[size.end() :]}".strip())
    except UnknownName:
        return []
    wanted = int(size[1]) * GIB

    def nearness(key: str) -> tuple[int, bool, int, str]:
        card = gpus()[key]
        return abs(card.memory_bytes - wanted), not card.conventional, -card.memory_bytes, key

    return sorted(ids, key=nearness)


def _find(kind: str, name: str, labels: dict[str, str], makers: Iterable[str] = ()) -> str:
    """The id that bears the name, with or without its maker's; else the only one whose name goes on from it."""
    from kb.naming.names import close_names

    plain = {_letters(label): key for label, key in labels.items()}
    bare = [_letters(maker) for maker in makers]
    wanted = _letters(name)
    spellings = [wanted, *(wanted.removeprefix(maker) for maker in bare), *(maker + wanted for maker in bare)]
    for spelling in spellings:
        if spelling in plain:
            return plain[spelling]
    longer = {key for label, key in plain.items() for each in spellings if label.startswith(each)}
    if makers and len(longer) == 1 and len(wanted) >= _FAMILY_LETTERS and any(map(str.isdigit, wanted)):
        return longer.pop()
    raise UnknownName(kind, name, close_names(name, list(labels)))


def _letters(name: str) -> str:
    """A name without case, spaces and punctuation, so that `Lambda Labs` and `lambda-labs` are one."""
    from kb.naming.names import normalise

    return "".join(character for character in normalise(name) if character.isalnum())


def _gpu(row: dict[str, Any]) -> Gpu:
    fields = {key: quantity(key, value) for key, value in row.items()}
    memory_bytes = fields["memory_bytes"]
    fields["usable_measured"] = "usable_bytes" in fields
    if not fields["usable_measured"]:
        reserve = usable_reserves()[_reserve_class(fields)]
        fields["usable_bytes"] = int(memory_bytes * reserve.usable_ratio)
        fields["sources"] = _vouch(fields["sources"], reserve.source, "usable_bytes")
    fields["aliases"] = tuple(dict.fromkeys(_spellings(fields["aliases"], memory_bytes)))
    return Gpu.model_validate(fields)


def _reserve_class(fields: dict[str, Any]) -> str:
    """Which reserve applies: HBM corrects errors for free, GDDR stores the code in the memory itself."""
    if fields["market"] in ("apu", "module"):
        return "unified"
    if str(fields.get("memory_type")).startswith("HBM"):
        return "hbm"
    return "gddr_ecc_on" if fields["market"] in ("data_center", "cloud_only") and fields.get("ecc") else "gddr"


def _vouch(vouched: dict[str, list[str]], source: str, field: str) -> dict[str, list[str]]:
    return {**vouched, source: [*vouched.get(source, ()), field]}


def _spellings(aliases: Iterable[str], memory_bytes: int) -> Iterable[str]:
    """Each alias, and the ways people add the memory to it: "A100 SXM" → "A100 SXM 80GB", "A100 80GB SXM"."""
    size = f"{memory_bytes / GIB:g}"
    for alias in aliases:
        yield alias
        if _MEMORY_SIZE.search(alias):
            continue
        form = _FORM_FACTOR.fullmatch(alias)
        yield f"{alias} {size}GB"
        if form:
            yield f"{form[1]} {size}GB {form[2]}"


def quantity(key: str, value: Any) -> Any:
    """Translate "80 GiB", "3350 GB" or "989 T" once; what is not a quantity passes through."""
    if not isinstance(value, str) or not key.endswith(_QUANTITY_SUFFIXES):
        return value
    match = _QUANTITY.fullmatch(value)
    if match is None:
        raise ValueError(f"{key}: {value!r} is not a number with one of the units {', '.join(_UNITS)}")
    return round(float(match[1]) * _UNITS[match[2]])

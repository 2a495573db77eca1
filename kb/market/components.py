"""Parts one can order: processors, memory, drives, network and power, each with dated prices."""

import re
from functools import lru_cache

from kb.base import UnknownName
from kb.catalog import FACTS, load_yaml, quantity
from kb.records.component import Component, Kind


@lru_cache(maxsize=1)
def components() -> dict[str, Component]:
    """Every component by catalog id."""
    rows = [row for path in sorted((FACTS / "components").glob("*.yaml")) for row in load_yaml(path)]
    return {
        row["id"]: Component.model_validate({key: quantity(key, value) for key, value in row.items()}) for row in rows
    }


def of_kind(kind: Kind) -> tuple[Component, ...]:
    """Components of one kind, in the order of the file."""
    return tuple(one for one in components().values() if one.kind == kind)


def component(name: str) -> Component:
    """The component with this id, name or alias.

    Raises:
        UnknownName: with the closest names.
    """
    from kb.naming.names import close_names, normalise

    labels = {label: row.id for row in components().values() for label in (row.id, row.name, *row.aliases)}
    plain = {normalise(label).replace(" ", ""): key for label, key in labels.items()}
    makers = {normalise(row.vendor) for row in components().values()}
    wanted = normalise(name).replace(" ", "")
    for spelling in (wanted, *(wanted.removeprefix(maker) for maker in makers), *(maker + wanted for maker in makers)):
        if spelling in plain:
            return components()[plain[spelling]]
    raise UnknownName("component", name, close_names(name, list(labels)))


DESKTOP = re.compile(
    r"\b(?:ryzen [3579]\b|core (?:i[3579]|ultra)|i[3579]-?\d{4,5}|[3579]\d{3}(?:x3d|xt|x|g|gt)\b|1[0-9]\d{3}k[fs]?\b)",
    re.I,
)
"""How people write processors of desktops, which the catalog need not hold."""


def processor_in(text: str) -> Component | None:
    """The processor whose number a text holds: "7950X with 64 GB", "2x EPYC 9354"; null where it holds none."""
    words = {word.casefold() for word in re.findall(r"[\w+-]+", text)}
    found = (one for one in of_kind("cpu") if one.name.split()[-1].casefold() in words)
    return next(found, None) or next((one for one in of_kind("cpu") if one.name.casefold() in text.casefold()), None)


def of_desktop(text: str) -> bool:
    """Whether a text names a processor of desktops."""
    known = processor_in(text)
    return known.module == "udimm" if known is not None else DESKTOP.search(text) is not None


def components_named(name: str) -> tuple[Component, ...]:
    """The component of that name, or all of the series that it names: `ConnectX-7` has several.

    Raises:
        UnknownName: with the closest names.
    """
    from kb.naming.names import normalise

    try:
        return (component(name),)
    except UnknownName:
        wanted = normalise(name)
        first = tuple(one for one in components().values() if f"{normalise(one.name)} ".startswith(f"{wanted} "))
        if not first or not any(map(str.isdigit, wanted)):
            raise
        return first

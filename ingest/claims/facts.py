"""The facts a claim is held against, in the words a person would use for them."""

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any

from kb.catalog import FACTS, conventional, gpus, load_yaml, sources
from kb.records.gpu import Gpu
from kb.units import GB, GIB, TB


def cards(ids: Iterable[str]) -> list[Gpu]:
    """The records of some catalog ids."""
    return [gpus()[key] for key in ids]


def usual_memory_bytes(ids: Sequence[str]) -> int:
    """Memory of the variant people mean by a name that several share."""
    return gpus()[conventional(ids)].memory_bytes


def shared_name(ids: Sequence[str], text: str) -> str:
    """What to call the subject of a claim: the card's name, or the document's word for several variants."""
    return gpus()[ids[0]].name if len(ids) == 1 else text.strip(" （(，,、")


def source_of(ids: Iterable[str], field: str) -> str | None:
    """Title and address of what vouches for a field of these cards."""
    for card in cards(ids):
        for key, fields in card.sources.items():
            if field in fields and key in sources():
                source = sources()[key]
                return f"{source.title}, {source.url}" if source.url else source.title
    return None


def listed(ids: Sequence[str], show: Callable[[Gpu], str]) -> str:
    """A value for each variant, variants of one value together."""
    values: dict[str, list[str]] = {}
    for card in cards(ids):
        values.setdefault(show(card), []).append(card.name)
    if len(values) == 1:
        return next(iter(values))
    return "; ".join(f"{value} ({', '.join(names)})" for value, names in values.items())


def show_bytes(value: float | None) -> str:
    """Capacity as the box prints it."""
    return "not stated" if value is None else f"{value / GIB:g} GB"


def show_rate(value: float | None) -> str:
    """Bandwidth in decimal units."""
    if not value:
        return "none"
    return f"{value / TB:.4g} TB/s" if value >= TB else f"{value / GB:.4g} GB/s"


def show_flops(value: float | None) -> str:
    """Peak rate in tera-operations."""
    return "none" if not value else f"{value / TB:.4g} TFLOPS"


@lru_cache(maxsize=1)
def links() -> dict[str, Any]:
    """Generations of links and tensor cores."""
    facts: dict[str, Any] = load_yaml(FACTS / "links.yaml")
    for kind in ("nvlink", "pcie"):
        for row in facts[kind].values():
            row["bandwidth_bytes_per_s"] = int(row["bandwidth"].split()[0]) * GB
    return facts


def link_source(kind: str) -> str:
    """Where the generations of a link are from."""
    source = links()[f"{kind}_source"]
    return f"{source['title']}, {source['url']}"

"""Card names in requests: read strictly, and say aloud when an ambiguous one was given its usual meaning."""

from collections.abc import Iterable

from kb.catalog import conventional, gpu_ids, gpus, sources
from kb.records.gpu import Gpu
from kb.records.source import Source


def read_card(name: str) -> tuple[Gpu, tuple[str, ...]]:
    """The card called `name` and what was assumed in reading it.

    Raises:
        UnknownName: with the closest names.
    """
    ids = gpu_ids(name)
    card = gpus()[conventional(ids)]
    if len(ids) == 1:
        return card, ()
    others = ", ".join(gpus()[key].name for key in ids if key != card.id)
    return card, (f"“{name}” is read as {card.name}; it could also be {others}.",)


def cited(ids: Iterable[str | None]) -> tuple[Source, ...]:
    """Sources by id, each once, in the order first seen."""
    known = sources()
    return tuple(known[key] for key in dict.fromkeys(ids) if key is not None and key in known)


def vouching(card: Gpu, fields: Iterable[str]) -> list[str]:
    """Ids of the sources that vouch for these fields of a card."""
    wanted = set(fields)
    return [key for key, vouched in card.sources.items() if wanted.intersection(vouched)]

"""The names of everything the catalog holds: cards, models, and models nobody can host."""

import re
from functools import lru_cache

from kb.naming.atoms import atoms_of, normalise
from kb.naming.longer_names import longer_card, longer_closed, longer_model
from kb.naming.name_index import Mention, Names, close_names

__all__ = [
    "Mention",
    "Names",
    "atoms_of",
    "close_names",
    "closed_names",
    "gpu_names",
    "model_names",
    "newest_of_size",
    "normalise",
]

BRAND_AND_SIZE = re.compile(r"[a-z]{2,} ?\d+(?:\.\d+)?b", re.I)
CLOSED_FILLERS = frozenset({"latest", "preview", "turbo", "api"})


@lru_cache(maxsize=1)
def gpu_names() -> Names:
    """The names of every GPU of the catalog."""
    from kb.catalog import gpus

    return Names("GPU", {gpu.id: (gpu.name, *gpu.aliases) for gpu in gpus().values()}, variant=longer_card)


@lru_cache(maxsize=1)
def model_names() -> Names:
    """The names of every model of the catalog."""
    from kb.models import brands, models
    from kb.naming.spellings import FILLERS, SHY, alike, group_names, loose_names, own_names

    every = models()
    return Names(
        "model",
        {key: own_names(one, brands()) for key, one in every.items()},
        loose=loose_names(every.values(), brands()),
        groups=group_names(every.values(), brands()),
        fillers=FILLERS,
        merge=lambda ids: alike([every[key] for key in ids]),
        shy=SHY,
        variant=longer_model,
    )


@lru_cache(maxsize=1)
def _unversioned() -> dict[tuple[str, ...], list[str]]:
    from kb.models import brands, models
    from kb.naming.spellings import loose_names

    return loose_names(models().values(), brands())


def newest_of_size(text: str) -> list[str]:
    """Ids of the general models that a brand and a size set apart may mean ("Qwen 72B"), the newest first.

    Empty where no more than one bears it, and of the spelling of a checkpoint ("Qwen-72B"), which is that very one.
    """
    from kb.models import models
    from kb.naming.spellings import FILLERS, alike

    words = text.strip().split()
    while len(words) > 2 and words[-1].lower() in FILLERS:
        words.pop()
    plain = " ".join(words)
    if not BRAND_AND_SIZE.fullmatch(plain):
        return []
    found = alike([models()[key] for key in _unversioned().get(atoms_of(plain), ())])
    return found if len(found) > 1 else []


@lru_cache(maxsize=1)
def closed_names() -> Names:
    """The names of models nobody can host themselves."""
    from kb.models import closed_models

    named = {key: one.names for key, one in closed_models().items()}
    return Names("closed model", named, fillers=CLOSED_FILLERS, variant=longer_closed)

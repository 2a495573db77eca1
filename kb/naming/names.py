"""The names of everything the catalog holds: cards, models, and models nobody can host."""

from functools import lru_cache

from kb.naming.atoms import atoms_of, normalise
from kb.naming.longer_names import longer_card, longer_closed, longer_model
from kb.naming.name_index import Mention, Names, close_names

__all__ = ["Mention", "Names", "atoms_of", "close_names", "closed_names", "gpu_names", "model_names", "normalise"]

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
def closed_names() -> Names:
    """The names of models nobody can host themselves."""
    from kb.models import closed_models

    named = {key: one.names for key, one in closed_models().items()}
    return Names("closed model", named, fillers=CLOSED_FILLERS, variant=longer_closed)

"""Whether an offer meets a query, what its GPUs are and how they are joined."""

import re
from collections.abc import Iterable
from decimal import Decimal
from functools import lru_cache
from typing import Literal

from kb.base import AmbiguousName, UnknownName
from kb.catalog import gpu_ids, gpus
from kb.names import close_names
from kb.records.offer import Offer

Interconnect = Literal["nvlink", "pcie"]
_MESHED = re.compile(r"SXM|OAM|Superchip|module", re.IGNORECASE)
"""Form factors whose links join all cards of a machine; a bridge between two PCIe cards does not."""
_FAMILY_END = re.compile(r"[.\-_]")


@lru_cache(maxsize=4096)
def cards(gpu: str | None, text: str) -> frozenset[str]:
    """Cards an offer may mean: a listing that mixes form factors means every card of its name."""
    if gpu is not None:
        return frozenset({gpu})
    try:
        return frozenset(gpu_ids(text.split(" (")[0]))
    except (UnknownName, AmbiguousName):
        return frozenset()


def cards_of(one: Offer) -> frozenset[str]:
    """Cards this offer may mean."""
    return cards(one.gpu, one.gpu_text)


def memory_bytes(one: Offer) -> int | None:
    """Stated memory of all its GPUs; the least of the cards it may mean."""
    held = [gpus()[key].memory_bytes for key in cards_of(one)]
    return int(min(held) * one.gpu_count) if held else None


def interconnect(one: Offer) -> Interconnect | None:
    """How its GPUs are joined: NVLink (or Infinity Fabric, HCCS) among all, or PCIe; null for a single GPU."""
    if one.gpu_count <= 1 or one.gpu is None:
        return None
    gpu = gpus()[one.gpu]
    return "nvlink" if gpu.nvlink_bytes_per_s and _MESHED.search(gpu.form_factor) else "pcie"


def instances(name: str, found: Iterable[Offer]) -> frozenset[str]:
    """Instance types called `name`, or of the family `name` ("p4de", "gn7i").

    Raises:
        UnknownName: with the nearest real ones.
    """
    every = {one.instance for one in found}
    wanted = _plain(name)
    exact = frozenset(one for one in every if _plain(one) == wanted)
    if exact:
        return exact
    family = frozenset(one for one in every if _plain(one).startswith(wanted) and _ends(_plain(one)[len(wanted) :]))
    if family and re.search(r"\d", wanted):
        return family
    near = close_names(wanted, [_plain(one) for one in every if " " not in one], 6)
    by_plain = {_plain(one): one for one in sorted(every)}
    raise UnknownName("instance", name, list(dict.fromkeys(by_plain[one] for one in near))[:3])


def _plain(instance: str) -> str:
    return instance.strip().lower().removeprefix("ecs.").removeprefix("standard_")


def _ends(rest: str) -> bool:
    return bool(_FAMILY_END.match(rest))


def per_gpu(price: Decimal, one: Offer) -> Decimal:
    """The price of one of its GPUs."""
    return price / one.gpu_count

"""Whether an offer meets a query, what its GPUs are and how they are joined."""

import difflib
import itertools
import re
from collections.abc import Iterable
from decimal import Decimal
from functools import lru_cache
from typing import Literal

from kb.base import AmbiguousName, UnknownName
from kb.catalog import gpu_ids, gpus, providers
from kb.naming.names import close_names
from kb.records.offer import Offer

Interconnect = Literal["nvlink", "pcie"]
_MESHED = re.compile(r"SXM|OAM|Superchip|module", re.IGNORECASE)
"""Form factors whose links join all cards of a machine; a bridge between two PCIe cards does not."""
_FAMILY_END = re.compile(r"[.\-_]")
PREFIX_MIN = 3
"""Letters a family must share with a name to be named as its nearest."""
_SERIES = re.compile(r"^(n[cdv])\d*(?:adis|ads|amsr|asr|isr|as|rs|s|m|r)?(?=[_ ]|v\d|[tah]\d|mi|gb|$)")
"""Azure's series: NC, ND or NV, then the size and its features, which the name of a series leaves out."""


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
    wanted = _plain(_without_cloud(name))
    exact = frozenset(one for one in every if _plain(one) == wanted)
    if exact:
        return exact
    family = frozenset(one for one in every if _in_family(_plain(one), wanted))
    family = family or frozenset(one for one in every if _of_series(_plain(one), wanted))
    if family and re.search(r"\d", wanted):
        return family
    raise UnknownName("instance", name, _nearest(wanted, every))


def _in_family(instance: str, wanted: str) -> bool:
    """`p4de` holds p4de.24xlarge, `gn7i` holds gn7i-c8g1.2xlarge, `NCasT4_v3` holds Standard_NC4as_T4_v3."""
    rest = instance.removeprefix(wanted)
    return (rest != instance and bool(_FAMILY_END.match(rest))) or _series(instance) == _series(wanted) is not None


def _of_series(instance: str, wanted: str) -> bool:
    """`ND H100` is Azure's series ND H100 v5, whose version it leaves out."""
    series = _series(instance)
    return series is not None and series.rpartition("v")[0] == re.sub(r"[_ ]|series$", "", wanted)


@lru_cache(maxsize=1)
def _clouds() -> re.Pattern[str]:
    names = {label for one in providers().values() for label in (one.name, *one.aliases)}
    return re.compile(
        rf"^(?:{'|'.join(map(re.escape, sorted(names, key=len, reverse=True)))})[\s:：的-]+", re.IGNORECASE
    )


def _without_cloud(name: str) -> str:
    """The name without the cloud's before it: `Azure NDv4` → `NDv4`."""
    return _clouds().sub("", name.strip())


def _series(name: str) -> str | None:
    """Azure's series of an instance or of a series' own name: `standard_nd96isr_h100_v5` → ndh100v5; null elsewhere."""
    match = _SERIES.match(name)
    return re.sub(r"[_ ]", "", match[1] + name[match.end() :]) if match and re.search(r"v\d+$", name) else None


def _nearest(wanted: str, every: set[str]) -> list[str]:
    by_plain = {_plain(one): one for one in sorted(every) if " " not in one and re.search(r"\d", one)}
    alike = sorted(by_plain, key=lambda one: (-_shared(one, wanted), one))
    is_family = not _FAMILY_END.search(wanted) and _shared(alike[0], wanted) >= PREFIX_MIN
    near = alike if is_family else close_names(wanted, list(by_plain), 6)
    return list(dict.fromkeys(by_plain[one] for one in near or difflib.get_close_matches(wanted, by_plain)))[:3]


def _plain(instance: str) -> str:
    return instance.strip().lower().removeprefix("ecs.").removeprefix("standard_")


def per_gpu(price: Decimal, one: Offer) -> Decimal:
    """The price of one of its GPUs."""
    return price / one.gpu_count


def _shared(one: str, other: str) -> int:
    """Letters two names begin with alike."""
    return sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))

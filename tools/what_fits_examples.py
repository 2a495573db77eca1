"""The models that stand for what cards hold: recent ones by size, and which of them are named."""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from kb.base import Frozen
from kb.catalog import models
from kb.records.model import Model

EXAMPLES = 3
_SPECIAL = re.compile(r"guard|shield|txgemma|medgemma|math|prover|reward|safeguard|translate|ocr", re.I)
"""Models for one narrow use, which nobody means by "which models"."""
FLUENT_TOKENS_PER_S = 10
"""Output that a reader does not wait for."""
SMALL = 4
"""A model of less than this share of the largest proposed one leaves most of the card idle: not proposed beside it."""
READS = 0.7
"""Share of a memory's bandwidth that writing answers reaches."""
WELL_KNOWN = {"Qwen", "meta-llama", "mistralai", "deepseek-ai", "google", "openai", "microsoft", "zai-org"}
"""Makers whose models most people mean; named as examples before others of like size."""
RECENT_YEARS = 2.5
"""Age beside the newest up to which models are what people fine-tune and serve; older ones are not proposed."""
EVERYDAY_YEARS = 1.5
"""Age up to which a model is proposed for everyday use; makers replace their small models about once a year."""
EVERYDAY = 5
"""Models proposed for everyday use."""
PER_MAKER = 2
REPLACES = 0.75
"""A newer model of a maker of this share of an older one's size takes its place."""
_NARROW = re.compile(
    r"coder|devstral|\bVL\b|omni|caption|rumination|autoglm|bitnet|multimodal|\dV\b|-V\b|speech|audio|embed|rerank",
    re.I,
)
"""Models for code, images or sound first; who wants those says so."""


class Sized(Frozen):
    """A language model by its size."""

    id: str
    name: str
    params: int
    active_params: int
    released: str


@lru_cache(maxsize=1)
def language_models() -> tuple[Sized, ...]:
    """Recent language models of the catalog, smallest first; one of each size, the newest."""
    newest: dict[int, Sized] = {}
    for model in models().values():
        released = model.released or ""
        if model.kind == "llm" and recent(model):
            held = newest.get(model.params)
            if held is None or released > held.released:
                newest[model.params] = Sized(
                    id=model.id, name=model.name, params=model.params, released=released,
                    active_params=model.active_params or model.params,
                )  # fmt: skip
    return tuple(sorted(newest.values(), key=lambda entry: (entry.params, entry.id)))


def recent(model: Model) -> bool:
    """Whether it is of the years before the newest language model of the catalog that people still choose from."""
    return model.released is not None and month(model.released) >= _recent_since()


@lru_cache(maxsize=1)
def _recent_since() -> float:
    newest = max(month(one.released) for one in models().values() if one.kind == "llm" and one.released)
    return newest - RECENT_YEARS * 12


def known_first(sized: Sequence[Sized], places: Sequence[int], bandwidth: float | None, bits: float) -> list[int]:
    """A few of `places`, those of well-known makers before others, the latest year first, then the larger.

    With a `bandwidth`: those that write fluently (bandwidth · 0.7 / bytes of the active weights) before others.
    """

    def rank(place: int) -> tuple[bool, bool, int, int]:
        one = sized[place]
        known = one.id.partition("/")[0] in WELL_KNOWN and not _SPECIAL.search(one.name)
        slow = bandwidth is not None and READS * bandwidth / (one.active_params * bits / 8) < FLUENT_TOKENS_PER_S
        return slow, not known, -int(one.released[:4]), -place

    return sorted(sorted(places, key=rank)[:EXAMPLES], reverse=True)


def general(model: Model) -> bool:
    """Whether it is a language model of a well-known maker for no narrow use."""
    known = model.kind in {"llm", "vlm"} and model.id.partition("/")[0] in WELL_KNOWN
    return known and not _SPECIAL.search(model.name) and not _NARROW.search(model.name)


@lru_cache(maxsize=1)
def everyday_series() -> tuple[tuple[Model, ...], ...]:
    """The recent general models of the best known makers: series by series, the newest first, the largest first.

    Models that take pictures besides belong to them: most makers publish their general models so by now.
    """
    found = [one for one in models().values() if one.released and general(one)]
    newest = max(month(one.released or "") for one in found)
    series: dict[tuple[str, str], list[Model]] = {}
    for one in found:
        if newest - month(one.released or "") <= EVERYDAY_YEARS * 12:
            series.setdefault((one.id.partition("/")[0], one.family or one.name), []).append(one)
    for members in series.values():
        members.sort(key=lambda one: (-one.params, one.id))
    return tuple(
        tuple(members)
        for _, members in sorted(
            series.items(), key=lambda item: (-max(month(one.released or "") for one in item[1]), item[0])
        )
    )


def everyday(holds: Callable[[Model], bool], bandwidth: float, bits: float) -> list[Model]:
    """Of each series the largest model held and written fluently, unless a newer one of its maker replaces it.

    `bandwidth` in bytes/s, 0 where it is not known; `bits` for each weight. Newest series first.
    """
    chosen: dict[str, list[Model]] = {}
    for members in everyday_series():
        fluent = (one for one in members if not bandwidth or _rate(one, bandwidth, bits) >= FLUENT_TOKENS_PER_S)
        best = next((one for one in fluent if holds(one)), None)
        newer = chosen.setdefault(members[0].id.partition("/")[0], [])
        if best is not None and all(one.params < REPLACES * best.params for one in newer):
            newer.append(best)
    found = [one for newer in chosen.values() for one in sorted(newer, key=lambda one: -one.params)[:PER_MAKER]]
    most = max((one.params for one in found), default=0)
    found = [one for one in found if one.params * SMALL > most]
    order = {one.id: place for place, members in enumerate(everyday_series()) for one in members}
    return sorted(found, key=lambda one: order[one.id])[:EVERYDAY]


def _rate(model: Model, bandwidth: float, bits: float) -> float:
    """Tokens a second by the memory's bandwidth alone."""
    return READS * bandwidth / ((model.active_params or model.params) * bits / 8)


def month(released: str) -> int:
    """Months since year 0; a date without a month counts as its January."""
    year, _, rest = released.partition("-")
    return int(year) * 12 + int(rest[:2] or 1)

"""The models that stand for what cards hold: recent ones by size, and which of them are named."""

import re
from collections.abc import Sequence
from functools import lru_cache

from kb.base import Frozen
from kb.catalog import models

EXAMPLES = 3
_SPECIAL = re.compile(r"guard|shield|txgemma|medgemma|math|prover|reward|safeguard|translate|ocr", re.I)
"""Models for one narrow use, which nobody means by "which models"."""
FLUENT_TOKENS_PER_S = 10
"""Output that a reader does not wait for."""
READS = 0.7
"""Share of a memory's bandwidth that writing answers reaches."""
WELL_KNOWN = {"Qwen", "meta-llama", "mistralai", "deepseek-ai", "google", "openai", "microsoft", "zai-org"}
"""Makers whose models most people mean; named as examples before others of like size."""
RECENT = "2024"
"""Models released since then are what people fine-tune and serve; older ones are not proposed."""


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
        if model.kind == "llm" and released >= RECENT:
            held = newest.get(model.params)
            if held is None or released > held.released:
                newest[model.params] = Sized(
                    id=model.id, name=model.name, params=model.params, released=released,
                    active_params=model.active_params or model.params,
                )  # fmt: skip
    return tuple(sorted(newest.values(), key=lambda entry: (entry.params, entry.id)))


def known_first(sized: Sequence[Sized], places: Sequence[int], bandwidth: float | None, bits: float) -> list[int]:
    """A few of `places`, those of well-known makers before others, larger models first.

    With a `bandwidth`: those that write fluently before others (bandwidth · 0.7 / bytes of the active weights), the
    latest year first.
    """

    def rank(place: int) -> tuple[bool, bool, int, int]:
        one = sized[place]
        known = one.id.partition("/")[0] in WELL_KNOWN and not _SPECIAL.search(one.name)
        if bandwidth is None:
            return False, not known, 0, -place
        slow = READS * bandwidth / (one.active_params * bits / 8) < FLUENT_TOKENS_PER_S
        return slow, not known, -int(one.released[:4]), -place

    return sorted(sorted(places, key=rank)[:EXAMPLES], reverse=True)

"""What weight and cache formats cost in quality, and how that is weighed against speed."""

import math
from functools import lru_cache

from kb.base import Frozen
from kb.catalog import FACTS, load_yaml
from kb.records.source import Source

SIZE = 8e9
"""Parameters of the model that losses are told for."""


class Losses(Frozen):
    """Format → rise of perplexity over 16 bits, in per cent."""

    source: str
    losses: dict[str, float]


class Weights(Frozen):
    """The same of GGUF types, and of formats that lose nothing."""

    source: str
    bits_16: dict[str, float]
    gguf: dict[str, float]


class Exchange(Frozen):
    """How loss of quality and speed are weighed where nobody says what counts."""

    source: str
    doubling_percent: float
    """Loss that a doubling of the speed is worth, up to the pace people wait for."""
    beyond_percent: float
    """The same beyond that pace."""
    pace_tokens_per_s: float
    """That pace: answers come faster than they are read."""
    served_tokens_per_s: float
    """Pace that each of many users accepts: above reading, which is 5."""
    least_tokens_per_s: float
    """Pace below which nobody waits for answers, however good they are."""
    tight_percent: float
    """Loss that is taken rather than a memory estimate that only just fits."""
    size_power: float
    """Larger models lose less: losses are multiplied by (8 billion / parameters) to this power."""
    like_percent: float
    """Difference of loss up to which two ways count as alike."""
    faster_ratio: float
    """So many times faster, a way of like quality over more of the cards leads."""
    usable_percent: float
    """Most loss at which speed alone decides, where the fastest way is asked for."""


class Quality(Frozen):
    """Everything in `quality.yaml`."""

    weights: Weights
    served: Losses
    cache: Losses
    exchange: Exchange
    sources: dict[str, Source]

    def weights_percent(self, name: str, native: str, params: int) -> float:
        """Loss of weights in format `name` (canonical) of a model of `params` parameters published in `native`.

        What is published loses nothing against itself, nor does anything wider.
        """
        if name == native or (name == "gguf:MXFP4" and native == "mxfp4"):
            return 0.0
        known = self.weights.gguf if name.startswith("gguf:") else self.weights.bits_16 | self.served.losses
        return known[name.removeprefix("gguf:")] * math.pow(SIZE / params, self.exchange.size_power)

    def cache_percent(self, name: str) -> float:
        """Loss of a cache in that format."""
        return self.cache.losses[name]


@lru_cache(maxsize=1)
def quality() -> Quality:
    """The facts, loaded once."""
    rows = load_yaml(FACTS / "quality.yaml")
    rows["sources"] = {key: {"id": key, **row} for key, row in rows["sources"].items()}
    return Quality.model_validate(rows)

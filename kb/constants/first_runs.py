"""How a training runs as people first set it up: small padded batches, kernel by kernel, experts in a loop."""

import math
from functools import lru_cache

from kb.base import Frozen
from kb.catalog import FACTS, load_yaml
from kb.records.source import Source


class Measured(Frozen):
    """One number and what it was read from."""

    value: float
    sources: tuple[str, ...]


class Ends(Frozen):
    """Least and most, and what they were read from."""

    value: tuple[float, float]
    sources: tuple[str, ...]


class FirstRuns(Frozen):
    """Everything in `first_runs.yaml`."""

    micro_batch: int
    """Samples at once, at most."""
    tokens: int
    """Tokens that they have together at most, unless one sample has more."""
    length_spread: Measured
    """Standard deviation of the samples' lengths over their mean."""
    longest: dict[int, float]
    """Samples at once → expected excess of the longest over the mean, in standard deviations."""
    beside_ratio: Measured
    """Time that was measured over that of the batches alone, in the middle."""
    up_ratio: Measured
    """Upper end over value of the time."""
    up_ratio_recipe: Measured
    """The same where the program is named and brings a recipe that its makers keep up."""
    held_ratio: Measured
    """Memory that the allocator holds beside weights and states over what is needed, where samples differ in length."""
    expert_launches: Measured
    """Launches of one expert over those of a layer without experts."""
    reached: Ends
    """Share of the peak that the model's FLOPs were measured to reach in such runs."""
    sources: dict[str, Source]

    def padded(self, samples: int, most: float = math.inf) -> float:
        """Tokens of a batch that is padded to its longest sample, over those that its samples have.

        min(1 + spread · d(n), most)      d: expected largest of n draws from a normal distribution, in deviations;
        most: the longest that a sample may be over the mean, where samples are cut
        """
        known = max(one for one in self.longest if one <= max(samples, 1))
        return min(1 + self.length_spread.value * self.longest[known], max(most, 1.0))


@lru_cache(maxsize=1)
def first_runs() -> FirstRuns:
    """The facts, loaded once."""
    rows = load_yaml(FACTS / "first_runs.yaml")
    rows["sources"] = {key: {"id": key, **row} for key, row in rows["sources"].items()}
    return FirstRuns.model_validate(rows)

"""Which way leads: none that leaves a card idle, or weights with the host, where another of like quality is faster."""

from kb.constants.quality import quality
from tools.ways_to_run.space.load import Load
from tools.ways_to_run.weigh.worth import Weighed


def led(load: Load, ways: list[Weighed]) -> list[Weighed]:
    """The ways, best first, with the one that leads before them.

    Beyond the pace people wait for speed counts little against quality, so that a card would be left idle, or weights
    left to the host, for a loss that nobody notices. Who has the cards wants them used. An objective of one's own
    decides by itself.
    """
    if not ways or load.objective not in (None, "fastest"):
        return ways
    first = ways[0]
    while (better := next((one for one in ways if _leads(one, first)), None)) is not None:
        first = better  # each is faster than the one before: it ends
    return ways if first is ways[0] else [first, *(one for one in ways if one is not first)]


def _leads(one: Weighed, first: Weighed) -> bool:
    """Whether a way of like quality uses a card more and is much faster, or needs no host memory and is faster."""
    exchange = quality().exchange
    alike = one.rank[0] >= first.rank[0] and one.loss_percent <= first.loss_percent + exchange.like_percent
    if not alike or (one.candidate.held.surety == "tight" and first.candidate.held.surety == "yes"):
        return False
    busier = one.candidate.used > first.candidate.used and one.rate >= exchange.faster_ratio * first.rate
    freed = first.candidate.offloads and not one.candidate.offloads and one.rate > first.rate
    return busier or freed

"""Releases of an engine: what those of before did worse than today's."""

import math
from typing import NamedTuple

from kb.engine_generation import Generation
from kb.speed_constants import constants


class Era(NamedTuple):
    """What one release does worse than today's, as factors and seconds."""

    layer_ratio: float = 1.0
    cache_ratio: float = 1.0
    attention_ratio: float = 1.0
    expert_ratio: float = 1.0
    four_bit_ratio: float = 1.0
    serial_s: float = 0.0
    reduce_s: float = 0.0
    reads_for_every_head: bool = False


TODAY = Era()


def era_of(engine: str, built: str | None, released: str | None) -> Era:
    """The era of a build of month `built` (YYYY-MM); not stated, today's, or what is assumed for old models.

    A model can only run on builds as recent as itself, and most published figures of old ones come from builds of
    their time.
    """
    past = [made for made in constants().decode.generations if made.engine == engine]
    if not past:
        return TODAY
    if built is None and released is not None:
        built = next((made.assumed for made in past if made.assumed and released < made.before), None)
    if built is None:
        return TODAY
    return _together([made for made in past if built < made.before])


def _together(past: list[Generation]) -> Era:
    return Era(
        layer_ratio=math.prod(made.layer_ratio for made in past),
        cache_ratio=math.prod(made.cache_ratio for made in past),
        attention_ratio=math.prod(made.attention_ratio for made in past),
        expert_ratio=math.prod(made.expert_ratio for made in past),
        four_bit_ratio=math.prod(made.four_bit_ratio for made in past),
        serial_s=sum(made.serial_s for made in past),
        reduce_s=sum(made.reduce_s for made in past),
        reads_for_every_head=any(made.reads_for_every_head for made in past),
    )

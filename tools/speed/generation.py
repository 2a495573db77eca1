"""Releases of an engine: what those of before did worse than today's."""

import math

from kb.constants.engine_generation import Era, Generation
from kb.constants.speed_constants import constants

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
    """All of them at once: factors multiply, seconds add up."""

    def one(name: str) -> float | bool:
        values: list[float] = [getattr(made, name) for made in past]
        if name.endswith("_ratio"):
            return math.prod(values)
        return sum(values) if name.endswith("_s") else any(values)

    return Era.model_validate({name: one(name) for name in Era.model_fields})

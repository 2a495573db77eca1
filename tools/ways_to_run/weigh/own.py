"""A person's own figures, which beat the estimate."""

from collections.abc import Iterable

from tools.memory.formats import canonical
from tools.speed.interval import times
from tools.speed.result import Interval
from tools.ways_to_run.request import Measured
from tools.ways_to_run.space.formats import ALIKE
from tools.ways_to_run.space.load import Load
from tools.ways_to_run.weigh.worth import Weighed, weighed

MEASURED_RATIO = 1.05
"""A measured rate is told as certain to this factor: runs differ so much."""


def as_measured(load: Load, ways: Iterable[Weighed]) -> list[Weighed]:
    """Rates moved to what was measured.

    The best way that a figure may have been taken on is told as measured; every other way of its engine, with or
    without host memory as it, is moved by as much as the estimate was off there.
    """
    found = sorted(ways, key=lambda one: one.rank, reverse=True)
    for figure in load.work.measured:
        if figure.tokens_per_s is None or (figure.concurrent_sequences or load.sequences) != load.sequences:
            continue
        taken = next((one for one in found if one.speed is not None and _matches(figure, one)), None)
        if taken is None or taken.speed is None:
            continue
        ratio = figure.tokens_per_s / taken.rate
        found = [_moved(load, one, taken, ratio, figure) for one in found]
        found.sort(key=lambda one: one.rank, reverse=True)
    return found


def _matches(figure: Measured, one: Weighed) -> bool:
    form = canonical(figure.weight_format) if figure.weight_format else None
    same = form is None or one.candidate.form in ALIKE.get(form, (form,))
    return same and figure.engine in (None, one.candidate.engine)


def _moved(load: Load, one: Weighed, taken: Weighed, ratio: float, figure: Measured) -> Weighed:
    candidate, like = one.candidate, taken.candidate
    alike = candidate.engine == like.engine and candidate.offloads == like.offloads
    if one.speed is None or not alike:
        return one
    decode = times(one.speed.decode, ratio) if one.speed.decode else None
    speed = one.speed._replace(
        per_user=times(one.speed.per_user, ratio), total=times(one.speed.total, ratio), decode=decode
    )
    if one is taken:
        speed = speed._replace(per_user=_sure(speed.per_user), total=_sure(speed.total), label="own")
    return weighed(load, candidate, speed)


def _sure(of: Interval) -> Interval:
    return Interval(value=of.value, low=of.value / MEASURED_RATIO, high=of.value * MEASURED_RATIO)

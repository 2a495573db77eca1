"""The clock: the one place that reads which day it is."""

from datetime import UTC, date, datetime

from kb.settings import settings


def today() -> date:
    """The day in UTC by which ages are judged, or the one that `GPU_ADVISOR_TODAY` says it is."""
    return settings().today or _read().date()


def now() -> datetime:
    """The moment in UTC, on the day that `today` gives."""
    moment = _read()
    day = settings().today
    return moment if day is None else datetime.combine(day, moment.timetz())


def _read() -> datetime:
    return datetime.now(UTC)  # noqa: TID251

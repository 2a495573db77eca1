"""How a figure that was seen stands to what is expected."""

from pydantic import ValidationError

from kb.base import AdvisorError
from kb.observation import observation_facts
from tools.observation.estimates.expected import MORE_IS_WORSE, UNITS, Expected, expected
from tools.observation.request import ObservationRequest, Seen
from tools.observation.result import Figure, ObservedVerdict, Range
from tools.observation.setup import Setup

SLACK = 0.9
"""Share of an interval's end up to which a pace is not called off: machines of one kind differ by as much."""
PACES = (
    "tokens_per_s", "tokens_per_s_total", "prefill_tokens_per_s", "first_token_s", "step_s", "it_per_s", "item_s",
    "wall_s", "model_flops_utilisation", "realtime_factor",
)  # fmt: skip
BEYOND = 1.02
"""How far a figure may pass a physical limit by rounding."""


def seen_figures(seen: Seen) -> list[tuple[str, float]]:
    """The figures that were given, by name."""
    given = seen.model_dump(exclude_none=True)
    return [(name, float(value)) for name, value in given.items() if name in UNITS]


def judged(name: str, value: float, base: Expected, request: ObservationRequest, setup: Setup) -> Figure:
    """The figure with its interval and verdict."""
    range_, limit = base.ranges.get(name), base.limits.get(name)
    if name == "tokens_per_s" and setup.kind == "serving" and _of_all(value, base, request, setup):
        range_, limit = base.ranges["tokens_per_s_total"], base.limits.get("tokens_per_s_total")
    if range_ is None:
        range_, limit = _usual(name, setup)
    elif name in PACES:
        range_, limit = _of_formats(name, range_, limit, setup)
    person = getattr(request.expected_by_person, name)
    verdict = _verdict(value, range_, limit, name)
    worse = None if verdict in (None, "normal") else _worse(name, value, range_)
    return Figure(
        name=name, seen=value, unit=UNITS[name], expected=range_, verdict=verdict, worse=worse, limit=limit,
        ratio=None if range_ is None or not range_.value else value / range_.value, by_person=person,
    )  # fmt: skip


def _of_formats(name: str, of: Range, limit: float | None, setup: Setup) -> tuple[Range, float | None]:
    """The range, from the slowest to the fastest format where none was stated and several are as likely; the furthest
    limit of them."""
    for form in setup.also_likely:
        try:
            other = expected(setup.changed({"weight_format": form}))
        except (AdvisorError, ValidationError, ValueError):
            continue
        range_ = other.ranges.get(name)
        if range_ is not None:
            of = of.model_copy(update={"low": min(of.low, range_.low), "high": max(of.high, range_.high)})
        ends = [one for one in (limit, other.limits.get(name)) if one is not None]
        limit = (min if name in MORE_IS_WORSE else max)(ends, default=None)
    return of, limit


def _of_all(value: float, base: Expected, request: ObservationRequest, setup: Setup) -> bool:
    """Whether a rate is that of all requests, where it was not said: far above one request's, with several at once."""
    each, total = base.ranges.get("tokens_per_s"), base.ranges.get("tokens_per_s_total")
    many = (setup.request.concurrent_sequences or 1) > 1
    return many and each is not None and total is not None and value > 2 * each.high


def _verdict(value: float, of: Range | None, limit: float | None, name: str) -> ObservedVerdict | None:
    slack = SLACK if name in PACES else 1.0
    if of is not None and of.low * slack <= value <= of.high / slack:
        return "normal"
    lower_bound = name in ("step_s", "first_token_s", "item_s", "wall_s", "realtime_factor")
    if limit is not None and (value < limit / BEYOND if lower_bound else value > BEYOND * limit):
        return "impossible"
    if of is None:
        return None
    return "low" if value < of.low else "high"


def _worse(name: str, value: float, of: Range | None) -> bool | None:
    if of is None:
        return None
    return (value > of.high) is (name in MORE_IS_WORSE)


def _usual(name: str, setup: Setup) -> tuple[Range | None, float | None]:
    """Figures that no calculator gives, but that cards have usual ones of: temperature, power, utilisation."""
    facts = observation_facts().settings["usual"]
    if name == "power_w" and setup.card is not None and setup.card.tdp_w:
        most = min(setup.request.power_limit_w or setup.card.tdp_w, setup.card.tdp_w)
        share = facts["power_ratio"]["training" if setup.kind == "training" else "serving"]
        low, value, high = (most * one for one in share)
        return Range(low=low, value=value, high=high, unit="w"), 1.25 * setup.card.tdp_w
    row = facts.get(name)
    if row is None:
        return None, None
    if isinstance(row, dict):
        row = row["training" if setup.kind == "training" else "serving"]
    low, value, high = row
    return Range(low=low, value=value, high=high, unit=UNITS[name]), None

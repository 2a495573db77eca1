"""When the cards run out: the date, the plan, how far the forecast can be trusted."""

from assistant.compose import numbers
from assistant.compose.citations import joined
from assistant.compose.material import Material
from assistant.compose.section import Section
from assistant.compose.table import table
from kb.units import DAY_S
from tools.capacity_forecast.result import CapacityForecast, SeriesForecast

SERIES_MAX = 4
POINTS = 4
"""Times of the forecast that are shown where there is no plan."""


def forecast(material: Material) -> Section | None:
    """The forecast of what was pasted; None when nothing was."""
    found = next(material.results("forecast_capacity"), None)
    if found is None:
        return _refused(material)
    result = CapacityForecast.model_validate(found)
    section = Section("estimate", _headline(material, result))
    for one in result.series[:SERIES_MAX]:
        section.body += [_plan(material, one) or _points(material, one), _trust(material, one)]
    if result.capacity is None:
        section.questions.append(material.say("forecast.ask_capacity"))
    section.assumptions.append(material.say("forecast.assumed"))
    return section


def _refused(material: Material) -> Section | None:
    """What is wrong with the table, as the tool says it."""
    error = next((one for one in material.errors("forecast_capacity")), None)
    return Section("clarification", material.say("forecast.refused", reason=error["message"])) if error else None


def _headline(material: Material, result: CapacityForecast) -> str:
    say, one = material.say, result.series[0]
    marker = joined(
        [material.cites.cite("calculation", say("forecast.cite"), f"forecast_capacity · {one.column}", _quote(one))]
    )
    if one.exhaustion is None:
        growth = one.growth_per_30_days_ratio
        shown = "–" if growth is None else f"{growth * 100:+.0f}%"
        last = one.points[-1]
        return say("forecast.growth", column=one.column, growth=shown, date=last.time[:10], value=_figure(last.value),
                   low=_figure(last.low_80), high=_figure(last.high_80)) + marker  # fmt: skip
    capacity = numbers.figure(result.capacity or 0)
    if one.exhaustion.expected is None and one.exhaustion.earliest is None:
        return say("forecast.enough", capacity=capacity, days=f"{result.horizon_s / DAY_S:.0f}") + marker
    if one.exhaustion.expected is None:
        return say("forecast.perhaps", capacity=capacity, earliest=one.exhaustion.earliest,
                   order=one.exhaustion.order_by) + marker  # fmt: skip
    return say("forecast.runs_out", capacity=capacity, expected=one.exhaustion.expected,
               earliest=one.exhaustion.earliest, order=one.exhaustion.order_by) + marker  # fmt: skip


def _figure(value: float) -> str:
    return f"{value:.1f}" if value < 100 else f"{value:,.0f}"


def _quote(one: SeriesForecast) -> str:
    points = [one.points[round(at * (len(one.points) - 1) / POINTS)] for at in range(1, POINTS + 1)]
    said = "; ".join(
        f"{at.time[:10]}: {_figure(at.value)} ({_figure(at.low_80)} – {_figure(at.high_80)})" for at in points
    )
    growth = one.growth_per_30_days_ratio
    error, naive = one.model.holdout_error_ratio, one.model.naive_error_ratio
    more = "" if growth is None else f"; 30 d: {growth * 100:+.0f}%"
    more += "" if error is None or naive is None else f"; {error * 100:.1f}%, {naive * 100:.1f}%"
    return f"{one.model.name}: {said}{more}"


def _plan(material: Material, one: SeriesForecast) -> str:
    say = material.say
    rows = [[row.by, str(row.gpus), str(row.gpus_safe), f"+{row.add}" if row.add else "0"] for row in one.plan]
    head = [say(f"forecast.{key}") for key in ("by", "gpus", "safe", "add")]
    return table(head, rows) if rows else ""


def _points(material: Material, one: SeriesForecast) -> str:
    say = material.say
    points = [one.points[round(at * (len(one.points) - 1) / POINTS)] for at in range(1, POINTS + 1)]
    rows = [[at.time[:10], _figure(at.value), f"{_figure(at.low_80)} – {_figure(at.high_80)}"] for at in points]
    return table([say("forecast.by"), one.column, say("forecast.interval")], rows)


def _trust(material: Material, one: SeriesForecast) -> str:
    model = one.model
    if model.holdout_error_ratio is None or model.naive_error_ratio is None:
        return material.say("forecast.model", model=model.name)
    error, naive = (f"{one * 100:.1f}%" for one in (model.holdout_error_ratio, model.naive_error_ratio))
    key = "doubted" if model.holdout_error_ratio > model.naive_error_ratio else "trusted"
    return material.say(f"forecast.{key}", model=model.name, error=error, naive=naive)

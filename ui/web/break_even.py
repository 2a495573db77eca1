"""Owning against renting by the hours of use a month: two lines and where they cross."""

from typing import Any

from ui.web.plot import ABOVE, BELOW, HIGH, Axis, Point, Series, across, caption, data_table, legend, plot, upward
from ui.words.labels import label
from ui.words.quantities import money, plain

FEWEST = 2


def break_even(result: dict[str, Any]) -> str:
    """The chart of a cost estimate; nothing where there is nothing to compare."""
    found = result.get("break_even")
    if not found or len(found["curve"]) < FEWEST:
        return ""
    curve, currency = found["curve"], result["currency"]
    hours = [point["hours_per_month"] for point in curve]
    costs = [point[key] for point in curve for key in ("own_cost", "rent_cost")]
    x = Axis(across(hours), lambda value: f"{value:,.0f}", "hours of use a month", "每月使用小时数")
    y = Axis(upward(costs), lambda value: money(value, currency), "cost a month", "每月成本")
    series = [_series(name, key, curve, currency) for name, key in (("own", "own_cost"), ("rent_it", "rent_cost"))]
    rows = [
        [plain(round(one["hours_per_month"])), money(one["own_cost"], currency), money(one["rent_cost"], currency)]
        for one in curve
    ]
    title = ("Cost a month of owning and of renting, by hours of use", "自购与租用的每月成本随使用时长的变化")
    crossing = found["hours_per_month"]["value"]
    note = None
    if crossing is not None:
        note = (
            f"owning is cheaper from about {crossing:,.0f} h a month",
            f"每月用满约 {crossing:,.0f} 小时起，自购更省",
        )
    head = [label("hours_a_month"), label("own"), label("rent_it")]
    return (
        f'<figure class="even">{caption("break_even", note)}{legend(["own", "rent_it"])}'
        f"{plot(title, series, x, y, _crossing(crossing, x))}{data_table(head, rows)}</figure>"
    )


def _series(name: str, key: str, curve: list[dict[str, float]], currency: str) -> Series:
    owning = name == "own"
    points = [
        Point(
            one["hours_per_month"], one[key],
            f"{one['hours_per_month']:,.0f} h a month, {'own' if owning else 'rent'}: {money(one[key], currency)}",
            f"每月 {one['hours_per_month']:,.0f} 小时，{'自购' if owning else '租用'}：{money(one[key], currency)}",
        )
        for one in curve
    ]  # fmt: skip
    return Series(name, points)


def _crossing(hours: float | None, x: Axis) -> str:
    """The line where both cost the same, when it lies on the chart."""
    if hours is None or not x.scale.low <= hours <= x.scale.high:
        return ""
    return f'<path class="mark" d="M{x.scale.place(hours)} {ABOVE}V{HIGH - BELOW}" aria-hidden="true"/>'

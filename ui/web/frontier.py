"""Price against speed: the configurations that none other beats on both, drawn and listed."""

import math
from collections.abc import Sequence
from html import escape
from typing import Any

from kb.units import TB
from ui.web.labels import label
from ui.web.quantities import money

WIDE, HIGH, LEFT, BELOW = 640, 260, 56, 34
FEWEST = 3
"""Points below which a chart says no more than the cards do."""


def frontier(result: dict[str, Any]) -> str:
    """One chart for what can be bought and one for what can be rented, behind a fold."""
    drawn = [
        _chart(acquisition, points)
        for acquisition in ("buy", "rent")
        if len(points := [one for one in result.get("frontier") or [] if _usable(one, acquisition)]) >= FEWEST
    ]
    if not drawn:
        return ""
    return f'<details class="fold frontier"><summary>{label("frontier")}</summary>{"".join(drawn)}</details>'


def _usable(point: dict[str, Any], acquisition: str) -> bool:
    return bool(point["acquisition"] == acquisition and point["price"] > 0 and point["bandwidth_bytes_per_s"] > 0)


def _chart(acquisition: str, points: Sequence[dict[str, Any]]) -> str:
    prices = [math.log10(point["price"]) for point in points]
    speeds = [math.log10(point["bandwidth_bytes_per_s"] / TB) for point in points]
    across = [_place(price, prices, LEFT, WIDE - 16) for price in prices]
    up = [_place(speed, speeds, HIGH - BELOW, 16) for speed in speeds]
    places = list(zip(across, up, strict=True))
    line = " ".join(f"{x:.0f},{y:.0f}" for x, y in places)
    dots = "".join(
        f'<circle cx="{x:.0f}" cy="{y:.0f}" r="6"><title>{_told(point)}</title></circle>'
        for (x, y), point in zip(places, points, strict=True)
    )
    axes = (
        f'<path d="M{LEFT} 8V{HIGH - BELOW}H{WIDE - 8}" class="axis"/>'
        f'<text x="{LEFT}" y="{HIGH - 12}">{_price(points[0])}</text>'
        f'<text x="{WIDE - 8}" y="{HIGH - 12}" text-anchor="end">{_price(points[-1])}</text>'
        f'<text x="{LEFT - 8}" y="{HIGH - BELOW}" text-anchor="end">{_speed(min(points, key=_bandwidth))}</text>'
        f'<text x="{LEFT - 8}" y="22" text-anchor="end">{_speed(max(points, key=_bandwidth))}</text>'
    )
    listed = "".join(f"<li>{_told(point)}</li>" for point in points)
    return (
        f'<figure><figcaption>{label(acquisition)} · <span class="quiet">{label("frontier_axes")}</span></figcaption>'
        f'<svg viewBox="0 0 {WIDE} {HIGH}" aria-hidden="true">{axes}<polyline points="{line}"/>{dots}</svg>'
        f'<ol class="points">{listed}</ol></figure>'
    )


def _place(value: float, values: Sequence[float], start: float, end: float) -> float:
    """Where a value stands between the ends of its axis, with a little air on both sides."""
    low, high = min(values), max(values)
    share = 0.5 if high == low else (value - low) / (high - low)
    return start + (0.04 + 0.92 * share) * (end - start)


def _bandwidth(point: dict[str, Any]) -> int:
    return int(point["bandwidth_bytes_per_s"])


def _price(point: dict[str, Any]) -> str:
    return money(point["price"], "USD") + ("/h" if point["period"] == "hour" else "")


def _speed(point: dict[str, Any]) -> str:
    return f"{_bandwidth(point) / TB:.3g}"


def _told(point: dict[str, Any]) -> str:
    return f"{escape(point['title'])}: {_price(point)}, {_speed(point)} TB/s"

"""Price against speed: the configurations that none other beats on both, drawn and listed."""

from collections.abc import Sequence
from html import escape
from typing import Any

from kb.units import TB
from ui.web.plot import Axis, Point, Series, across, caption, data_table, plot, upward
from ui.words.labels import both, label
from ui.words.quantities import money

FEWEST = 3
"""Points below which a chart says no more than the cards do."""
WIDE_RANGE = 8
"""Ratio of the ends of an axis from which it is logarithmic."""
MEASURES = {
    "tokens_per_s_total": ("tokens/s, all requests together", "所有请求合计 tokens/s"),
    "tokens_per_s_per_user": ("tokens/s for each user", "单路 tokens/s"),
    "images_per_s": ("images/s", "张/秒"),
    "clips_per_s": ("clips/s", "段/秒"),
    "audio_s_per_s": ("seconds of audio a second", "每秒处理的音频秒数"),
    "documents_per_s": ("documents/s", "篇/秒"),
    "samples_per_s_total": ("samples/s", "样本/秒"),
    "peak_flops": ("peak TFLOP/s", "峰值 TFLOP/s"),
}


def frontier(result: dict[str, Any]) -> str:
    """One chart for what can be bought and one for what can be rented, behind a fold; a switch shows either."""
    drawn = {
        acquisition: _chart(acquisition, points)
        for acquisition in ("buy", "rent")
        if len(points := [one for one in result.get("frontier") or [] if _usable(one, acquisition)]) >= FEWEST
    }
    if not drawn:
        return ""
    switch = ""
    if len(drawn) > 1:
        buttons = "".join(
            f'<button type="button" class="chip" data-show="{key}" aria-pressed="{str(index == 0).lower()}">'
            f"{label(key)}</button>"
            for index, key in enumerate(drawn)
        )
        switch = f'<p class="chips switch">{buttons}</p>'
    figures = "".join(
        f'<figure data-shown="{key}"{" hidden" if index else ""}>{chart}</figure>'
        for index, (key, chart) in enumerate(drawn.items())
    )
    return f'<details class="fold frontier"><summary>{label("frontier")}</summary>{switch}{figures}</details>'


def _usable(point: dict[str, Any], acquisition: str) -> bool:
    return bool(point["acquisition"] == acquisition and point["price"] > 0 and point["speed"] > 0)


def _chart(acquisition: str, points: Sequence[dict[str, Any]]) -> str:
    ordered = sorted(points, key=lambda point: (point["price"], _speed(point)))
    english, chinese = MEASURES.get(ordered[0]["measure"], (ordered[0]["measure"], ordered[0]["measure"]))
    prices, speeds = [point["price"] for point in ordered], [_speed(point) for point in ordered]
    hourly = ordered[0]["period"] == "hour"
    x = Axis(
        across(prices, logarithmic=_wide(prices)), lambda value: _price(value, hourly=hourly),
        "price an hour, USD" if hourly else "price, USD", "每小时价格，美元" if hourly else "价格，美元",
    )  # fmt: skip
    y = Axis(upward(speeds, logarithmic=_wide(speeds)), _figure, english, chinese)
    told = [
        Point(
            point["price"], _speed(point),
            f"{point['title']}: {_price(point['price'], hourly=hourly)}, {_figure(_speed(point))} {english}",
            f"{point['title']}：{_price(point['price'], hourly=hourly)}，{_figure(_speed(point))} {chinese}",
        )
        for point in ordered
    ]  # fmt: skip
    rows = [
        [escape(point["title"]), _price(point["price"], hourly=hourly), _figure(_speed(point))] for point in ordered
    ]
    note = ("none of these is beaten on both", "其中没有一个在价格和速度上都被超过")
    title = (f"Price against {english}, {len(told)} configurations", f"价格与{chinese}，{len(told)} 个配置")
    head = [label("configuration"), label("price_column"), both(english, chinese)]
    return (
        f"{caption(acquisition, note)}{plot(title, [Series('frontier', told)], x, y)}{data_table(head, rows)}"
    )  # fmt: skip


def _wide(values: Sequence[float]) -> bool:
    return max(values) / min(values) > WIDE_RANGE


def _speed(point: dict[str, Any]) -> float:
    return float(point["speed"]) / (TB if point["measure"] == "peak_flops" else 1)


def _price(value: float, *, hourly: bool) -> str:
    return money(value, "USD") + ("/h" if hourly else "")


def _figure(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"

"""Charts that can be read by eye, by keyboard and by ear: SVG whose points speak, with the same figures as a table."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

from ui.web.scale import Scale
from ui.words.labels import both, label

WIDE, HIGH = 680, 300
LEFT, RIGHT, ABOVE, BELOW = 62, 18, 14, 44


@dataclass(frozen=True, slots=True)
class Point:
    """A place on a chart and what it says of itself in both languages."""

    x: float
    y: float
    english: str
    chinese: str


@dataclass(frozen=True, slots=True)
class Series:
    """Points of one colour, joined by a line."""

    name: str
    """Key of its label; also its colour's class."""
    points: Sequence[Point]


@dataclass(frozen=True, slots=True)
class Axis:
    """A scale with how its values are written and what it counts, in both languages."""

    scale: Scale
    written: Callable[[float], str]
    english: str
    chinese: str


def across(values: Sequence[float], *, logarithmic: bool = False) -> Scale:
    """The horizontal scale that holds these values."""
    return Scale.over(values, LEFT, WIDE - RIGHT, logarithmic=logarithmic)


def upward(values: Sequence[float], *, logarithmic: bool = False) -> Scale:
    """The vertical scale that holds these values."""
    return Scale.over(values, HIGH - BELOW, ABOVE, logarithmic=logarithmic)


def plot(title: tuple[str, str], series: Sequence[Series], x: Axis, y: Axis, marks: str = "") -> str:
    """One chart; arrow keys walk its points, each of which has a tip."""
    drawn = "".join(_series(one, x.scale, y.scale, first=index == 0) for index, one in enumerate(series))
    return (
        f'<svg class="plot" viewBox="0 0 {WIDE} {HIGH}" role="group" {spoken(*title)}>{_grid(x, y)}{marks}{drawn}</svg>'
    )


def spoken(english: str, chinese: str) -> str:
    """Attributes by which an element says the same in either language; the page keeps `aria-label` in step."""
    return f'aria-label="{escape(english)}" data-say-en="{escape(english)}" data-say-zh="{escape(chinese)}"'


def data_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """The figures of a chart, behind a fold; cells are HTML."""
    top = "".join(f'<th scope="col">{cell}</th>' for cell in head)
    body = "".join(
        "<tr>" + f'<th scope="row">{row[0]}</th>' + "".join(f"<td>{cell}</td>" for cell in row[1:]) + "</tr>"
        for row in rows
    )
    return (
        f'<details class="data"><summary>{label("as_table")}</summary><div class="scroll" tabindex="0">'
        f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div></details>"
    )


def legend(names: Sequence[str]) -> str:
    """The names of the series beside their colours."""
    items = "".join(f'<li><i class="s-{escape(name)}"></i>{label(name)}</li>' for name in names)
    return f'<ul class="legend">{items}</ul>'


def _series(one: Series, x: Scale, y: Scale, *, first: bool) -> str:
    places = [(x.place(point.x), y.place(point.y)) for point in one.points]
    line = " ".join(f"{left},{top}" for left, top in places)
    dots = "".join(
        f'<circle cx="{left}" cy="{top}" r="6" role="img" tabindex="{0 if first and index == 0 else -1}" '
        f"{spoken(point.english, point.chinese)}/>"
        for index, ((left, top), point) in enumerate(zip(places, one.points, strict=True))
    )
    return f'<g class="s-{escape(one.name)}"><polyline points="{line}"/>{dots}</g>'


def _grid(x: Axis, y: Axis) -> str:
    bottom = HIGH - BELOW
    lines = "".join(
        f'<path class="grid" d="M{LEFT} {y.scale.place(value)}H{WIDE - RIGHT}"/>'
        f'<text x="{LEFT - 8}" y="{y.scale.place(value) + 4}" text-anchor="end">{escape(y.written(value))}</text>'
        for value in y.scale.ticks()
    )
    lines += "".join(
        f'<path class="grid" d="M{x.scale.place(value)} {bottom}v5"/>'
        f'<text x="{x.scale.place(value)}" y="{bottom + 19}" text-anchor="middle">{escape(x.written(value))}</text>'
        for value in x.scale.ticks()
    )
    names = (
        f'<text class="name" x="{WIDE - RIGHT}" y="{HIGH - 6}" text-anchor="end">'
        f"{tspans(x.english, x.chinese)} →</text>"
        f'<text class="name" x="{LEFT + 6}" y="{ABOVE + 2}">↑ {tspans(y.english, y.chinese)}</text>'
    )
    return f'<g aria-hidden="true"><path class="axis" d="M{LEFT} {ABOVE}V{bottom}H{WIDE - RIGHT}"/>{lines}{names}</g>'


def tspans(english: str, chinese: str) -> str:
    """Text in both languages within a drawing."""
    return f'<tspan lang="en">{escape(english)}</tspan><tspan lang="zh">{escape(chinese)}</tspan>'


def caption(key: str, note: tuple[str, str] | None = None) -> str:
    """A chart's name with a quiet remark."""
    remark = f' <span class="quiet">{both(*note)}</span>' if note else ""
    return f"<figcaption>{label(key)}{remark}</figcaption>"

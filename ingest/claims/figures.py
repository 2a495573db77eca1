"""Kinds of figures of cards: how each is written, where the catalog keeps it, and what a written figure covers."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from ingest.claims.facts import show_bytes, show_flops, show_rate
from ingest.claims.reading import Clause
from kb.records.gpu import Gpu
from kb.units import GB, GIB, TB

TOLERANCE = 0.03
ROUGH_TOLERANCE = 0.06
_ROUGH = re.compile(r"[~≈约大]\s*$|(?:about|around|roughly|approximately|nearly)\s*$", re.IGNORECASE)
LINK = re.compile(r"nvlink|nvswitch|互联|互连|interconnect", re.IGNORECASE)
_LAUNCH = re.compile(
    r"年\s*(?:发布|推出|上市|问世|发售)|(?:came out|introduced|debuted|unveiled|appeared) in", re.IGNORECASE
)
NUMBER = (
    r"(?<![A-Za-z\d.,])(?<![A-Za-z\d][\-–~])(?<!\d [\-–~])(?<!\d [\-–~] )(\d{1,3}(?:,\d{3})+|\d{1,6}(?:\.\d{1,4})?)"
)
"""A number that is neither the tail of another, of a name, nor the end of a range."""
_UP_TO = re.compile(
    r"\s*(?:-|–|—|~|to|至|到)\s*(\d{1,3}(?:,\d{3})+|\d{1,6}(?:\.\d{1,4})?)\s*([A-Za-z]{1,3}(?:/s)?|瓦)", re.IGNORECASE
)
"""What makes a number the beginning of a range."""


@dataclass(frozen=True)
class Attribute:
    """A kind of figure: how it is written, where the catalog keeps it, how it is shown."""

    name: str
    pattern: re.Pattern[str]
    """Group 1 is the number, group 2 the unit."""
    scale: dict[str, float]
    value: Callable[[Gpu], float | None]
    field: str
    show: Callable[[float | None], str]
    label: re.Pattern[str] | None = None
    """What must stand in the clause or its label; null = the unit says it all."""
    unless: re.Pattern[str] | None = None
    tolerance: float = TOLERANCE


@dataclass(frozen=True)
class Claimed:
    """A figure, or a range of figures, as a document states it."""

    text: str
    low: float
    high: float
    tolerance: float
    last_digit: float = 0.0
    """What one more in the last written digit would add, where the figure has decimals."""

    def covers(self, value: float) -> bool:
        """Whether a true value is what is meant, as far as the figure was written out."""
        slack = max(self.tolerance * value, self.last_digit / 2) + 1e-9
        return self.low - slack <= value <= self.high + slack


def claimed(clause: Clause, attribute: Attribute, match: re.Match[str], number: float) -> Claimed:
    """The figure with the slack its words give it: "about 300 W", "350 W to 700 W"."""
    rough = _ROUGH.search(clause.text[max(0, match.start() - 14) : match.start()])
    tolerance = max(attribute.tolerance, ROUGH_TOLERANCE if rough and attribute.tolerance > 0.001 else 0)
    end = _UP_TO.match(clause.text, match.end())
    if end is None or end[2].lower().split("/")[0] not in attribute.scale:
        decimals = len(match[1].partition(".")[2])
        last_digit = attribute.scale[(match[2] or "").lower()] / 10**decimals if decimals else 0.0
        return Claimed(match[0].strip(), number, number, tolerance, last_digit)
    high = float(end[1].replace(",", "")) * attribute.scale[end[2].lower().split("/")[0]]
    return Claimed(clause.text[match.start() : end.end()].strip(), number, max(number, high), tolerance)


def _watts(value: float | None) -> str:
    return "not stated" if value is None else f"{value:g} W"


def _plain(value: float | None) -> str:
    return "not stated" if value is None else f"{value:g}"


ATTRIBUTES = (
    Attribute(
        name="memory",
        pattern=re.compile(rf"{NUMBER}\s*(GB|GiB|G)(?![A-Za-z/])(?!\s*[/每]\s*s)", re.IGNORECASE),
        scale={"gb": GIB, "gib": GIB, "g": GIB},
        value=lambda card: card.memory_bytes,
        field="memory_bytes",
        show=show_bytes,
        unless=re.compile(r"内存[:：]|host memory|RAM[:：]|DDR[345]|磁盘|存储[:：]|硬盘|价格|batch", re.IGNORECASE),
        tolerance=0.02,
    ),
    Attribute(
        name="memory bandwidth",
        pattern=re.compile(rf"{NUMBER}\s*(?!(?-i:[GT]b))(TB|GB)\s*[/p]\s*s", re.IGNORECASE),
        scale={"tb": TB, "gb": GB},
        value=lambda card: card.bandwidth_bytes_per_s,
        field="bandwidth_bytes_per_s",
        show=show_rate,
        label=re.compile(r"带宽|bandwidth|\bBW\b|HBM|GDDR", re.IGNORECASE),
        unless=re.compile(r"nvlink|nvswitch|pcie|互联|互连|双向|网络|infiniband|interconnect", re.IGNORECASE),
    ),
    Attribute(
        name="NVLink bandwidth",
        pattern=re.compile(rf"{NUMBER}\s*(?!(?-i:[GT]b))(TB|GB)\s*[/p]\s*s", re.IGNORECASE),
        scale={"tb": TB, "gb": GB},
        value=lambda card: card.nvlink_bytes_per_s,
        field="nvlink_bytes_per_s",
        show=show_rate,
        label=LINK,
        unless=re.compile(r"pcie|infiniband", re.IGNORECASE),
    ),
    Attribute(
        name="TDP",
        pattern=re.compile(rf"{NUMBER}\s*(W|瓦)(?![A-Za-z])"),
        scale={"w": 1, "瓦": 1},
        value=lambda card: card.tdp_w,
        field="tdp_w",
        show=_watts,
        unless=re.compile(
            r"电源|PSU|整机|机柜|待机|idle|限制|限到|降到|压到|设为|功耗墙|limit(?:ed|ing)?\b|\bcap(?:ped)?\b"
            r"|建议|推荐|recommend|suggest|cooling",
            re.IGNORECASE,
        ),
    ),
    Attribute(
        name="CUDA cores",
        pattern=re.compile(rf"{NUMBER}\s*(个|)", re.IGNORECASE),
        scale={"个": 1, "": 1},
        value=lambda card: card.shader_cores,
        field="shader_cores",
        show=_plain,
        label=re.compile(r"CUDA\s*(?:核心|core)", re.IGNORECASE),
        tolerance=0.001,
    ),
    Attribute(
        name="memory bus",
        pattern=re.compile(rf"{NUMBER}[\s-]*(bits?|位)(?![A-Za-z])", re.IGNORECASE),
        scale={"bit": 1, "bits": 1, "位": 1},
        value=lambda card: card.memory_bus_bits,
        field="memory_bus_bits",
        show=lambda value: "not stated" if value is None else f"{value:g} bits",
        label=re.compile(
            r"位宽|memory bus|bus width|(?:bit|位)[- ]?(?:wide )?(?:显存|memory)? ?(?:bus|interface|总线)",
            re.IGNORECASE,
        ),
        tolerance=0.001,
    ),
    Attribute(
        name="release year",
        pattern=re.compile(r"(?<!\d)(20[0-3]\d)(年|)"),
        scale={"年": 1, "": 1},
        value=lambda card: card.year,
        field="year",
        show=_plain,
        label=re.compile(
            rf"发布年|发布时间|release year|released in|launched in|发布于|{_LAUNCH.pattern}", re.IGNORECASE
        ),
        tolerance=0.0001,
    ),
)


def rate_of(precision: str, *, sparse: bool) -> Attribute:
    field = "int8_ops" if precision == "int8" else f"{precision.removeprefix('nv')}_flops"
    return Attribute(
        name=f"{precision.upper()} rate" + (" with sparsity" if sparse else ""),
        pattern=re.compile(""),
        scale={"t": TB, "p": 1000 * TB},
        value=lambda card: (getattr(card, field, None) or 0.0) * (card.sparsity_ratio if sparse else 1) or None,
        field=field,
        show=show_flops,
    )

"""The memory breakdown as a picture: Slack shows no drawing of the page's kind, only images."""

import io
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from PIL import Image, ImageDraw, ImageFont

from assistant.answer import ToolCallRecord
from kb.units import format_bytes
from ui.slack.fitting import cut
from ui.slack.words import Words, words

WIDE, BAR, LINE, EDGE = 1200, 64, 44, 40
LONGEST_ALT = 1900
COLOURS = {
    "weights": "#0a6b50", "kv_cache": "#3b7dd8", "activations": "#e08b2d", "logits": "#c7ac2e", "gradients": "#b5476b",
    "optimizer": "#7a4fb5", "adapters": "#2aa198", "buffers": "#7f8c8d", "cuda_graphs": "#95a5a6",
    "fragmentation": "#bdc3c7", "framework": "#5d6d7e",
}  # fmt: skip
CHINESE_FONTS = (
    "NotoSansCJK-Regular.ttc", "NotoSansSC-Regular.otf", "NotoSansSC-Regular.ttf", "SourceHanSansSC-Regular.otf",
    "wqy-zenhei.ttc", "wqy-microhei.ttc", "PingFang.ttc", "STHeiti Light.ttc", "Hiragino Sans GB.ttc", "msyh.ttc",
    "simhei.ttf", "NotoSerifCJK-Regular.ttc", "NotoSerifCJK-Bold.ttc",
)  # fmt: skip
"""Where one of them is installed, Chinese is drawn; else the picture speaks English, whose font comes with Pillow."""
Font = ImageFont.FreeTypeFont | ImageFont.ImageFont


@dataclass(frozen=True, slots=True)
class Chart:
    """A picture and all of it in words."""

    png: bytes
    alt: str


def memory_chart(result: dict[str, Any], wording: Words) -> Chart | None:
    """The parts of a memory estimate as one bar with a legend that carries the figures; null without parts."""
    per_gpu = result.get("per_gpu") or {}
    held = (part for part in per_gpu.get("parts") or [] if part["bytes"] > 0)
    parts = sorted(held, key=lambda part: -part["bytes"])
    if not parts:
        return None
    usable = int((result.get("fit") or {}).get("usable_bytes") or 0)
    drawn = wording if wording.language == "en" or _chinese_font(20) else words("en")
    png = _draw(parts, per_gpu, usable, drawn)
    said = wording("list_comma").join(
        f"{wording('part_' + part['name'])} {format_bytes(part['bytes'])}" for part in parts
    )
    shown = [_headline(per_gpu, wording), said, *([_usable(usable, wording)] if usable else [])]
    alt = wording("list_semicolon").join(shown)
    return Chart(png, cut(alt, LONGEST_ALT))


def shown_estimate(calls: Sequence[ToolCallRecord]) -> dict[str, Any]:
    """The estimate the answer speaks of: the last one made for a card, else the last."""
    results = [call.result for call in calls if call.tool == "estimate_memory" and "per_gpu" in call.result]
    for_a_card = [result for result in results if result.get("fit")]
    return next(iter([*for_a_card[-1:], *results[-1:]]), {})


def _headline(per_gpu: dict[str, Any], wording: Words) -> str:
    figures = {end: format_bytes(per_gpu[f"{end}_bytes"]) for end in ("total", "low", "high")}
    return wording("chart_headline", **figures)


def _usable(usable: int, wording: Words) -> str:
    return wording("chart_usable", usable=format_bytes(usable))


def _draw(parts: list[dict[str, Any]], per_gpu: dict[str, Any], usable: int, wording: Words) -> bytes:
    rows = (len(parts) + 2) // 3
    high = EDGE + 50 + BAR + 46 + rows * LINE + EDGE // 2
    image = Image.new("RGB", (WIDE, high), "white")
    pen = ImageDraw.Draw(image)
    pen.text((EDGE, EDGE - 12), _headline(per_gpu, wording), fill="#14211d", font=_font(wording, 27))
    full, top, left = max(per_gpu["total_bytes"], usable), EDGE + 46, float(EDGE)
    for part in parts:
        right = left + (WIDE - 2 * EDGE) * part["bytes"] / full
        pen.rectangle((left, top, max(right, left + 1), top + BAR), fill=COLOURS.get(part["name"], "#34495e"))
        left = right
    if usable:
        place = EDGE + (WIDE - 2 * EDGE) * usable / full
        pen.line((place, top - 8, place, top + BAR + 8), fill="#c0392b", width=4)
        small = _font(wording, 22)
        label = _usable(usable, wording)
        pen.text((min(place, WIDE - EDGE) - pen.textlength(label, small), top + BAR + 8), label, "#c0392b", small)
    for number, part in enumerate(parts):
        x, y = EDGE + number % 3 * ((WIDE - 2 * EDGE) // 3), top + BAR + 46 + number // 3 * LINE
        pen.rectangle((x, y + 4, x + 22, y + 26), fill=COLOURS.get(part["name"], "#34495e"))
        words_ = f"{wording('part_' + part['name'])}  {format_bytes(part['bytes'])}"
        pen.text((x + 32, y), words_, fill="#14211d", font=_font(wording, 23))
    out = io.BytesIO()
    image.save(out, "PNG", optimize=True)
    return out.getvalue()


def _font(wording: Words, size: int) -> Font:
    chinese = _chinese_font(size) if wording.language == "zh" else None
    return chinese or ImageFont.load_default(size)


@lru_cache(maxsize=8)
def _chinese_font(size: int) -> ImageFont.FreeTypeFont | None:
    for name in CHINESE_FONTS:
        try:
            return ImageFont.truetype(name, size)
        except OSError:
            continue
    return None

"""Memory as bars: how full a GPU gets, and with what."""

from html import escape
from typing import Any

from assistant.compose.names import cards, format_name
from kb.units import format_bytes
from tools.configuration import MemoryFit
from ui.web.plot import data_table, spoken
from ui.words.labels import label, labels

WIDE, HIGH = 1000, 44


def fit_bar(fit: MemoryFit) -> str:
    """Needed against usable; the bar is full at what is usable."""
    share = 100 * fit.needed_bytes_per_gpu / max(fit.usable_bytes_per_gpu, 1)
    words = f"{format_bytes(fit.needed_bytes_per_gpu)} {label('of_usable')} {format_bytes(fit.usable_bytes_per_gpu)}"
    return (
        f'<div class="fit {fit.verdict}"><p><span class="quiet">{label("memory_fit")}</span> '
        f"<b>{label(f'fit_{fit.verdict}')}</b></p>"
        f'<div class="bar" aria-hidden="true"><i style="width:{min(share, 100):.1f}%"></i></div>'
        f'<p class="quiet">{words} · {share:.0f}%</p></div>'
    )


def breakdown(result: dict[str, Any]) -> str:
    """The parts of a memory estimate as one stacked bar: each part has a tip, and all stand in a table."""
    per_gpu = result.get("per_gpu")
    if not isinstance(per_gpu, dict) or not per_gpu.get("parts"):
        return ""
    fit = result.get("fit") or {}
    usable = int(fit.get("usable_bytes") or 0)
    full = max(per_gpu["total_bytes"], per_gpu["high_bytes"], usable)
    parts = sorted((part for part in per_gpu["parts"] if part["bytes"] > 0), key=lambda part: -part["bytes"])
    interval = f"{format_bytes(per_gpu['low_bytes'])} – {format_bytes(per_gpu['high_bytes'])}"
    limit = f" · {label('usable')} {format_bytes(usable)}" if usable else ""
    return (
        f'<figure class="breakdown"><figcaption>{label("breakdown")} {_of_what(result)}: '
        f"<b>{format_bytes(per_gpu['total_bytes'])}</b> "
        f'<span class="quiet">{label("likely")} {interval}{limit}</span></figcaption>'
        f"{_bar(parts, per_gpu, usable, full)}{_legend(parts)}{_table(parts, per_gpu['total_bytes'])}</figure>"
    )


def _bar(parts: list[dict[str, Any]], per_gpu: dict[str, Any], usable: int, full: int) -> str:
    drawn, left = "", 0.0
    for index, part in enumerate(parts):
        width = WIDE * part["bytes"] / full
        english, chinese = (_told(part, per_gpu["total_bytes"], place) for place in (0, 1))
        drawn += (
            f'<rect class="p-{escape(part["name"])}" x="{left:.1f}" y="8" width="{max(width - 1, 1):.1f}" height="28" '
            f'role="img" tabindex="{-1 if index else 0}" {spoken(english, chinese)}/>'
        )
        left += width
    low, high = (WIDE * per_gpu[end] / full for end in ("low_bytes", "high_bytes"))
    drawn += f'<path class="range" d="M{low:.1f} 41H{high:.1f}M{low:.1f} 38v6M{high:.1f} 38v6" aria-hidden="true"/>'
    if usable:
        place = min(WIDE * usable / full, WIDE - 1.5)
        drawn += f'<path class="limit" d="M{place:.1f} 0V{HIGH}" aria-hidden="true"/>'
    title = ("Parts of the memory of one GPU", "单卡显存的组成")
    return (
        f'<svg class="plot stack" viewBox="0 0 {WIDE} {HIGH}" preserveAspectRatio="none" role="group" '
        f"{spoken(*title)}>{drawn}</svg>"
    )


def _told(part: dict[str, Any], total: int, language: int) -> str:
    """What a part says of itself: name, size, share and formula."""
    key = f"part_{part['name']}"
    name = labels()[key][language] if key in labels() else part["name"]
    return f"{name}: {format_bytes(part['bytes'])}, {100 * part['bytes'] / total:.0f}% · {part['formula'][:220]}"


def _legend(parts: list[dict[str, Any]]) -> str:
    items = "".join(
        f'<li><i class="p-{escape(part["name"])}"></i>{label("part_" + part["name"])} '
        f"<b>{format_bytes(part['bytes'])}</b></li>"
        for part in parts
    )
    return f'<ul class="legend">{items}</ul>'


def _table(parts: list[dict[str, Any]], total: int) -> str:
    rows = [
        [
            label("part_" + part["name"]),
            format_bytes(part["bytes"], 2),
            f"{100 * part['bytes'] / total:.1f}%",
            f"<code>{escape(part['formula'])}</code>",
        ]
        for part in parts
    ]
    return data_table([label("part"), label("size"), label("share_of_total"), label("formula")], rows)


def _of_what(result: dict[str, Any]) -> str:
    """Which of several calculations this is: format, and card when one was asked about."""
    fit = result.get("fit") or {}
    words = [format_name(str(result.get("weight_format") or ""))]
    if fit.get("gpu"):
        words.append(cards(fit["gpu"], result.get("gpus") or 1))
    return f'<span class="quiet">({escape(", ".join(word for word in words if word))})</span>'

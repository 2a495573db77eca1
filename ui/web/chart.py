"""Memory as bars: how full a GPU gets, and with what."""

from html import escape
from typing import Any

from kb.units import format_bytes
from tools.configuration import MemoryFit
from ui.web.labels import label


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
    """The parts of a memory estimate as one stacked bar with a legend that carries the figures."""
    per_gpu = result.get("per_gpu")
    if not isinstance(per_gpu, dict) or not per_gpu.get("parts"):
        return ""
    fit = result.get("fit") or {}
    usable = int(fit.get("usable_bytes") or 0)
    full = max(per_gpu["total_bytes"], per_gpu["high_bytes"], usable)
    parts = sorted((part for part in per_gpu["parts"] if part["bytes"] > 0), key=lambda part: -part["bytes"])
    bars = "".join(
        f'<i class="p-{escape(part["name"])}" style="width:{100 * part["bytes"] / full:.2f}%"'
        f' title="{escape(part["formula"][:300])}"></i>'
        for part in parts
    )
    interval = f"{format_bytes(per_gpu['low_bytes'])} – {format_bytes(per_gpu['high_bytes'])}"
    limit = f" · {label('usable')} {format_bytes(usable)}" if usable else ""
    spread = f"{label('likely')} {interval}{limit}"
    mark = f'<b class="limit" style="left:{100 * usable / full:.2f}%"></b>' if usable else ""
    legend = "".join(
        f'<li><i class="p-{escape(part["name"])}"></i>{label("part_" + part["name"])} '
        f"<b>{format_bytes(part['bytes'])}</b></li>"
        for part in parts
    )
    return (
        f'<figure class="breakdown"><figcaption>{label("breakdown")} {_of_what(result)}: '
        f'<b>{format_bytes(per_gpu["total_bytes"])}</b> <span class="quiet">{spread}</span></figcaption>'
        f'<div class="stack" aria-hidden="true">{bars}{mark}</div><ul class="legend">{legend}</ul></figure>'
    )


def _of_what(result: dict[str, Any]) -> str:
    """Which of several calculations this is: format, and card when one was asked about."""
    fit = result.get("fit") or {}
    words = [result.get("weight_format"), f"{result.get('gpus') or 1} × {fit['gpu']}" if fit.get("gpu") else None]
    return f'<span class="quiet">({escape(", ".join(str(word) for word in words if word))})</span>'

"""What an answer rests on: its sources, and its arithmetic down to the last formula."""

from collections.abc import Sequence
from html import escape
from typing import Any

from assistant.answer import Citation, ToolCallRecord
from ui.web.labels import label
from ui.web.quantities import quantity, slot

LONGEST_QUOTE = 1200


def sources(citations: Sequence[Citation], turn: str) -> str:
    """The numbered sources, each with where it says so and its own words."""
    if not citations:
        return ""
    rows = "".join(_source(item, turn) for item in citations)
    return (
        f'<details class="fold sources"><summary>{label("sources")} '
        f'<span class="quiet">{len(citations)}</span></summary><ol>{rows}</ol></details>'
    )


def _source(item: Citation, turn: str) -> str:
    title = escape(item.title)
    if item.url and item.url.startswith(("https://", "http://")):
        title = f'<a href="{escape(item.url)}" target="_blank" rel="noopener noreferrer">{title}</a>'
    date = f" · <time>{escape(item.date)}</time>" if item.date else ""
    quote = f"<blockquote>{escape(item.quote[:LONGEST_QUOTE])}</blockquote>" if item.quote else ""
    return (
        f'<li id="s-{turn}-{item.marker}" value="{item.marker}" tabindex="-1"><p>{title} '
        f'<span class="badge plain">{label(f"source_{item.kind}")}</span></p>'
        f'<p class="quiet"><code>{escape(item.locator)}</code>{date}</p>{quote}</li>'
    )


def arithmetic(calls: Sequence[ToolCallRecord]) -> str:
    """Every step of every calculation, in order."""
    blocks = [block for call in calls if (block := _calculation(call))]
    if not blocks:
        return ""
    return f'<details class="fold arithmetic"><summary>{label("arithmetic")}</summary>{"".join(blocks)}</details>'


def _calculation(call: ToolCallRecord) -> str:
    steps = call.result.get("derivation") or []
    if not steps:
        return ""
    given = {name: value for name, value in call.request.items() if value not in (None, [], "", {})}
    asked = " · ".join(f"{escape(name)} = {escape(slot(name, value))}" for name, value in given.items())
    rows = "".join(_step(step) for step in steps)
    return f'<section><h3>{label(call.tool)}</h3><p class="quiet">{asked}</p><ol>{rows}</ol></section>'


def _step(step: dict[str, Any]) -> str:
    inputs = ", ".join(
        f"{escape(name)} = {escape(_value(value))}" for name, value in (step.get("inputs") or {}).items()
    )
    where = f'<p class="quiet">{inputs}</p>' if inputs else ""
    return (
        f"<li><p><b>{escape(step['label'])}</b> = {escape(quantity(step.get('value'), step.get('unit') or ''))}</p>"
        f"<p><code>{escape(step['formula'])}</code></p>{where}</li>"
    )


def _value(value: Any) -> str:
    return quantity(value) if isinstance(value, int | float) and not isinstance(value, bool) else _short(value)


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 120 else f"{text[:117]}…"

"""What an answer rests on: its sources, and its arithmetic down to the last formula."""

import re
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from assistant.answer import Citation, ToolCallRecord
from assistant.compose.step_labels import step_formula, step_label, step_unit
from ui.words.labels import both, label
from ui.words.quantities import quantity
from ui.words.slots import slot_html, slot_name, with_names

LONGEST_QUOTE = 1200
PLACE = re.compile(r"^(?P<document>.+?):(?P<first>\d+)(?:-(?P<last>\d+))?(?: › .*)?$")
NAMED_UNITS = frozenset({"bytes", "bytes_per_s", "flops", "s", "usd", "cny", "eur"})
"""Units that `quantity` writes itself."""


def sources(citations: Sequence[Citation], turn: str, calls: Sequence[ToolCallRecord] = ()) -> str:
    """The numbered sources, each with where it says so and its own words, and a mark where it is contradicted."""
    if not citations:
        return ""
    disputes = disputed(calls)
    rows = "".join(_source(item, turn, disputes.get(item.locator.split(" › ")[0], ())) for item in citations)
    return (
        f'<details class="fold sources"><summary>{label("sources")} '
        f'<span class="quiet">{len(citations)}</span></summary><ol>{rows}</ol></details>'
    )


def disputed(calls: Iterable[ToolCallRecord]) -> dict[str, tuple[str, ...]]:
    """Document and lines → what the facts say against them."""
    found: dict[str, tuple[str, ...]] = {}
    for call in calls:
        for one in call.result.get("passages") or []:
            if one.get("disputes"):
                found[f"{one['document']}:{one['line_start']}-{one['line_end']}"] = tuple(one["disputes"])
    return found


def _source(item: Citation, turn: str, disputes: Sequence[str]) -> str:
    title = escape(item.title)
    if item.url and item.url.startswith(("https://", "http://")):
        title = f'<a href="{escape(item.url)}" target="_blank" rel="noopener noreferrer">{title}</a>'
    date = f" · <time>{escape(item.date)}</time>" if item.date else ""
    quote = f'<blockquote tabindex="0">{escape(item.quote[:LONGEST_QUOTE])}</blockquote>' if item.quote else ""
    against = ""
    if disputes:
        lines = "".join(f"<li>{escape(one)}</li>" for one in disputes)
        against = f'<div class="against"><b>{label("contradicted")}</b><ul>{lines}</ul></div>'
    return (
        f'<li id="s-{turn}-{item.marker}" value="{item.marker}" tabindex="-1"><p>{title} '
        f'<span class="badge plain">{label(f"source_{item.kind}")}</span></p>'
        f'<p class="quiet"><code>{escape(item.locator)}</code>{date}</p>{quote}{against}{_opener(item)}</li>'
    )


def _opener(item: Citation) -> str:
    """A button that opens the document at the cited lines."""
    place = PLACE.match(item.locator) if item.kind == "document" else None
    if place is None:
        return ""
    first, last = place["first"], place["last"] or place["first"]
    return (
        f'<button type="button" class="chip" data-open="{escape(place["document"])}" data-first="{first}" '
        f'data-last="{last}">{label("open_source")}</button>'
    )


def arithmetic(calls: Sequence[ToolCallRecord]) -> str:
    """Every step of every calculation, in order."""
    blocks = [block for call in calls if (block := calculation(call))]
    if not blocks:
        return ""
    return f'<details class="fold arithmetic"><summary>{label("arithmetic")}</summary>{"".join(blocks)}</details>'


def calculation(call: ToolCallRecord) -> str:
    """One calculation: what it was asked and its steps."""
    steps = call.result.get("derivation") or []
    if not steps:
        return ""
    given = {name: value for name, value in call.request.items() if value not in (None, [], "", {})}
    asked = " · ".join(_given(name, value) for name, value in given.items() if name != "model_text")
    rows = "".join(_step(step) for step in steps)
    return f'<section><h2>{label(call.tool)}</h2><p class="quiet">{asked}</p><ol>{rows}</ol></section>'


def _given(name: str, value: Any) -> str:
    words = slot_html("gpus_asked", [value]) if name == "gpu" else slot_html(name, value)
    return f"{both(slot_name(name, 'en'), slot_name(name, 'zh'))} = {words}"


def _step(step: dict[str, Any]) -> str:
    inputs = ", ".join(
        f"{escape(name)} = {escape(_value(value))}" for name, value in (step.get("inputs") or {}).items()
    )
    where = f'<p class="quiet">{inputs}</p>' if inputs else ""
    name, formula = step["label"], step["formula"]
    called = _either(*(with_names(step_label(name, language)) for language in ("en", "zh")))
    return (
        f"<li><p><b>{called}</b> = {_outcome(step)}</p>"
        f"<p><code>{_either(formula, step_formula(formula, 'zh'))}</code></p>{where}</li>"
    )


def _outcome(step: dict[str, Any]) -> str:
    unit = step.get("unit") or ""
    if unit in NAMED_UNITS or not unit:
        return escape(quantity(step.get("value"), unit))
    value = escape(quantity(step.get("value")))
    return f"{value} {_either(step_unit(unit, 'en'), step_unit(unit, 'zh'))}"


def _either(english: str, chinese: str) -> str:
    return escape(english) if english == chinese else both(english, chinese)


def _value(value: Any) -> str:
    return quantity(value) if isinstance(value, int | float) and not isinstance(value, bool) else _short(value)


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 120 else f"{text[:117]}…"

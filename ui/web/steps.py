"""The steps on the way to an answer, shown as they happen and folded away when it is there."""

from collections.abc import Sequence
from html import escape
from typing import Any

from assistant.agent import Step
from assistant.answer import Answer
from assistant.compose.step_labels import step_label
from ui.words.labels import both, label
from ui.words.quantities import quantity
from ui.words.slots import CARDS, slot, slot_html, slot_name, with_names

LONGEST_LINE = 110
MOST_ARGUMENTS = 7
UNTOLD = frozenset({"model_text", "intent"})
"""Fields of a request that repeat what others say."""


def running(steps: Sequence[Step]) -> str:
    """The steps so far; the last is still at work."""
    lines = _lines([(step.kind, step.name, step.data) for step in steps])
    return (
        f'<div class="steps live" role="status"><p class="spin">{label("working")}</p><ol>{"".join(lines)}</ol></div>'
    )


def finished(answer: Answer) -> str:
    """The same steps from a stored answer, behind a fold."""
    told: list[tuple[str, str, dict[str, Any] | None]] = [("understood", "", None)]
    for call in answer.tool_calls:
        told += [("tool", call.tool, call.request), ("result", call.tool, call.result)]
    lines = [*_lines(told), f'<li class="done">{label("step_composed")}</li>']
    count = f'<span class="quiet">{answer.elapsed_s:.2f} s · {escape(answer.engine)}</span>'
    done = "".join(lines)
    return f'<details class="fold steps"><summary>{label("done_steps")} {count}</summary><ol>{done}</ol></details>'


def _lines(told: Sequence[tuple[str, str, dict[str, Any] | None]]) -> list[str]:
    """One line a step; a result closes the first open line of its tool."""
    lines: list[str] = []
    waiting: list[tuple[str, int]] = []
    for kind, name, data in told:
        if kind == "understood":
            lines.append(f'<li class="done">{label("step_understood")}</li>')
        elif kind == "tool":
            waiting.append((name, len(lines)))
            lines.append(f'<li class="open">{label(name)} <span class="quiet">{_asked(data or {})}</span></li>')
        elif kind == "result":
            place = next((entry for entry in waiting if entry[0] == name), None)
            if place is not None:
                waiting.remove(place)
                outcome = f' <span class="outcome">{_outcome(data or {})}</span></li>'
                state = "failed" if "error" in (data or {}) else "done"
                lines[place[1]] = lines[place[1]].replace('<li class="open">', f'<li class="{state}">', 1)
                lines[place[1]] = lines[place[1]].removesuffix("</li>") + outcome
    return lines


def _asked(request: dict[str, Any]) -> str:
    """What a tool was asked, as HTML: a name or a text speaks for itself, a number needs its field."""
    told = [(name, value) for name, value in request.items() if value not in (None, [], {}, 1) and name not in UNTOLD]
    return " · ".join(_argument(name, value) for name, value in told[:MOST_ARGUMENTS])


def _argument(name: str, value: Any) -> str:
    if isinstance(value, str):
        return escape(_cut(value)) if name == "query" else slot_html(name, value) if name != "gpu" else _card(value)
    if isinstance(value, list | dict) and name not in {"budget", *CARDS}:
        return escape(_cut(with_names(", ".join(map(str, value)))))
    if isinstance(value, list | dict):
        return slot_html(name, value)
    return f"{both(slot_name(name, 'en'), slot_name(name, 'zh'))} {escape(slot(name, value))}"


def _card(gpu_id: str) -> str:
    return escape(slot("gpus_asked", [gpu_id]))


def _outcome(result: dict[str, Any]) -> str:
    """What came of it, as HTML: the last step, or why it failed."""
    if "error" in result:
        return escape(_cut(str(result["error"].get("message", ""))))
    steps = result.get("derivation") or []
    if not steps:
        return ""
    last = steps[-1]
    value = escape(quantity(last.get("value"), last.get("unit") or ""))
    english, chinese = (with_names(step_label(last["label"], language)) for language in ("en", "zh"))
    return f"{both(english, chinese)}: {value}"


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_LINE else f"{text[: LONGEST_LINE - 1]}…"

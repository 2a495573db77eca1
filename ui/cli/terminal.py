"""Answers and results for a person at a terminal: tables, small charts, links; pipes never come here."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.bar import Bar
from rich.console import Console, Group, RenderableType
from rich.markdown import Markdown
from rich.panel import Panel
from rich.style import Style
from rich.table import Table
from rich.text import Text

from assistant.answer import Answer
from kb.units import format_bytes, format_count
from ui.words.markdown import as_markdown

WIDEST_CELL = 48
MOST_ROWS = 20
BAR_WIDTH = 32
APART = frozenset({"derivation", "assumptions", "warnings", "sources"})
COLOURS = ("cyan", "green", "yellow", "magenta", "blue", "red", "bright_black")
TITLES = {
    "zh": {"memory": "每卡显存", "frontier": "价格与速度", "derivation": "计算过程", "assumptions": "假设",
           "warnings": "注意", "sources": "来源"},
    "en": {"memory": "Memory per GPU", "frontier": "Price and speed", "derivation": "Arithmetic",
           "assumptions": "Assumed", "warnings": "Mind", "sources": "Sources"},
}  # fmt: skip


def show_answer(answer: Answer, console: Console | None = None) -> None:
    """The answer as Markdown with its charts below it."""
    console = console or Console()
    words = TITLES["zh" if answer.language == "zh" else "en"]
    console.print(Markdown(safe(as_markdown(answer)), hyperlinks=True))
    for record in answer.tool_calls:
        if chart := next(iter(charts(record.result or {}, words)), None):
            console.print()
            console.print(chart)
            break


def show_result(name: str, result: Mapping[str, Any], console: Console | None = None) -> None:
    """A tool's result: plain values, tables, a chart where there is one, then how it was worked out."""
    console = console or Console()
    words = TITLES["en"]
    console.rule(f"[bold]{name}")
    console.print(values({key: value for key, value in result.items() if key not in APART}))
    for chart in charts(result, words):
        console.print(chart)
    if steps := result.get("derivation"):
        console.print(derivation(steps, words["derivation"]))
    for key in ("assumptions", "warnings"):
        for line in result.get(key) or ():
            console.print(Text(safe(f"{words[key]}: {line}"), style="yellow" if key == "warnings" else "dim"))
    for source in result.get("sources") or ():
        style = Style(dim=True, link=source.get("url"))
        console.print(Text(safe(f"{source['id']}: {source['title']}"), style=style))


def values(part: Mapping[str, Any]) -> RenderableType:
    """Single values as a list of two columns; lists of objects as tables of their own."""
    plain = Table(box=None, show_header=False, padding=(0, 2))
    plain.add_column(style="bold")
    plain.add_column(overflow="fold")
    tables: list[RenderableType] = []
    for name, value in part.items():
        if value is None or value in ([], {}):
            continue
        if isinstance(value, list) and isinstance(value[0], dict):
            tables.append(rows(name, value))
        elif isinstance(value, dict) and not _is_range(value):
            inner = {key: each for key, each in value.items() if key != "parts"}
            tables.append(Panel(values(inner), title=name, title_align="left", expand=False))
        else:
            plain.add_row(name, shown(name, value))
    return Group(plain, *tables)


def rows(name: str, objects: Sequence[Mapping[str, Any]]) -> Table:
    """A list of objects as a table of those fields that hold single values."""
    keys = [key for key in objects[0] if any(_fits_a_cell(row.get(key)) for row in objects)]
    table = Table(title=name, title_justify="left", header_style="bold", row_styles=["", "dim"])
    for key in keys[:10]:
        number = all(isinstance(row.get(key), int | float) for row in objects)
        table.add_column(key, justify="right" if number else "left", overflow="fold", max_width=WIDEST_CELL)
    for row in objects[:MOST_ROWS]:
        table.add_row(*(shown(key, row.get(key)) for key in keys[:10]))
    if len(objects) > MOST_ROWS:
        table.caption = f"{len(objects) - MOST_ROWS} more: pipe the command, or ask with --json"
    return table


def derivation(steps: Sequence[Mapping[str, Any]], title: str) -> Table:
    """Every step: what, by which formula, from what, how much."""
    table = Table(title=title, title_justify="left", header_style="bold")
    for head in ("step", "formula", "from", "value"):
        table.add_column(head, overflow="fold", justify="right" if head == "value" else "left")
    for step in steps:
        given = ", ".join(f"{key}={shown(key, value)}" for key, value in step["inputs"].items())
        table.add_row(step["label"], step["formula"], given, shown(step["unit"] or "", step["value"]))
    return table


def charts(result: Mapping[str, Any], words: Mapping[str, str]) -> Iterator[RenderableType]:
    """The parts of the memory as bars, and price against speed, where the result holds them."""
    memory = result.get("per_gpu")
    if isinstance(memory, dict) and memory.get("parts"):
        whole = max(memory["total_bytes"], (result.get("fit") or {}).get("usable_bytes") or 0, 1)
        table = Table(title=words["memory"], title_justify="left", box=None, show_header=False, padding=(0, 1))
        for number, part in enumerate(memory["parts"]):
            bar = Bar(whole, 0, part["bytes"], width=BAR_WIDTH, color=COLOURS[number % len(COLOURS)])
            table.add_row(part["name"], bar, Text(format_bytes(part["bytes"]), justify="right"))
        table.add_row("", "", Text(format_bytes(memory["total_bytes"]), style="bold", justify="right"))
        yield table
    if frontier := result.get("frontier"):
        fastest = max((row.get("speed") or 0 for row in frontier), default=0) or 1
        table = Table(title=words["frontier"], title_justify="left", box=None, show_header=False, padding=(0, 1))
        for row in frontier[:MOST_ROWS]:
            bar = Bar(fastest, 0, row.get("speed") or 0, width=BAR_WIDTH, color="green")
            table.add_row(row["title"], bar, shown("price", row.get("price")), shown("speed", row.get("speed")))
        yield table


def shown(name: str, value: Any) -> str:
    """A single value for a person; the name's unit says how."""
    if value is None:
        return ""
    if isinstance(value, dict) and _is_range(value):
        return f"{shown(name, value['value'])} ({shown(name, value['low'])} – {shown(name, value['high'])})"
    if isinstance(value, list):
        return ", ".join(shown(name, each) for each in value if not isinstance(each, dict | list))
    if isinstance(value, bool) or not isinstance(value, int | float):
        return safe(str(value))
    if name.endswith("bytes"):
        return format_bytes(value)
    if name in {"params", "active_params", "flops_total"} or name.endswith("_params"):
        return format_count(value)
    return f"{value:,}" if isinstance(value, int) else f"{value:,.4g}"


def safe(text: str) -> str:
    """`text` without the characters that would command the terminal: a document may hold escape sequences."""
    return "".join(each for each in text if each in "\n\t" or (each >= " " and not "\x7f" <= each <= "\x9f"))


def _is_range(value: Mapping[str, Any]) -> bool:
    return {"value", "low", "high"} <= set(value)


def _fits_a_cell(value: Any) -> bool:
    return value is not None and (not isinstance(value, dict | list) or (isinstance(value, dict) and _is_range(value)))

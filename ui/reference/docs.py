"""Write the generated pages of `docs/`, or check that they are what the code says.

`python -m ui.reference.docs [--check]`
"""

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, cast

from kb.catalog import gpus, sources
from kb.records.gpu import Gpu
from kb.records.source import Source
from kb.units import TB, format_bytes
from kb.upkeep.disagreements import disagreements
from tools.registry import Tool, tools
from ui.assets import asset, requests
from ui.cli import parser
from ui.reference import market_tables
from ui.reference.schema_words import fields, kind

FOLDER = Path(__file__).parents[2] / "docs"
NOTICE = "<!-- Written by `make docs` from the code; edit the code instead. -->"


def main(argv: list[str] | None = None) -> int:
    """Write every page; with --check write none and name those that are stale."""
    options = argparse.ArgumentParser(prog="python -m ui.reference.docs", description=__doc__)
    options.add_argument("--check", action="store_true", help="fail when a page is not what the code says")
    options.add_argument("--folder", type=Path, default=FOLDER)
    chosen = options.parse_args(argv)
    stale = []
    for name, write in PAGES.items():
        path, text = chosen.folder / name, f"{NOTICE}\n\n{write().strip()}\n"
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        stale.append(name)
        if not chosen.check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    if chosen.check and stale:
        print(f"stale: {', '.join(f'docs/{name}' for name in stale)}. Run `make docs`.", file=sys.stderr)
        return 1
    return 0


def table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    """A Markdown table; bars and line breaks in cells are made harmless."""
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join(f"| {' | '.join(map(_cell, line))} |" for line in lines)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def tools_page() -> str:
    """Every tool: what it does, its fields, what it gives."""
    head = (
        "# Tools\n\nThe same on every face: `gpu-advisor tool NAME`, `POST /v1/tools/NAME`. MCP and a language model "
        "that drives see nine tools over these instead (`find_ways_to_run`, `look_up`, …), which take names and "
        "quantities as people write them. Quantities are SI base units with the unit in the name; `null` means not "
        "stated."
    )
    return "\n\n".join([head, *map(_tool, tools().values())])


def _tool(tool: Tool) -> str:
    request, result = tool.request.model_json_schema(), tool.result.model_json_schema(mode="serialization")
    return "\n\n".join(
        (
            f"## {tool.name}",
            "\n\n".join(" ".join(block.split()) for block in tool.description.split("\n\n")),
            table(("field", "type", "default", "meaning"), list(fields(request))),
            f"Example:\n\n```json\n{json.dumps(requests()[tool.name], ensure_ascii=False, indent=2)}\n```",
            "Result:",
            table(("field", "type", "meaning"), [row[:2] + row[3:] for row in fields(result)]),
        )
    )


def cli_page() -> str:
    """Every command with its options."""
    head = (
        "# Command line\n\nExit code 0: success; 2: bad input, the message names field and remedy; 1: anything else. "
        "The fields of each tool: [tools.md](tools.md)."
    )
    return "\n\n".join([head, *_commands(parser())])


def _commands(command: argparse.ArgumentParser, said: str = "") -> Iterator[str]:
    below: dict[str, tuple[argparse.ArgumentParser, str]] = {}
    rows: list[tuple[str, ...]] = []
    for action in command._actions:
        if isinstance(action, argparse._SubParsersAction):
            told = {choice.dest: choice.help or "" for choice in action._choices_actions}
            below = {name: (child, told.get(name, "")) for name, child in action.choices.items()}
        elif not isinstance(action, argparse._HelpAction) and action.nargs != argparse.REMAINDER:
            rows.append((f"`{_usage(action)}`", action.help or ""))
    if said or rows:
        blocks = [f"## {command.prog}", f"{said[:1].upper()}{said[1:]}." if said else ""]
        yield "\n\n".join([*filter(None, blocks), *([table(("argument", "meaning"), rows)] if rows else [])])
    for child, text in below.values():
        yield from _commands(child, text)


def _usage(action: argparse.Action) -> str:
    value = action.metavar if isinstance(action.metavar, str) else action.dest.upper()
    if not action.option_strings:
        return f"{action.metavar or action.dest}{' …' if action.nargs in ('*', '+') else ''}"
    return action.option_strings[-1] + ("" if action.nargs == 0 else f" {value}")


def api_page() -> str:
    """Every address of the REST API."""
    from assistant.agent import Advisor
    from ui.api import create_app

    spec = create_app(cast(Advisor, None)).openapi()  # the routes only ask the advisor when they are called
    groups: dict[str, list[str]] = {}
    for path, verbs in spec["paths"].items():
        for verb, operation in verbs.items():
            text = _operation(f"{verb.upper()} {path}", operation, spec["components"]["schemas"])
            groups.setdefault(operation.get("tags", ["other"])[0], []).append(text)
    blocks = [f"## {tag}\n\n" + "\n\n".join(texts) for tag, texts in groups.items()]
    return "\n\n".join([f"# REST API\n\n{spec['info']['description']}", asset("examples.md").strip(), *blocks])


def _operation(title: str, operation: dict[str, Any], schemas: dict[str, Any]) -> str:
    blocks = [f"### `{title}`", f"{operation['summary'].rstrip('.')}."]
    parameters = [
        (f"`{each['name']}`", each["in"], kind(each["schema"], schemas), each.get("description", ""))
        for each in operation.get("parameters", [])
    ]
    if parameters:
        blocks.append(table(("parameter", "in", "type", "meaning"), parameters))
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
    if body and not title.startswith("POST /v1/tools/"):
        name = body.get("$ref", "").rsplit("/", 1)[-1]
        rows = list(fields({**schemas.get(name, {}), "$defs": schemas}))
        blocks.append(table(("field", "type", "default", "meaning"), rows))
    return "\n\n".join(blocks)


def catalog_page() -> str:
    """Every GPU with its figures and where they come from."""
    ordered = sorted(gpus().values(), key=lambda gpu: (gpu.vendor, -(gpu.year or 0), gpu.id))
    tables = (
        ("Servers", market_tables.SERVERS, market_tables.server_rows()),
        ("Parts", market_tables.PARTS, market_tables.part_rows()),
        ("Offers to rent", market_tables.OFFERS, market_tables.offer_rows()),
    )
    counts = f"{len(ordered)} GPUs, " + ", ".join(f"{len(rows)} {title.lower()}" for title, _, rows in tables) + "."
    columns = ("id", "name", "memory", "bandwidth", "BF16 dense", "link", "power", "year", "sources")
    used = sorted({source for gpu in ordered for source in gpu.sources} | market_tables.sources_used())
    listed = [_source(sources()[name]) for name in used if name in sources()]
    return "\n\n".join(
        (
            f"# Catalog\n\n{counts} Memory is binary, as on the box; bandwidth and rates are decimal and dense.",
            table(columns, [_gpu(gpu) for gpu in ordered]),
            *(f"## {title}\n\n{table(names, rows)}" for title, names, rows in tables),
            f"## Figures set aside\n\n{table(('card', 'field', 'said', 'by', 'used instead because'), _set_aside())}",
            "## Sources",
            "\n".join(listed),
        )
    )


def _set_aside() -> list[tuple[str, ...]]:
    """What sources say that the catalog does not follow."""
    return [
        (f"`{one.gpu}`", f"`{one.field}`", f"{one.said:.4g}", f"`{one.source}`", one.because) for one in disagreements()
    ]


def _source(source: Source) -> str:
    title = f"[{source.title}]({source.url})" if source.url else source.title
    return f"- `{source.id}`: {title}{f', {source.date}' if source.date else ''}"


def _gpu(gpu: Gpu) -> tuple[str, ...]:
    return (
        f"`{gpu.id}`",
        gpu.name,
        format_bytes(gpu.memory_bytes, 0),
        f"{gpu.bandwidth_bytes_per_s / TB:.3g} TB/s" if gpu.bandwidth_bytes_per_s else "",
        f"{gpu.bf16_flops / TB:,.4g} TFLOP/s" if gpu.bf16_flops else "",
        gpu.nvlink_note or "",
        f"{gpu.tdp_w} W" if gpu.tdp_w else "",
        str(gpu.year or ""),
        ", ".join(gpu.sources),
    )


PAGES: dict[str, Callable[[], str]] = {
    "tools.md": tools_page,
    "cli.md": cli_page,
    "api.md": api_page,
    "catalog.md": catalog_page,
}

if __name__ == "__main__":
    sys.exit(main())

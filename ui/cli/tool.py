"""`gpu-advisor tool`: any registered tool from the command line, with no model and no index loaded."""

import argparse
import json
import sys
from typing import Any

from kb.base import AdvisorError, BadInput
from kb.models import read_hub_configs, read_local_configs
from kb.settings import hub_allowed
from tools.registry import Tool, tool, tools
from ui.cli.fields import read
from ui.cli.lines import read_lines, write_line

HELP = ("-h", "--help")


def add_to(commands: Any) -> None:
    """Only for the list of commands: `run` reads the arguments itself."""
    command = commands.add_parser("tool", help="list the tools, or run one", add_help=False)
    command.add_argument("rest", nargs=argparse.REMAINDER)


def run(arguments: list[str]) -> int:
    """`tool`, `tool NAME --help`, `tool NAME --field value …`, `tool NAME --json '{…}'`, `tool NAME --batch FILE`."""
    read_local_configs()
    if hub_allowed():
        read_hub_configs()
    if not arguments or arguments[0] in HELP:
        for each in tools().values():
            print(f"{each.name:24} {each.description.splitlines()[0]}")
        return 0
    chosen, rest = tool(arguments[0]), arguments[1:]
    if any(argument in HELP for argument in rest):
        print(described(chosen))
        return 0
    if rest[:1] == ["--batch"]:
        return batch(chosen, _operand(rest, "--batch"))
    asked_in_json = rest[:1] == ["--json"]
    request = _json(_operand(rest, "--json")) if asked_in_json else read(chosen.request, rest)
    result = chosen.call(request).model_dump(mode="json")
    if sys.stdout.isatty() and not asked_in_json:
        from ui.cli.terminal import show_result

        show_result(chosen.name, result)
    else:
        print(json.dumps(result, ensure_ascii=False, indent=2))
    return 0


def described(chosen: Tool) -> str:
    """What a tool does and its fields, as `--help` shows them."""
    from ui.reference.schema_words import fields

    lines = [
        f"usage: gpu-advisor tool {chosen.name} [--field VALUE …] | --json '{{…}}' | --batch FILE", "",
        chosen.description, "", "fields:",
    ]  # fmt: skip
    for name, kind, default, meaning in fields(chosen.request.model_json_schema()):
        said = default.replace("`", "")
        note = f" ({said if said == 'required' else f'default: {said}'})" if said else ""
        lines.append(f"  --{name.strip('`')}  {kind.replace('`', '')}{note}")
        if meaning:
            lines.append(f"      {' '.join(meaning.split())}")
    return "\n".join(lines)


def batch(chosen: Tool, source: str) -> int:
    """One result or error a line, in order."""
    for line in read_lines(source):
        name = line.get("id")
        try:
            request = line.get("request")
            if not isinstance(request, dict):
                raise BadInput("request", "is missing or not an object.", 'Write {"id": …, "request": {…}}.')
            write_line({"id": name, "result": chosen.call(request).model_dump(mode="json")})
        except AdvisorError as problem:
            write_line({"id": name, "error": problem.data()})
    return 0


def _operand(rest: list[str], option: str) -> str:
    if len(rest) != 2:
        raise BadInput(option, "takes exactly one value and no other option.")
    return rest[1]


def _json(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text, parse_constant=lambda constant: float("nan"))
    except (ValueError, RecursionError):
        raise BadInput("--json", "is not valid JSON.", "Quote the whole object: --json '{\"model\": …}'.") from None
    if not isinstance(value, dict):
        raise BadInput("--json", "is not a JSON object.")
    return value

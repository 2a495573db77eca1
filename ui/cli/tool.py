"""`gpu-advisor tool`: any registered tool from the command line, with no model and no index loaded."""

import argparse
import json
import sys
from typing import Any

from pydantic import ValidationError
from pydantic_settings import CliApp, CliSettingsSource, SettingsError

from kb.base import AdvisorError, BadInput
from kb.models import read_local_configs
from tools.registry import Tool, bad_input, tool, tools
from ui.cli.lines import read_lines, write_line


def add_to(commands: Any) -> None:
    """Only for the list of commands: `run` reads the arguments itself."""
    command = commands.add_parser("tool", help="list the tools, or run one", add_help=False)
    command.add_argument("rest", nargs=argparse.REMAINDER)


def run(arguments: list[str]) -> int:
    """`tool`, `tool NAME --help`, `tool NAME --field value …`, `tool NAME --json '{…}'`, `tool NAME --batch FILE`."""
    read_local_configs()
    if not arguments or arguments[0] in {"-h", "--help"}:
        for each in tools().values():
            print(f"{each.name:24} {each.description.splitlines()[0]}")
        return 0
    chosen, rest = tool(arguments[0]), arguments[1:]
    if rest[:1] == ["--batch"]:
        return batch(chosen, _operand(rest, "--batch"))
    if rest[:1] == ["--json"]:
        result = chosen.call(_json(_operand(rest, "--json")))
    else:
        result = chosen.call(_fields(chosen, rest))
    print(json.dumps(result.model_dump(mode="json"), ensure_ascii=False, indent=2))
    return 0


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


def _fields(chosen: Tool, rest: list[str]) -> dict[str, Any]:
    """`--field value` pairs, typed by the request model; only what was written is passed on."""
    try:
        shape: Any = chosen.request
        source: CliSettingsSource[Any] = CliSettingsSource(
            shape,
            cli_prog_name=f"gpu-advisor tool {chosen.name}",
            cli_hide_none_type=True,
            cli_avoid_json=True,
        )
        parsed = CliApp.run(shape, cli_args=rest, cli_settings_source=source)
    except ValidationError as problem:
        raise bad_input(problem) from None
    except SettingsError as problem:
        raise BadInput("arguments", str(problem)[:300]) from None
    except SystemExit as stop:
        if stop.code not in (0, None):
            sys.exit(2)
        raise
    return dict(parsed.model_dump(exclude_unset=True))

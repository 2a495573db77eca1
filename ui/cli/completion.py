"""`gpu-advisor completion SHELL`: a script for bash, zsh or fish, written from the parsers and the tools' fields."""

import argparse
from collections.abc import Iterator
from typing import Any

from tools.registry import HOMES, tool

SHELLS = ("bash", "zsh", "fish")


def add_to(commands: Any) -> None:
    """The `completion` command."""
    command = commands.add_parser("completion", help="print a completion script for a shell")
    command.add_argument(
        "shell", choices=SHELLS, help='bash: eval "$(gpu-advisor completion bash)"; zsh alike; fish: pipe it to source'
    )
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the script."""
    from ui.cli import parser

    print(script(options.shell, words(parser())))
    return 0


def words(top: argparse.ArgumentParser) -> dict[str, list[str]]:
    """What may follow each command, and each option that takes few values: "kb search" → --top …"""
    found = dict(_below(top, ""))
    found["tool"] = list(HOMES)
    for name in HOMES:
        found |= dict(_of_tool(name))
    return found


def _below(command: argparse.ArgumentParser, path: str) -> Iterator[tuple[str, list[str]]]:
    following: list[str] = []
    for action in command._actions:
        if isinstance(action, argparse._SubParsersAction):
            following += action.choices
            for name, child in action.choices.items():
                yield from _below(child, f"{path} {name}".strip())
        elif action.option_strings:
            following += action.option_strings
            if action.choices:
                yield f"{path} {action.option_strings[-1]}", [str(choice) for choice in action.choices]
        elif action.choices:
            following += [str(choice) for choice in action.choices]
    yield path, following


def _of_tool(name: str) -> Iterator[tuple[str, list[str]]]:
    from ui.reference.schema_words import choices

    schema = tool(name).request.model_json_schema()
    fields = schema.get("properties", {})
    yield f"tool {name}", [*(f"--{field}" for field in fields), "--json", "--batch", "--help"]
    for field, shape in fields.items():
        if values := choices(shape, schema.get("$defs", {})):
            yield f"tool {name} --{field}", list(dict.fromkeys(values))


def script(shell: str, following: dict[str, list[str]]) -> str:
    """The script: a table of what may follow what, and a few lines that look there."""
    if shell == "fish":
        return "\n".join([*_fish(following)])
    cases = "\n".join(f'    "{path}") words="{" ".join(after)}" ;;' for path, after in following.items() if after)
    head = "autoload -Uz bashcompinit && bashcompinit\n" if shell == "zsh" else ""
    return f"""{head}_gpu_advisor_words() {{
  case "$1" in
{cases}
    *) words="" ;;
  esac
}}
_gpu_advisor() {{
  local word words path="" current="${{COMP_WORDS[COMP_CWORD]}}" previous="${{COMP_WORDS[COMP_CWORD-1]}}" i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="${{COMP_WORDS[i]}}"
    _gpu_advisor_words "$path"
    [[ "$word" != -* && " $words " == *" $word "* ]] && path="${{path:+$path }}$word"
  done
  words=""
  [[ "$previous" == --* ]] && _gpu_advisor_words "$path $previous"
  [[ -z "$words" ]] && _gpu_advisor_words "$path"
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}}
complete -o default -F _gpu_advisor gpu-advisor"""


def _fish(following: dict[str, list[str]]) -> Iterator[str]:
    yield "complete -c gpu-advisor -f"
    for path, after in following.items():
        parts = [part for part in path.split() if not part.startswith("--")]
        seen = "; and ".join(f"__fish_seen_subcommand_from {part}" for part in parts) or "__fish_use_subcommand"
        option = path.split()[-1][2:] if path and path.split()[-1].startswith("--") else ""
        options = [word[2:] for word in after if word.startswith("--")]
        plain = [word for word in after if not word.startswith("-")]
        if option:
            yield f"complete -c gpu-advisor -n '{seen}' -l {option} -x -a '{' '.join(after)}'"
            continue
        if plain:
            others = f"; and not __fish_seen_subcommand_from {' '.join(plain)}" if parts else ""
            yield f"complete -c gpu-advisor -n '{seen}{others}' -a '{' '.join(plain)}'"
        for name in options:
            yield f"complete -c gpu-advisor -n '{seen}' -l {name}"

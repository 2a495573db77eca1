"""`gpu-advisor read`: a message marked up, as any reader marks it up."""

import argparse
import json
import sys
from typing import Any

from kb.base import AdvisorError, BadInput
from ui.cli.lines import read_lines, write_line
from ui.cli.progress import counted


def add_to(commands: Any) -> None:
    """The `read` command."""
    command = commands.add_parser("read", help="mark up a message: what it says and asks, each with its words")
    command.add_argument("message", nargs="?", help="the message, in any language; - reads standard input")
    command.add_argument("--json", action="store_true", help="print the annotation as JSON")
    command.add_argument("--conversation", metavar="ID", help="read it as the next turn of this conversation")
    command.add_argument("--batch", metavar="FILE", help='JSON lines {"id", "text"} or {"id", "turns": [..]}')
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Mark up one message, or a file of them."""
    if (options.message is None) == (options.batch is None):
        raise BadInput("message", "give either a message or --batch FILE.")
    from ui.serving.service import advisor

    if options.batch is not None:
        return batch(advisor(), options.batch)
    message = sys.stdin.read() if options.message == "-" else options.message
    annotation = advisor().read(message, options.conversation)
    if options.json:
        print(json.dumps(annotation.model_dump(mode="json"), ensure_ascii=False, indent=2))
    else:
        print(shown(annotation))
    return 0


def shown(annotation: Any) -> str:
    """An annotation for a person: a line a fact, an ask, and what was not read."""
    lines = [f"asks  {one.ask}{f'·{one.quantity}' if one.quantity else ''}: “{one.quote}”" for one in annotation.asks]
    for one in annotation.facts:
        of = f" of {', '.join(map(str, one.of))}" if one.of else ""
        value = json.dumps(one.value, ensure_ascii=False)
        lines.append(f"{one.slot} {one.stance}{of}: “{one.quote}” = {value}")
    lines += [f"unread: “{one.quote}”" for one in annotation.unread]
    lines += [f"dropped: “{one.quote}” ({one.why})" for one in annotation.dropped]
    return "\n".join(lines) or "Nothing was marked up."


def batch(service: Any, source: str) -> int:
    """One annotation or error a line, in order; turns are read one after the other, each with what came before."""
    from assistant.reading.build import after

    for number, line in enumerate(read_lines(source), 1):
        name = line.get("id")
        counted(number, "read")
        turns = line.get("turns") or [line.get("text", line.get("question"))]
        try:
            if not isinstance(turns, list) or not all(isinstance(turn, str) for turn in turns):
                remedy = 'Write {"id": …, "text": "…"} or {"id": …, "turns": ["…"]}.'
                raise BadInput("text", "is missing or not text.", remedy)
            readings, before = [], None
            for turn in turns:
                annotation = service.read(turn, before=before)
                before = after(before, annotation)
                readings.append(annotation.model_dump(mode="json"))
            write_line({"id": name} | ({"readings": readings} if "turns" in line else readings[0]))
        except AdvisorError as problem:
            write_line({"id": name, "error": problem.data()})
    return 0

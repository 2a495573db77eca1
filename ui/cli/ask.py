"""`gpu-advisor ask`: one answer, or a batch of them."""

import argparse
import json
import sys
from typing import Any

from kb.base import AdvisorError, BadInput
from ui.cli.lines import read_lines, write_line
from ui.cli.progress import counted


def add_to(commands: Any) -> None:
    """The `ask` command."""
    command = commands.add_parser("ask", help="answer a question")
    command.add_argument("question", nargs="?", help="the question, in Chinese or English; - reads standard input")
    command.add_argument("--json", action="store_true", help="print the whole Answer as JSON")
    command.add_argument("--conversation", metavar="ID", help="continue (or begin) this conversation")
    command.add_argument("--batch", metavar="FILE", help='JSON lines {"id", "question"} or {"id", "turns": [..]}')
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Answer, printing Markdown for a person or JSON for a program."""
    if (options.question is None) == (options.batch is None):
        raise BadInput("question", "give either a question or --batch FILE.")
    from ui.serving.service import advisor  # loads the language and retrieval libraries

    if options.batch is not None:
        return batch(options.batch)
    question = sys.stdin.read() if options.question == "-" else options.question
    if sys.stdout.isatty() and not options.json:
        from ui.cli.terminal import show_answer

        show_answer(_watched(advisor(), question, options.conversation))
        return 0
    answer = advisor().ask(question, options.conversation)
    if options.json:
        print(json.dumps(answer.model_dump(mode="json"), ensure_ascii=False, indent=2))
    else:
        from ui.words.markdown import as_markdown

        print(as_markdown(answer))
    return 0


def _watched(advisor: Any, question: str, conversation_id: str | None) -> Any:
    """The answer; what is being worked out meanwhile is shown on the terminal."""
    from rich.console import Console

    answer = None
    with Console(stderr=True).status("…") as line:
        for step in advisor.stream(question, conversation_id):
            line.update(" ".join(filter(None, (step.kind, step.name))))
            answer = step.answer or answer
    return answer


def batch(source: str) -> int:
    """One answer or error a line, in order; a line of turns is one conversation."""
    from ui.serving.service import advisor

    for number, line in enumerate(read_lines(source), 1):
        name = line.get("id")
        counted(number, "answered")
        try:
            answers = [answer.model_dump(mode="json") for answer in _answers(advisor(), line)]
            extra = {"turn_answers": answers} if "turns" in line else {}
            write_line(answers[-1] | {"id": name} | extra)
        except AdvisorError as problem:
            write_line({"id": name, "error": problem.data()})
    return 0


def _answers(advisor: Any, line: dict[str, Any]) -> list[Any]:
    turns = line.get("turns") or [line.get("question")]
    if not isinstance(turns, list) or not all(isinstance(turn, str) for turn in turns):
        raise BadInput(
            "question", "is missing or not text.", 'Write {"id": …, "question": "…"} or {"id": …, "turns": ["…"]}.'
        )
    answers: list[Any] = []
    for turn, reading in zip(turns, readings_of(line, len(turns)), strict=True):
        answers.append(advisor.ask(turn, answers[-1].conversation_id if answers else None, reading=reading))
    return answers


def readings_of(line: dict[str, Any], turns: int) -> list[Any]:
    """The annotations of a line, one a turn; None where the advisor reads itself.

    Raises:
        BadInput: as many as there are turns are wanted, each as `gpu-advisor read --json` writes one.
    """
    from pydantic import ValidationError

    from assistant.reading.annotation import Marked

    given = line.get("readings")
    if given is None:
        return [None] * turns
    if not isinstance(given, list) or len(given) != turns:
        remedy = 'Write {"turns": ["…"], "readings": [{"facts": […], "asks": […]}]}.'
        raise BadInput("readings", "are not one a turn.", remedy)
    try:
        return [None if one is None else Marked.model_validate(one) for one in given]
    except ValidationError as problem:
        first = problem.errors()[0]
        place = ".".join(map(str, first["loc"]))
        remedy = "Each is what `gpu-advisor read --json` prints."
        raise BadInput("readings", f"{place}: {first['msg']}.", remedy) from None
